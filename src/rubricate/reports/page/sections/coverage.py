"""Coverage against error: the gain from leaving the least certain documents to a person. elyaniv2010."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.measures import Abstention
from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import ReportResults
from rubricate.reports.series import abstention_curves

__all__ = ["coverage"]

POINTS = 60


@section("Leaving doubtful documents to a person", order=90)
def coverage(results: ReportResults) -> Html | None:
    """Show the curve of each system, as given or of the best category of each document."""
    by_system = abstention_curves(results)
    if not by_system:
        return None
    points = {name: _points(curve) for name, curve in by_system.items()}
    series = [
        {"name": shorten(name, 40), "slot": results.names.index(name), "points": own_points}
        for name, own_points in points.items()
    ]
    top = max(point[1] for own_points in points.values() for point in own_points)
    view = {
        "name": "",
        "x": {"label": "share of the documents that the system answers", "min": 0, "max": 1},
        "y": {"label": "error among those", "min": 0, "max": max(0.05, min(1.0, 1.1 * top))},
        "series": series,
    }
    lead = "If a system answers only where it is surest and leaves the rest to a person, how often is it wrong?"
    own = " The answer here is its best category, the certainty that category's score."
    known = len(results.data.abstentions) > 0
    return join(
        [
            tag("p", lead if known else lead + own),
            _sentence(results, by_system),
            chart("lines", {"views": [view]}, label="Error against coverage"),
        ]
    )


def _points(curve: Abstention) -> list[list[Any]]:
    """Thin the curve evenly over the coverage; below 2 % it is the noise of a few documents and left out."""
    wanted = np.linspace(min(0.02, float(curve.coverage[-1])), float(curve.coverage[-1]), POINTS)
    places = np.unique(np.minimum(np.searchsorted(curve.coverage, wanted), len(curve.coverage) - 1))
    return [
        [
            float(curve.coverage[k]),
            float(curve.error[k]),
            f"answers {curve.coverage[k]:.0%}, certainty ≥ {curve.confidence[k]:.3g}",
        ]
        for k in places
    ]


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
