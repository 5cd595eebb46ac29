"""Coverage against error: the gain from leaving the least certain documents to a person. elyaniv2010."""

from __future__ import annotations

import numpy as np

from rubricate.measures import Abstention
from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import ReportResults
from rubricate.reports.series import abstention_curves
from rubricate.reports.study_figures import coverage_figure

__all__ = ["coverage"]


@section("Leaving doubtful documents to a person", order=90)
def coverage(results: ReportResults) -> Html | None:
    """Show the curve of each system, as given or of the best category of each document."""
    by_system, figure = abstention_curves(results), coverage_figure(results)
    if figure is None:
        return None
    lead = "If a system answers only where it is surest and leaves the rest to a person, how often is it wrong?"
    own = " The answer here is its best category, the certainty that category's score."
    known = len(results.data.abstentions) > 0
    return join(
        [
            tag("p", lead if known else lead + own),
            _sentence(results, by_system),
            chart(figure),
        ]
    )


def _sentence(results: ReportResults, by_system: dict[str, Abstention]) -> Html | None:
    """Say how often the system with the smallest area is wrong when it answers nine documents of ten."""
    name = min(by_system, key=lambda key: by_system[key].area)
    curve = by_system[name]
    whole = float(curve.error[-1])
    place = int(np.searchsorted(curve.coverage, 0.9))
    if place >= len(curve.error) - 1:
        return None
    return tag(
        "p",
        f"{shorten(name, 40)} is wrong on {whole:.1%} of all documents; answering only the surest "
        f"{curve.coverage[place]:.0%} it is wrong on {curve.error[place]:.1%} of those.",
    )
