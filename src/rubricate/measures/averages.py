"""Micro and macro averages, trivial baselines, and results by training frequency."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.definition import Measure, resolve
from rubricate.measures.extended import Extended
from rubricate.measures.tables import canonical, total
from rubricate.types import Counts, Floats, Ints, Sparse, Undefined

__all__ = ["Band", "acceptor", "by_frequency", "guesser", "macro", "majority", "mean", "micro", "rejector"]


def micro(measure: str | Measure[...], counts: Counts | Extended, *, undefined: Undefined = "zero") -> float:
    """Apply the measure to the summed table: every decision weighs the same. yang1999, section 3.2.

    NaN when the measure is 0/0 of the sum and `undefined="omit"`.
    """
    return float(resolve(measure)(total(counts), undefined=undefined)[0])


def macro(measure: str | Measure[...], counts: Counts | Extended, *, undefined: Undefined = "zero") -> float:
    """Average the measure over the categories: every category weighs the same. yang1999, section 3.2.

    `undefined="omit"` leaves the categories out where the measure is 0/0 (NaN when none remains).
    """
    return mean(resolve(measure)(counts, undefined=undefined))


def mean(values: Floats) -> float:
    """Average the values that are not NaN, correctly rounded and so free of their order; NaN where there are none.

    >>> mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    kept = values[~np.isnan(values)]
    return math.fsum(kept) / len(kept) if len(kept) else math.nan


def rejector(truth: Sparse) -> Counts:
    """Return the tables of a system that assigns nothing. yang1999, section 3.4: 1.3 % error on Reuters v3.

    Its precision is 0/0 everywhere: 1 only under `undefined="one"`.
    """
    true = canonical(truth)
    positives = np.bincount(true.indices, minlength=true.shape[1]).astype(np.int64)
    nothing = np.zeros_like(positives)
    return Counts(tp=nothing, fp=nothing, fn=positives, tn=true.shape[0] - positives)


def acceptor(truth: Sparse) -> Counts:
    """Return the tables of a system that assigns every category to every document: recall 1, precision the prior."""
    none = rejector(truth)
    return Counts(tp=none.fn, fp=none.tn, fn=none.tp, tn=none.fp)


def majority(truth: Sparse) -> Counts:
    """Return the tables of a system that gives every document the most frequent category; the first of equal ones."""
    none = rejector(truth)
    tp, fp, fn, tn = none.tp.copy(), none.fp.copy(), none.fn.copy(), none.tn.copy()
    if len(tp):
        best = int(np.argmax(fn))
        tp[best], fp[best], fn[best], tn[best] = fn[best], tn[best], 0, 0
    return Counts(tp, fp, fn, tn)


def guesser(truth: Sparse) -> Counts:
    """Return the expected tables of a system that draws one category per document by how frequent each is."""
    none, documents = rejector(truth), truth.shape[0]
    positives = none.fn.astype(np.float64)
    share = positives / max(float(positives.sum()), 1.0)
    tp, fp = positives * share, (documents - positives) * share
    return Counts(*(part for part in (tp, fp, positives - tp, documents - positives - fp)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Band:
    """The categories with `low` to `high` training documents (both included), and the mean of their values."""

    low: int
    high: int
    categories: int
    value: float


def by_frequency(
    values: Floats, train_counts: Ints, *, bands: int = 10, low: int = 1, high: int | None = None
) -> list[Band]:
    """Average a measure over the categories in each of `bands` intervals of equal width from `low` to `high`.

    yangliu1999 draw two such curves: `high=60`, and the full range (`high=None`: the largest training count). Widths
    are whole numbers of documents, so the last interval may end beyond `high`; categories outside are left out. The
    mean of an empty interval, or of one where the measure is undefined throughout, is NaN.

    >>> import numpy as np
    >>> by_frequency(np.array([0.2, 0.4, 0.9]), np.array([1, 2, 40]), bands=2, high=40)
    [Band(low=1, high=20, categories=2, value=0.30000000000000004), Band(low=21, high=40, categories=1, value=0.9)]
    """
    if len(values) != len(train_counts):
        raise InvalidInput(
            f"{len(values)} values for {len(train_counts)} training counts; give one of each per category"
        )
    top = int(train_counts.max(initial=low)) if high is None else high
    if bands < 1 or top < low:
        raise InvalidInput(f"{bands} intervals from {low} to {top} training documents; give at least one, low to high")
    width = -(-(top - low + 1) // bands)
    edges = range(low, top + 1, width)
    inside = [(train_counts >= edge) & (train_counts < edge + width) for edge in edges]
    return [
        Band(edge, edge + width - 1, int(chosen.sum()), mean(values[chosen]))
        for edge, chosen in zip(edges, inside, strict=True)
    ]
