"""The curves that the page, the tables and the figures share."""

from __future__ import annotations

import numpy as np

from rubricate.measures import Abstention, Band, abstention, by_frequency
from rubricate.reports.results import RARE, ReportResults

__all__ = ["BANDS", "abstention_curves", "frequency_curves"]

BANDS = 12
"""The number of intervals of equal width in the curves by frequency."""


def frequency_curves(results: ReportResults, how: str) -> dict[str, list[Band]]:
    """Return the mean F1 of each system in intervals of training frequency: `doubling`, `rare` (up to 60) or `full`.

    Doubling intervals are 1, 2–3, 4–7, 8–15, …
    """
    train = results.train_counts
    if train is None:
        return {}
    curves = {}
    for evaluation in results.evaluations:
        values = np.asarray(evaluation.per_category["f1"], np.float64)
        if how == "doubling":
            edges = [2**k for k in range(int(train.max()).bit_length())]
            parts = [by_frequency(values, train, bands=1, low=edge, high=2 * edge - 1)[0] for edge in edges]
        else:
            parts = by_frequency(values, train, bands=BANDS, high=RARE if how == "rare" else None)
        curves[evaluation.name] = [band for band in parts if band.categories]
    return curves


def abstention_curves(results: ReportResults) -> dict[str, Abstention]:
    """Return the curve of each system with scores: the one in the data, else that of its best category."""
    curves: dict[str, Abstention] = {}
    for run in results.runs:
        curve = results.data.abstentions.get(run.name)
        if curve is None and run.scores is not None:
            curve = abstention(run.scores, results.truth)
        if curve is not None and len(curve.error):
            curves[run.name] = curve
    return curves
