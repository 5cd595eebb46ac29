"""The measures of whole tables by name, vectorised over resamples: `micro_f1`, `macro_f1`, `accuracy`, `kappa`, …

| name | what it is |
|---|---|
| `micro_*`, `macro_*` | precision, recall, F1 over all decisions, or as the mean over the categories |
| `weighted_f1` | mean of the categories' F1, weighted by their true documents |
| `accuracy` | documents whose answer is exactly right: class accuracy with one label each, else subset accuracy |
| `balanced_accuracy` | mean recall of the categories that have true documents |
| `mcc`, `kappa` | single-label data: Matthews' correlation of K classes (gorodkin2004), Cohen's kappa (cohen1960) |

A document without an answer, or whose answer is no category, is of one further class, which is never true.

Averages of precision, recall and F1 have studentized intervals, accuracy has Wilson's, the others BCa. With fewer than
MIN_TRUE true documents in some category nothing covers what it promises, because 0/0 counts as 0 in resamples that lack
the category.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.errors import UnknownName
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.intervals.interval import Interval, bca, studentized, wilson
from rubricate.measures.intervals.resampling import CountSums, Patterns
from rubricate.native.measures import as_rows
from rubricate.native.resampling import ratio_errors
from rubricate.types import Floats, Ints, Sparse, Undefined

__all__ = [
    "MIN_TRUE", "SUMMARIES", "Summary", "count_rare", "influence", "ratios", "summary", "summary_interval",
]  # fmt: skip

MIN_TRUE = 5
"""True documents that every category needs for an interval of a macro-average: below it BCa covered .6–.9."""

STEP = 1e-5
"""Share of the weight that a finite difference moves to a pattern: its error is of the same order, relatively."""

MAX_CELLS = 2_000_000
"""Patterns × categories that are moved at a time."""

Summary = Callable[[CountSums, Undefined], Floats]


def _mean(values: Floats) -> Floats:
    """Average over the categories, NaN left out; 0 where none is left."""
    kept = ~np.isnan(values)
    return ratio(np.where(kept, values, 0.0).sum(axis=-1), kept.sum(axis=-1), "zero")


def _micro(above: Callable[[CountSums], Floats], below: Callable[[CountSums], Floats]) -> Summary:
    return lambda s, undefined: ratio(above(s), below(s), undefined)


def _assigned(s: CountSums) -> Floats:
    return np.asarray(s.assigned.sum(axis=-1) + s.outside)


def _true(s: CountSums) -> Floats:
    return np.asarray(s.true.sum(axis=-1))


def _hits(s: CountSums) -> Floats:
    return np.asarray(s.tp.sum(axis=-1))


def _f1(s: CountSums, undefined: Undefined) -> Floats:
    return ratio(2 * s.tp, s.true + s.assigned, undefined)


def _weighted_f1(s: CountSums, undefined: Undefined) -> Floats:
    values = _f1(s, undefined)
    return ratio((np.nan_to_num(values) * s.true).sum(axis=-1), (s.true * ~np.isnan(values)).sum(axis=-1), undefined)


def _balanced(s: CountSums, undefined: Undefined) -> Floats:
    values = ratio(s.tp, s.true, "omit")
    kept = ~np.isnan(values)
    return ratio(np.where(kept, values, 0.0).sum(axis=-1), kept.sum(axis=-1), undefined)


def _chance(s: CountSums) -> tuple[Floats, Floats, Floats]:
    """Return Σ p·t, n² − Σ p², n² − Σ t² of predicted and true classes; what is no category is one more class."""
    other = s.n - s.assigned.sum(axis=-1)
    both = (s.assigned * s.true).sum(axis=-1)
    of_answers = s.n**2 - (s.assigned**2).sum(axis=-1) - other**2
    return both, of_answers, s.n**2 - (s.true**2).sum(axis=-1)


def _mcc(s: CountSums, undefined: Undefined) -> Floats:
    both, of_answers, of_truth = _chance(s)
    spread = np.sqrt(np.maximum(of_answers, 0.0) * np.maximum(of_truth, 0.0))
    return ratio(_hits(s) * s.n - both, spread, undefined)


def _kappa(s: CountSums, undefined: Undefined) -> Floats:
    both, _, _ = _chance(s)
    return ratio(_hits(s) * s.n - both, s.n**2 - both, undefined)


SUMMARIES: dict[str, Summary] = {
    "micro_f1": _micro(lambda s: 2 * _hits(s), lambda s: _true(s) + _assigned(s)),
    "macro_f1": lambda s, undefined: _mean(_f1(s, undefined)),
    "accuracy": _micro(lambda s: s.exact, lambda s: s.n),
    "micro_precision": _micro(_hits, _assigned),
    "micro_recall": _micro(_hits, _true),
    "macro_precision": lambda s, undefined: _mean(ratio(s.tp, s.assigned, undefined)),
    "macro_recall": lambda s, undefined: _mean(ratio(s.tp, s.true, undefined)),
    "weighted_f1": _weighted_f1,
    "balanced_accuracy": _balanced,
    "mcc": _mcc,
    "kappa": _kappa,
}
"""Every measure of a whole table; larger is better for each of them."""


def summary(name: str) -> Summary:
    """Return a measure of whole tables by its name."""
    if name not in SUMMARIES:
        raise UnknownName("measure of systems", name, SUMMARIES)
    return SUMMARIES[name]


class Ratios(NamedTuple):
    """A mean of ratios of sums: what a document of each pattern adds to numerators and denominators."""

    above: Sparse
    below: Sparse

    def drawn(self, weights: Ints) -> tuple[Floats, Floats]:
        """Return the mean ratio and its standard error in draws, given as weights (draws × patterns)."""
        counts = np.ascontiguousarray(np.atleast_2d(weights).T, np.int32)
        return ratio_errors(as_rows(self.above), as_rows(self.below), counts, self.above.shape[1])

    def influence(self, sizes: Ints) -> Floats:
        """Return the influence of one document of each pattern: n · mean over c of (x_c − R_c · y_c) / Y_c."""
        top, bottom = (np.asarray(sizes @ part, np.float64) for part in self)
        inverse = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=bottom > 0)
        factor = int(sizes.sum()) / max(self.above.shape[1], 1)
        return np.asarray((self.above @ inverse - self.below @ (top * inverse**2)) * factor, np.float64)


def ratios(patterns: Patterns[CountSums], name: str) -> Ratios | None:
    """Return accuracy, or a micro- or macro-average of precision, recall or F1, as ratios; None for other measures."""
    adds, (average, _, measure) = patterns.adds, name.partition("_")
    if name == "accuracy":
        return Ratios(*(sparse.csr_array(part[:, None]) for part in (adds.exact, adds.n)))
    if average not in ("micro", "macro") or measure not in ("f1", "precision", "recall"):
        return None
    above, below = {
        "f1": (2 * adds.tp, adds.true + adds.assigned),
        "precision": (adds.tp, adds.assigned),
        "recall": (adds.tp, adds.true),
    }[measure]
    if average == "macro":
        return Ratios(sparse.csr_array(above), sparse.csr_array(below))
    top, bottom = (np.asarray(part.sum(axis=1)).ravel() for part in (above, below))
    bottom = bottom + (adds.outside if measure != "recall" else 0.0)
    return Ratios(*(sparse.csr_array(part[:, None]) for part in (top, bottom)))


def influence(patterns: Patterns[CountSums], measure: Summary, undefined: Undefined = "zero") -> Floats:
    """Return the influence of one document of each pattern on a measure: its derivative by weight, times n.

    By finite differences (1 − ε)F + ε·δ, so that any measure of counts has one. efron1993, chapter 21.
    """
    whole, n = patterns.observed(), patterns.documents
    value, step = float(measure(whole, undefined)[0]), max(1, MAX_CELLS // max(whole.tp.shape[1], 1))
    parts = []
    for start in range(0, len(patterns.sizes), step):
        each: list[Any] = [part[start : start + step] for part in patterns.adds]
        dense = (part.toarray() if sparse.issparse(part) else part for part in each)
        moved = ((1 - STEP) * total + STEP * n * part for total, part in zip(whole, dense, strict=True))
        parts.append((measure(CountSums(*moved), undefined) - value) / STEP)
    return np.nan_to_num(np.concatenate(parts))


def count_rare(patterns: Patterns[CountSums]) -> int:
    """Return the number of categories that have true documents, but fewer than MIN_TRUE."""
    true = patterns.observed().true[0]
    return int(((true > 0) & (true < MIN_TRUE)).sum())


def summary_interval(
    patterns: Patterns[CountSums], name: str, weights: Any, *, level: float = 0.95, undefined: Undefined = "zero"
) -> tuple[Interval, Floats]:
    """Return the interval of a measure and its values in draws, given as weights of the patterns."""
    measure, whole, sizes = summary(name), patterns.observed(), patterns.sizes
    value = float(measure(whole, undefined)[0])
    if name == "accuracy":
        drawn = measure(patterns.sums(weights), undefined)
        return wilson(round(float(whole.exact[0])), patterns.documents, level=level), drawn
    parts = ratios(patterns, name) if undefined == "zero" else None
    if parts is not None:
        (own, error), (drawn, errors) = (parts.drawn(each) for each in (sizes, weights))
        interval = studentized((float(own[0]), float(error[0])), drawn, errors, level=level)
    else:
        drawn = measure(patterns.sums(weights), undefined)
        interval = bca(value, drawn, influence(patterns, measure, undefined), sizes=sizes, level=level)
    return _around(value, interval), drawn


def _around(value: float, interval: Interval) -> Interval:
    """Return the interval, widened if it does not hold the value itself, and not beyond 1.

    With many categories of few documents resamples lose categories, and an interval that corrects for it can lie wholly
    above the value; a reader would take that for an error.
    """
    if math.isnan(value) or math.isnan(interval.low):
        return interval
    return replace(interval, low=min(interval.low, value), high=min(max(interval.high, value), 1.0))
