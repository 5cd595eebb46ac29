"""What every threshold shares: the contract, and decisions at learned cuts.

A threshold is a file with a class derived from `Threshold`: parameters by keyword, and

    fit(scores, labels) -> self      scores of documents that the classifier has not seen, and their labels
    decide(scores) -> csr_array      boolean, documents × categories

A threshold declares what it needs, on the class or as a property:

    needs_scores      `fit` reads the scores; else it takes None for them
    needs_labels      `fit` learns something from the labels
    needs_whole_set   the decision on a document depends on the documents decided with it, so that `decide` must get
                      all documents at once; others may be decided in blocks

A threshold with one cut for each category leaves them in `cuts_`; a document gets a category when its score is at least
the cut. A score of -inf never gets the category, one of +inf always does; NaN is an error. `shorthand` names the
parameter behind the colon of `"rcut:2"` and how its text is read; `folds` and `seeds` say out of how many folds, and
how many times, whoever trains the classifier should make scores for `fit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth
from rubricate.thresholds.decisions import CategoryThresholds, with_expected_cuts
from rubricate.types import Sparse

__all__ = ["Threshold", "decide", "resolve"]


class Threshold(CategoryThresholds, BaseEstimator):
    """A way of turning scores into decisions."""

    needs_scores: ClassVar[bool] = True
    needs_labels: ClassVar[bool] = True
    needs_whole_set: ClassVar[bool] = False
    shorthand: ClassVar[tuple[str, Callable[[str], Any]]]
    folds: int = 5
    seeds: int = 1

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn from held-out scores and labels, documents × categories."""
        raise NotImplementedError

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        check_is_fitted(self)
        return super().decide(scores)

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over what several fits of this threshold learned: the median of each cut (of an even number, the mean
        of the middle two)."""
        self.cuts_ = np.median([fit.cuts_ for fit in fitted], axis=0)
        return self

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy for a classifier that has learned further documents, some of them of new categories.

        What was learned stays. A new category has no held-out score to learn a cut from: it gets the one that goes with
        its number of documents (`cutting.expected_cuts`).
        """
        grown = copy(self)
        if hasattr(self, "cuts_"):
            grown.cuts_ = with_expected_cuts(self.cuts_, growth)
        return grown


def resolve(cut: str | float | Threshold) -> Threshold:
    """Return an unfitted threshold from a name with one argument, a number (a fixed cut), or a copy of an object.

    The argument is t of `"rcut:2"`, x of `"pcut:1.2"`, fbr of `"scut:0.3"`, the cut of `"fixed:0.5"`, the weight of
    `"micro_macro:0.5"`, the rank of `"rank_limit:10"`; without one the default stands. A number as text, as a command
    line has it, is the number.

    >>> resolve("rcut:2"), resolve(0.5), resolve("0.5")
    (Rcut(t=2), FixedCut(cut=0.5), FixedCut(cut=0.5))
    """
    if isinstance(cut, str):
        return _named(f"fixed:{cut}" if _is_number(cut) else cut)
    if isinstance(cut, Real) and not isinstance(cut, bool):
        return registry.load("thresholds", "fixed")(cut=float(cut))
    if callable(getattr(cut, "decide", None)) and not isinstance(cut, type):
        return clone(cut)
    raise InvalidInput(f"expected a threshold such as 'scut' or rb.thresholds.Rcut(t=2), or a number; got {cut!r}")


def decide(scores: Any, cut: str | float | Threshold, *, held_out: tuple[Any, Any] | None = None) -> Sparse:
    """Decide on scores by a threshold, which learns first where held-out (scores, labels) are given.

    Decisions are a boolean `csr_array`, documents × categories.

    >>> decide([[0.1, 0.7, 0.4], [0.6, 0.2, 0.5]], "rcut:1").toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    chosen = resolve(cut)
    if held_out is not None:
        chosen.fit(*held_out)
    return chosen.decide(scores)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _named(text: str) -> Threshold:
    name, argument = registry.parse(text)
    plugin: Any = registry.load("thresholds", name)
    if argument is None:
        return plugin()
    parameter, read = plugin.shorthand
    try:
        return plugin(**{parameter: read(argument)})
    except ValueError:
        wanted = "a whole number" if read is int else "a number"
        example = f"{name}:{getattr(plugin(), parameter)}"
        raise InvalidInput(f"{text!r}: {parameter} must be {wanted}, as in '{example}'") from None
