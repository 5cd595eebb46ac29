"""How the systems improve with more training documents."""

from __future__ import annotations

from rubricate.reports.page.html import Html, join, tag
from rubricate.reports.page.section import chart, panels, section
from rubricate.reports.results import ReportResults
from rubricate.reports.study_figures import learning_figures

__all__ = ["learning"]


@section("Learning curve", order=80)
def learning(results: ReportResults) -> Html | None:
    """Show the learning curves that came with the data, one chart for each measure."""
    figures = learning_figures(results)
    if not figures:
        return None
    lead = "A curve that still rises says: more labelled documents will help."
    return join([tag("p", lead), panels("Show", {figure.y_title: chart(figure) for figure in figures})])
