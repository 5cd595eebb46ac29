"""Values and intervals of measures of whole tables, from resamples of the cells.

Averages of precision, recall and F1 have the studentised bootstrap, accuracy has Wilson's interval, the others BCa.
With fewer than FEWEST true documents in some category nothing covers what it promises, since 0/0 counts as 0 in
resamples that lack the category.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rubricate.measures.intervals.cells import CountCells
from rubricate.measures.intervals.corrected import bca, cell_influence
from rubricate.measures.intervals.interval import Interval, wilson
from rubricate.measures.intervals.studentized import ratio_parts, studentized
from rubricate.measures.intervals.summaries import summary
from rubricate.types import Floats, Undefined

__all__ = ["FEWEST", "cell_interval", "cell_intervals", "few_positives"]

FEWEST = 5
"""True documents that every category needs for an interval of a macro-average: below it BCa covered .6–.9."""


def few_positives(cells: CountCells) -> int:
    """Return the number of categories that have true documents, but fewer than FEWEST."""
    true = cells.observed().true[0]
    return int(((true > 0) & (true < FEWEST)).sum())


def cell_interval(
    cells: CountCells, name: str, weights: Any, *, level: float = 0.95, undefined: Undefined = "zero"
) -> tuple[Interval, Floats]:
    """Return the interval of a measure and its values in resamples, given as weights of the patterns."""
    measure, whole = summary(name), cells.observed()
    sizes, value = cells.sizes.astype(np.float64), float(measure(whole, undefined)[0])
    parts = ratio_parts(cells, name) if undefined == "zero" else None
    if parts is not None:
        interval, drawn = studentized(parts, sizes, weights, level=level)
        return _around(value, interval), drawn
    drawn = measure(cells.sums(weights), undefined)
    if name == "accuracy":
        return wilson(round(float(whole.exact[0])), cells.documents, level=level), drawn
    return _around(value, bca(value, drawn, cell_influence(cells, measure, undefined), sizes, level=level)), drawn


def _around(value: float, interval: Interval) -> Interval:
    """Return the interval, widened where it does not hold the value itself, and not beyond 1.

    With many categories of few documents resamples lose categories, and an interval that corrects for it can lie wholly
    above the value; a reader would take that for an error.
    """
    if math.isnan(value) or math.isnan(interval.low):
        return interval
    return replace(interval, low=min(interval.low, value), high=min(max(interval.high, value), 1.0))


def cell_intervals(
    cells: CountCells,
    names: Sequence[str],
    *,
    draws: int,
    rng: np.random.Generator,
    level: float = 0.95,
    undefined: Undefined = "zero",
) -> dict[str, tuple[float, Interval, Floats]]:
    """Return value, interval and values in the resamples of each measure, all from the same draws of the cells."""
    weights, whole = cells.drawn(draws, rng), cells.observed()
    estimates = {}
    for name in names:
        interval, drawn = cell_interval(cells, name, weights, level=level, undefined=undefined)
        estimates[name] = float(summary(name)(whole, undefined)[0]), interval, drawn
    return estimates
