"""Families of cuts: the contingency table at every threshold of a ranking, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.measures.definition.catalogue import resolve
from rubricate.measures.definition.measure import Measure
from rubricate.measures.rankings.scores import rankings, score_values
from rubricate.types import Counts, Floats, Ints, Sparse, Undefined

__all__ = ["Sweep", "best_cut", "pooled_sweep", "sweep", "sweeps"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Every cut of one ranking: entry k of `counts` is the table of assigning what scores `thresholds[k]` or more.

    The thresholds are the distinct scores, descending; items of one score are assigned together. What scores -inf
    is never assigned.
    """

    thresholds: Floats
    counts: Counts


def sweep(values: Floats, *, labels: Floats, missing: int = 0, floor: float = -np.inf) -> Sweep:
    """Cut one ranking everywhere, given its listed scores, the scores of its true items, and what is not listed.

    Cost: n log n for n listed scores.
    """
    ascending = np.sort(values)
    changes = np.ones(len(ascending), bool)
    np.not_equal(ascending[1:], ascending[:-1], out=changes[1:])
    first = np.flatnonzero(changes)
    thresholds, assigned = ascending[first], len(ascending) - first
    if missing:
        thresholds, assigned = _with_floor(thresholds, assigned, missing=missing, floor=floor)
    kept = thresholds > -np.inf
    thresholds, assigned = thresholds[kept][::-1], assigned[kept][::-1].astype(np.int64)
    positives, items = len(labels), len(values) + missing
    tp = (positives - np.searchsorted(np.sort(labels), thresholds)).astype(np.int64)
    return Sweep(thresholds, Counts(tp, assigned - tp, positives - tp, items - positives - assigned + tp))


def _with_floor(thresholds: Floats, assigned: Ints, *, missing: int, floor: float) -> tuple[Floats, Ints]:
    """Insert the floor among the ascending thresholds; `missing` more items are assigned from there down."""
    place = int(np.searchsorted(thresholds, floor))
    if place == len(thresholds) or thresholds[place] != floor:
        above = assigned[place] if place < len(assigned) else 0
        thresholds, assigned = np.insert(thresholds, place, floor), np.insert(assigned, place, above)
    return thresholds, assigned + np.where(thresholds <= floor, missing, 0)


def sweeps(scores: Any, truth: Sparse) -> Iterator[Sweep]:
    """Yield the cuts of each category over the documents."""
    for block in rankings(scores, truth, "category"):
        for row in range(len(block.starts) - 1):
            listed = block.values[block.starts[row] : block.starts[row + 1]]
            labels = block.labels[block.label_starts[row] : block.label_starts[row + 1]]
            yield sweep(listed, labels=labels, missing=block.items - len(listed), floor=block.floor)


def pooled_sweep(scores: Any, truth: Sparse) -> Sweep:
    """Cut all pairs of document and category by one global threshold: the family of micro-averages."""
    values, floor = score_values(scores)
    stored = values.data if sparse.issparse(values) else values.ravel()
    labels = [block.labels for block in rankings(scores, truth, "document")]
    return sweep(
        np.asarray(stored, np.float64),
        labels=np.concatenate(labels) if labels else np.zeros(0),
        missing=int(np.prod(values.shape, dtype=np.int64)) - len(stored),
        floor=floor,
    )


def best_cut(cuts: Counts, measure: str | Measure[...] = "f1", *, undefined: Undefined = "zero") -> int:
    """Return the position of the best cut by a measure of counts; the first of equals, so the highest threshold.

    >>> from rubricate.labels import indicator
    >>> sweep = pooled_sweep([[0.9, 0.8, 0.1]], indicator([[1, 1, 0]]))
    >>> sweep.thresholds[best_cut(sweep.counts)].item()
    0.8
    """
    chosen = resolve(measure)
    values = chosen(cuts, undefined=undefined)
    if not len(values) or np.isnan(values).all():
        raise InvalidInput("there is no cut to choose from; give at least one, with a measure defined for it")
    return int(np.nanargmax(values) if chosen.greater_is_better else np.nanargmin(values))
