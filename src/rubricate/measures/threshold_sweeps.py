"""Families of cuts: the contingency table at every threshold of a ranking, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.measures.contingency import f1
from rubricate.measures.definition import Measure, measure, resolve, undefined_value
from rubricate.measures.true_ranks import rankings, score_values
from rubricate.native.measures import rank_labels
from rubricate.types import Counts, Floats, Ints, Sparse, Undefined

__all__ = [
    "Abstention",
    "BreakEven",
    "Sweep",
    "abstention",
    "abstention_curve",
    "best_cut",
    "break_even",
    "break_even_point",
    "optimal_f1",
    "pooled_sweep",
    "sweep",
    "sweeps",
]


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


@dataclass(frozen=True)
class BreakEven:
    """A break-even point: its value, whether it had to be interpolated, and the cut it was read at (-1: none)."""

    value: float
    interpolated: bool
    cut: int


def break_even_point(cuts: Counts, *, undefined: Undefined = "zero") -> BreakEven:
    """Find the break-even point of a family of cuts. yang1999, section 3.3; evaluation2011, section 3.

    Precision equals recall where as much is assigned as is true (FP = FN): a true break-even point. Where no cut of
    the family assigns exactly so much, the mean of precision and recall at the cut where they are nearest to each
    other, flagged as interpolated. Cuts without a true positive have P = R = 0 and count as break-even points only if
    they assign exactly as much as is true. Of several, the highest. 0/0 when nothing is true; 0 (interpolated) when
    no cut has a true positive. A family may be the thresholds of one ranking, or the settings of a way of cutting:
    x of Pcut, t of Rcut, an offset to Scut; then each entry is a summed table (`measures.family`).

    >>> cuts = Counts(*(np.array(cells) for cells in ([1, 2], [0, 1], [1, 0], [3, 2])))
    >>> break_even_point(cuts)
    BreakEven(value=0.8333333333333333, interpolated=True, cut=1)
    """
    tp, assigned, true = cuts.tp, cuts.tp + cuts.fp, cuts.tp + cuts.fn
    if not len(tp) or not true.any():
        return BreakEven(undefined_value(undefined), False, -1)
    exact = np.flatnonzero((assigned == true) & (true > 0))
    if len(exact):
        best = int(exact[np.argmax(tp[exact] / true[exact])])
        return BreakEven(float(tp[best] / true[best]), False, best)
    usable = np.flatnonzero(tp > 0)
    if not len(usable):
        return BreakEven(0.0, True, -1)
    p, r = tp[usable] / assigned[usable], tp[usable] / true[usable]
    best = int(np.lexsort((-(p + r), np.abs(p - r)))[0])
    return BreakEven(float((p[best] + r[best]) / 2), True, int(usable[best]))


@measure("break_even", "cuts", "BEP")
def break_even(cuts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return P = R among the cuts of a family, else the mean of the nearest pair. yang1999, section 3.3.

    `measures.break_even_point` states the rules, and says which of the two it is and at which cut.
    """
    return np.array([break_even_point(cuts, undefined=undefined).value])


@measure("optimal_f1", "cuts", "optF1")
def optimal_f1(cuts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return max F1 over a family of cuts: what the best threshold in hindsight would give. yang1999, section 3.3.

    A true break-even point is one value of F1 and so never exceeds it; an interpolated one may. 0/0 when nothing
    is true (then no cut is better than to assign nothing, which is 0/0 itself).
    """
    if not len(cuts) or not (cuts.tp + cuts.fn).any():
        return np.array([undefined_value(undefined)])
    return f1(cuts)[[best_cut(cuts)]]


@dataclass(frozen=True, eq=False)
class Abstention:
    """Coverage and error of answering only where the confidence is `confidence[k]` or more, one entry per level k."""

    confidence: Floats
    coverage: Floats
    error: Floats

    @property
    def area(self) -> float:
        """Average the error over the coverage from 0 to 1 (area under the risk-coverage curve); NaN without items.

        Items of one confidence are answered together, each counted with the error at the end of its tie.
        """
        return float(np.sum(np.diff(self.coverage, prepend=0.0) * self.error)) if len(self.error) else float("nan")


def abstention_curve(confidence: Floats, wrong: Floats) -> Abstention:
    """Draw the curve of any confidence: `wrong` is the loss of each item (1 or 0, or a share of its decisions).

    elyaniv2010. Cost: n log n.

    >>> abstention_curve(np.array([0.9, 0.6, 0.8]), np.array([0, 1, 0])).error.round(2).tolist()
    [0.0, 0.0, 0.33]
    """
    sure, loss = np.asarray(confidence, np.float64), np.asarray(wrong, np.float64)
    if sure.shape != loss.shape or sure.ndim != 1 or np.isnan(sure).any() or np.isnan(loss).any():
        raise InvalidInput("confidence and loss must be two lists of numbers of the same length, without NaN")
    order = np.argsort(-sure, kind="stable")
    last = np.flatnonzero(np.append(sure[order][1:] != sure[order][:-1], True)) if len(order) else order
    answered = last + 1
    return Abstention(sure[order][last], answered / max(len(order), 1), np.cumsum(loss[order])[last] / answered)


def abstention(scores: Any, truth: Sparse) -> Abstention:
    """Draw the curve of a system that answers with its best category, as sure as that category scores.

    The answer is wrong when the category is none of the document's; where several tie for the best, the share of
    them that are wrong. A document without a label is always answered wrongly.
    """
    sure, wrong = [], []
    for block in rankings(scores, truth, "document"):
        best = _best(block)
        above, rank, _ = rank_labels(block._replace(label_starts=np.arange(len(best) + 1), labels=best))
        row = np.repeat(np.arange(len(best)), np.diff(block.label_starts))
        true = np.bincount(row[block.labels == best[row]], minlength=len(best))
        sure.append(best)
        wrong.append(1.0 - true / (rank - above))
    return abstention_curve(*(np.concatenate(part) if part else np.zeros(0) for part in (sure, wrong)))


def _best(block: Any) -> Floats:
    """Return the highest score of each ranking."""
    sizes = np.diff(block.starts)
    best = np.full(len(sizes), -np.inf)
    np.maximum.at(best, np.repeat(np.arange(len(sizes)), sizes), block.values)
    return np.where(sizes < block.items, np.maximum(best, block.floor), best)
