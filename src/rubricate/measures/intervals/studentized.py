"""The studentised bootstrap of ratios of sums, on the logit scale, by cells. efron1993, section 12.5.

Micro-averages are one ratio X/Y of sums over documents, macro-averages a mean of one per category. Each resample has
its own standard error by the infinitesimal jackknife: document p contributes (x_p − R·y_p)/Y per ratio R.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit, logit

from rubricate.measures.intervals.cells import CountCells
from rubricate.measures.intervals.interval import Interval
from rubricate.types import Floats

__all__ = ["ratio_parts", "studentized"]

EDGE = 1e-4
"""Values are kept this far from 0 and 1, where the logit has no value."""

CHUNK = 20_000_000
"""Resamples × patterns at a time."""


def ratio_parts(cells: CountCells, name: str) -> tuple[Floats, Floats] | None:
    """Return what a document of each pattern adds to numerators and denominators; None for other measures."""
    average, _, measure = name.partition("_")
    if average not in ("micro", "macro") or measure not in ("f1", "precision", "recall"):
        return None
    tp, true, assigned = (part if isinstance(part, np.ndarray) else part.toarray() for part in _matrices(cells))
    above, below = {"f1": (2 * tp, true + assigned), "precision": (tp, assigned), "recall": (tp, true)}[measure]
    if average == "macro":
        return above, below
    extra = cells.outside if measure != "recall" else 0.0
    return above.sum(axis=1, keepdims=True), (below.sum(axis=1) + extra)[:, None]


def _matrices(cells: CountCells) -> tuple[Any, Any, Any]:
    return cells.tp, cells.true, cells.assigned


def studentized(above: Floats, below: Floats, sizes: Floats, weights: Any, *, level: float = 0.95) -> Interval:
    """Return the interval of the mean ratio, from resamples given as weights of the patterns (draws × patterns)."""
    value, error = (float(part[0]) for part in _value_and_error(above, below, sizes[None]))
    if error <= 0 or not 0 < value < 1:
        return Interval(value, value, level, "studentized")
    step, found = max(1, CHUNK // len(sizes)), []
    for start in range(0, len(weights), step):
        found.append(_value_and_error(above, below, np.asarray(weights[start : start + step], np.float64)))
    drawn, errors = (np.concatenate(part) for part in zip(*found, strict=True))
    kept, centre = errors > 1e-12, float(logit(_inside(np.array(value))))
    moved = _inside(drawn[kept])
    t = (logit(moved) - centre) / (errors[kept] / (moved * (1 - moved)))
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2]) if len(t) else (-math.inf, math.inf)
    scale = error / (float(_inside(np.array(value))) * (1 - float(_inside(np.array(value)))))
    return Interval(float(expit(centre - high * scale)), float(expit(centre - low * scale)), level, "studentized")


def _inside(values: Floats) -> Floats:
    return np.clip(values, EDGE, 1 - EDGE)


def _value_and_error(above: Floats, below: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the mean ratio of each resample and its standard error; 0/0 counts as 0."""
    x, y, columns = weights @ above, weights @ below, above.shape[1]
    inverse = np.divide(1.0, y, out=np.zeros_like(y), where=y > 0)
    ratios = x * inverse
    each = (inverse @ above.T - (ratios * inverse) @ below.T) / columns
    return ratios.mean(axis=1), np.sqrt((weights * each**2).sum(axis=1))
