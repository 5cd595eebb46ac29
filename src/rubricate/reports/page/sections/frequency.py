"""F1 against how often a category occurs in training. yangliu1999, figures 4 and 5."""

from __future__ import annotations

from rubricate.reports.page.html import Html, join, tag
from rubricate.reports.page.section import chart, panels, section
from rubricate.reports.results import RARE, ReportResults
from rubricate.reports.study_figures import frequency_figures

__all__ = ["frequency"]

NAMES = {
    "doubling": "All categories, intervals that double",
    "rare": f"Rare categories, up to {RARE} training documents",
    "full": "All categories, intervals of equal width",
}


@section("Rare and frequent categories", order=40)
def frequency(results: ReportResults) -> Html | None:
    """Show mean F1 in intervals of training frequency: doubling intervals, the rare categories, the full range."""
    train = results.train_counts
    if train is None or int(train.max(initial=0)) < 2:
        return None
    charts = {NAMES[how]: chart(figure) for how, figure in frequency_figures(results).items()}
    lead = "The mean F1 of the categories by how many training documents they have."
    note = "As figures 4 (rare) and 5 (equal width) of Yang and Liu, SIGIR 1999. Empty intervals are left out."
    return join([tag("p", lead), panels("Show", charts), tag("p", note, class_="note")])
