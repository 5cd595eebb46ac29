"""The studentised bootstrap of ratios of sums, on the logit scale, by cells. efron1993, section 12.5.

Micro-averages are one ratio X/Y of sums over documents, macro-averages a mean of one per category. Each resample has
its own standard error by the infinitesimal jackknife: document p contributes (x_p − R·y_p)/Y per ratio R.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from rubricate.measures.intervals.cells import CountCells
from rubricate.measures.intervals.interval import Interval
from rubricate.native.measures import as_rows
from rubricate.native.resampling import ratio_errors
from rubricate.native.sparse import Rows
from rubricate.types import Floats

__all__ = ["RatioParts", "ratio_parts", "studentized"]

EDGE = 1e-4
"""Values are kept this far from 0 and 1, where the logit has no value."""


class RatioParts(NamedTuple):
    """What a document of each pattern adds to numerators and denominators, and the number of ratios."""

    above: Rows
    below: Rows
    ratios: int

    def drawn(self, weights: Any) -> tuple[Floats, Floats]:
        """Return the mean ratio and its standard error in resamples, given as weights (draws × patterns)."""
        counts = np.ascontiguousarray(np.asarray(weights).T, np.int32)
        return ratio_errors(self.above, self.below, counts, self.ratios)


def ratio_parts(cells: CountCells, name: str) -> RatioParts | None:
    """Return the parts of micro- and macro-averages of precision, recall and F1; None for other measures."""
    average, _, measure = name.partition("_")
    if average not in ("micro", "macro") or measure not in ("f1", "precision", "recall"):
        return None
    tp, true, assigned = (sparse.csr_array(part) for part in (cells.tp, cells.true, cells.assigned))
    above, below = {"f1": (2 * tp, true + assigned), "precision": (tp, assigned), "recall": (tp, true)}[measure]
    if average == "macro":
        return RatioParts(as_rows(above), as_rows(below), above.shape[1])
    extra = cells.outside if measure != "recall" else 0.0
    top, bottom = (np.asarray(part.sum(axis=1)).ravel() for part in (above, below))
    return RatioParts(as_rows(sparse.csr_array(top[:, None])), as_rows(sparse.csr_array((bottom + extra)[:, None])), 1)


def studentized(parts: RatioParts, sizes: Floats, weights: Any, *, level: float = 0.95) -> tuple[Interval, Floats]:
    """Return the interval of the mean ratio, and its values in the resamples, given as weights (draws × patterns)."""
    value, error = (float(part[0]) for part in parts.drawn(sizes[None]))
    drawn, errors = parts.drawn(weights)
    if error <= 0 or not 0 < value < 1:
        return Interval(value, value, level, "studentized"), drawn
    kept, centre = errors > 1e-12, float(logit(_inside(np.array(value))))
    moved = _inside(drawn[kept])
    t = (logit(moved) - centre) / (errors[kept] / (moved * (1 - moved)))
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2]) if len(t) else (-math.inf, math.inf)
    scale = error / (float(_inside(np.array(value))) * (1 - float(_inside(np.array(value)))))
    ends = float(expit(centre - high * scale)), float(expit(centre - low * scale))
    return Interval(*ends, level, "studentized"), drawn


def _inside(values: Floats) -> Floats:
    return np.clip(values, EDGE, 1 - EDGE)
