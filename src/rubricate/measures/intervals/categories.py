"""Confidence intervals of precision, recall and F1 of each category.

The decisions on one category come from different documents, so that they are independent trials and Wilson's interval
holds. F1 = 2J / (1 + J) grows with J = TP / (TP + FP + FN), itself a proportion: the ends of J's interval, put through
the same formula, are those of F1.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from rubricate.types import Counts, Floats, Ints

__all__ = ["category_intervals"]


def category_intervals(table: Counts, *, level: float = 0.95) -> dict[str, Floats]:
    """Return columns `precision_low`, `precision_high`, `recall_low`, …; from 0 to 1 without a trial. wilson1927.

    >>> intervals = category_intervals(Counts(*map(np.array, ([8], [2], [0], [90]))))
    >>> intervals["precision_low"].round(4).tolist(), intervals["f1_low"].round(4).tolist()
    ([0.4902], [0.6579])
    """
    shares = {
        "precision": _wilson(table.tp, table.tp + table.fp, level),
        "recall": _wilson(table.tp, table.tp + table.fn, level),
    }
    low, high = _wilson(table.tp, table.tp + table.fp + table.fn, level)
    shares["f1"] = 2 * low / (1 + low), 2 * high / (1 + high)
    return {
        f"{name}_{end}": side for name, ends in shares.items() for end, side in zip(("low", "high"), ends, strict=True)
    }


def _wilson(hits: Ints, trials: Ints, level: float) -> tuple[Floats, Floats]:
    """Return `rubricate.measures.wilson` of each category."""
    z, n = float(ndtri(0.5 + level / 2)), np.maximum(trials, 1)
    p, z2 = hits / n, z * z / n
    middle, half = p + z2 / 2, z * np.sqrt(p * (1 - p) / n + z2 / (4 * n))
    low = np.where(hits == 0, 0.0, np.maximum(0.0, (middle - half) / (1 + z2)))
    high = np.where(hits == trials, 1.0, np.minimum(1.0, (middle + half) / (1 + z2)))
    return np.where(trials == 0, 0.0, low), np.where(trials == 0, 1.0, high)
