"""F1 against how often a category occurs in training. yangliu1999, figures 4 and 5."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.measures import Band
from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import RARE, ReportResults
from rubricate.reports.series import frequency_curves

__all__ = ["frequency"]


@section("Rare and frequent categories", order=40)
def frequency(results: ReportResults) -> Html | None:
    """Show mean F1 in intervals of training frequency: doubling intervals, the rare categories, the full range."""
    train = results.train_counts
    if train is None or int(train.max(initial=0)) < 2:
        return None
    wanted = {
        "All categories, intervals that double": "doubling",
        f"Rare categories, up to {RARE} training documents": "rare",
        "All categories, intervals of equal width": "full",
    }
    curves = {name: frequency_curves(results, how) for name, how in wanted.items()}
    views = [
        _view(name, by_system, log=wanted[name] == "doubling")
        for name, by_system in curves.items()
        if any(by_system.values())
    ]
    lead = "The mean F1 of the categories by how many training documents they have."
    caption = "As figures 4 (rare) and 5 (equal width) of Yang and Liu, SIGIR 1999. Empty intervals are left out."
    return join(
        [tag("p", lead), chart("lines", {"views": views}, label="Mean F1 by training frequency", caption=caption)]
    )


def _view(name: str, curves: dict[str, list[Band]], *, log: bool = False) -> dict[str, Any]:
    def place(band: Band) -> float:
        return float(np.sqrt(band.low * band.high)) if log else (band.low + band.high) / 2

    def tooltip(band: Band) -> str:
        span = f"{band.low:,}–{band.high:,}" if band.high > band.low else f"{band.low:,}"
        return f"{span} training documents, {band.categories} {'categories' if band.categories > 1 else 'category'}"

    series = [
        {
            "name": shorten(system, 40),
            "slot": slot,
            "points": [[place(band), band.value, tooltip(band)] for band in bands],
        }
        for slot, (system, bands) in enumerate(curves.items())
    ]
    ends = [place(band) for bands in curves.values() for band in bands]
    x = {"label": "training documents of the category", "min": min(ends) if log else 0, "max": max(ends), "log": log}
    return {"name": name, "x": x, "y": {"label": "mean F1", "min": 0, "max": 1}, "series": series}
