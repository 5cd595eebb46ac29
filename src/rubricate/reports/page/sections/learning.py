"""How the systems improve with more training documents."""

from __future__ import annotations

from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import ReportResults

__all__ = ["learning"]


@section("Learning curve", order=80)
def learning(results: ReportResults) -> Html | None:
    """Show the learning curves that came with the data, one view per measure."""
    with_points = [curve for curve in results.data.learning if len(curve.sizes)]
    if not with_points:
        return None
    slots = {
        name: slot for slot, name in enumerate(dict.fromkeys([*results.names, *(curve.run for curve in with_points)]))
    }
    views = []
    for measure in dict.fromkeys(curve.measure for curve in with_points):
        own = [curve for curve in with_points if curve.measure == measure]
        series = [
            {
                "name": shorten(curve.run, 40),
                "slot": slots[curve.run],
                "points": [[n, value] for n, value in zip(curve.sizes, curve.values, strict=True)],
                "band": [list(edge) for edge in zip(curve.sizes, curve.low, curve.high, strict=False)],
            }
            for curve in own
        ]
        sizes = [n for curve in own for n in curve.sizes]
        x = {
            "label": "training documents",
            "min": min(sizes),
            "max": max(sizes),
            "log": min(sizes) > 0 and max(sizes) >= 8 * min(sizes),
        }
        views.append({"name": measure, "x": x, "y": {"label": measure, "min": 0, "max": 1}, "series": series})
    lead = "A curve that still rises says: more labelled documents will help."
    return join([tag("p", lead), chart("lines", {"views": views}, label="Learning curve")])
