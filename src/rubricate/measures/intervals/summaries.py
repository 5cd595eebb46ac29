"""The measures of whole tables by name, vectorised over resamples: `micro_f1`, `macro_f1`, `accuracy`, `kappa`, …

| name | what it is |
|---|---|
| `micro_*`, `macro_*` | precision, recall, F1 over all decisions, or as the mean over the categories |
| `weighted_f1` | mean of the categories' F1, weighted by their true documents |
| `accuracy` | documents whose answer is exactly right: class accuracy with one label each, else subset accuracy |
| `balanced_accuracy` | mean recall of the categories that have true documents |
| `mcc`, `kappa` | single-label data: Matthews' correlation of K classes (gorodkin2004), Cohen's kappa (cohen1960) |

A document without an answer, or whose answer is no category, is of one further class, which is never true.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rubricate.errors import UnknownName
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.intervals.cells import CountSums
from rubricate.types import Floats, Undefined

__all__ = ["SUMMARIES", "Summary", "summary"]

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
