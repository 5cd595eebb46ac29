"""What is chosen and judged by out-of-fold scores: an option, its cut, and the figures of the whole procedure.

One set of folds serves everything: the choice among options, the cuts, the cross-validated figures and the
confidence. The figures are of the whole procedure: for each fold, option and cut are chosen by the out-of-fold
scores of the other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.engines import run_tasks
from rubricate.folds import in_order, out_of_fold, splits, take_rows
from rubricate.labels import CategoryGrowth
from rubricate.measures import abstention_curve, counts, macro, micro
from rubricate.training.confidence import Confidence, exactly_right
from rubricate.training.confidence_scores import offsets
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Choice", "CrossValidationResult", "choose", "climb", "cross_fit", "fit_cut", "judge", "selection_score"]

MACRO_SHARE = 0.25
"""The weight of macro-F1 beside micro-F1 when options are compared; the same as in the default cut."""
POINTS = 1000
"""Points of the coverage–error curve that are kept."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The number of the chosen option, its fitted cut, and the worths of those tried (empty for a single one)."""

    option: int
    cut: Any
    selection_scores: tuple[float, ...] = ()


def fit_cut(cut: Any, scores: Any, labels: Sparse) -> Any:
    """Return a fitted copy of a threshold."""
    return clone(cut).fit(scores if cut.needs_scores else None, labels)


def selection_score(decided: Sparse, labels: Sparse) -> float:
    """Return micro-F1 + ¼ macro-F1, what options are chosen by."""
    table = counts(labels, decided)
    return micro("f1", table) + MACRO_SHARE * macro("f1", table)


def climb(first: range, count: int, worth_of: Callable[[int], float]) -> list[int]:
    """Return the options looked at on the way from two neighbours to one that is better than its neighbours.

    The next one on the better side is looked at until one is not better; of equals the lower one counts as better.

    >>> climb(range(1, 3), 5, [0.7, 0.8, 0.9, 0.85, 0.95].__getitem__)
    [1, 2, 3]
    """
    low, high = first
    rises = worth_of(high) > worth_of(low)
    tried, (at, ahead) = [*first], (high, 1) if rises else (low, -1)
    while 0 <= at + ahead < count:
        tried.append(at + ahead)
        if worth_of(at + ahead) < worth_of(at) or (rises and worth_of(at + ahead) == worth_of(at)):
            break
        at += ahead
    return sorted(tried)


def choose(cut: Any, scores: Sequence[Any], labels: Sparse) -> Choice:
    """Choose the option that does best at a cut learned from its scores; of equals the first."""
    cuts = [fit_cut(cut, each, labels) for each in scores]
    if len(cuts) == 1:
        return Choice(0, cuts[0])
    selection_scores = [selection_score(fitted.decide(each), labels) for fitted, each in zip(cuts, scores, strict=True)]
    best = int(np.argmax(selection_scores))
    return Choice(best, cuts[best], tuple(selection_scores))


@dataclass(frozen=True, eq=False)
class CrossValidationResult:
    """Out-of-fold decisions beside the labels, the offsets from the cuts, and the outcome of each document.

    `chances` are each document's chance to be exactly right, by a `Confidence` learned from the other folds;
    `confidence` is learned from all.
    """

    labels: Sparse
    decided: Sparse
    offsets: Any
    right: Bools
    chances: Floats
    confidence: Confidence

    def figures(self, folds: int) -> dict[str, Any]:
        """Return micro-F1, macro-F1, error, the share decided exactly right, documents and folds."""
        table = counts(self.labels, self.decided)
        return {
            "micro_f1": micro("f1", table),
            "macro_f1": macro("f1", table),
            "error": micro("error", table),
            "exactly_right": float(np.mean(self.right)),
            "documents": int(self.labels.shape[0]),
            "folds": folds,
        }

    def grown(self, growth: CategoryGrowth) -> CrossValidationResult:
        """Return the same of more categories, which no document had and none was given."""

        def moved(matrix: Any, missing: Any) -> Any:
            shape = (matrix.shape[0], growth.labels.shape[1])
            if sparse.issparse(matrix):
                wider = sparse.csr_array((matrix.data, growth.places[matrix.indices], matrix.indptr), shape=shape)
                wider.sort_indices()
                return wider
            whole = np.full(shape, missing, dtype=matrix.dtype)
            whole[:, growth.places] = matrix
            return whole

        labels, decided = moved(self.labels, False), moved(self.decided, False)
        return replace(self, labels=labels, decided=decided, offsets=moved(self.offsets, -np.inf))

    def coverage(self) -> dict[str, Floats]:
        """Return the error among the documents answered by how many are, as at most 1,000 points."""
        curve = abstention_curve(self.chances, np.where(self.right, 0.0, 1.0))
        kept = np.unique(np.linspace(0, len(curve.error) - 1, POINTS).round().astype(int))
        return {name: getattr(curve, name)[kept] for name in ("confidence", "coverage", "error")}


def cross_fit(cut: Any, scores: Sequence[Any], labels: Sparse, *, folds: Ints) -> tuple[Sparse, Any]:
    """Decide each fold by the option and cut that the other folds choose; return decisions and offsets from the cuts.

    >>> from scipy import sparse
    >>> from rubricate.thresholds.scut import Scut
    >>> labels = sparse.csr_array(np.array([[1, 0], [0, 1]] * 4, dtype=bool))
    >>> decided, _ = cross_fit(Scut(), [labels.toarray() * 1.0], labels, folds=np.arange(8) // 4)
    >>> (decided != labels).nnz
    0
    """

    def work(kept: Ints, held: Ints) -> tuple[Sparse, Any]:
        choice = choose(cut, [take_rows(each, kept) for each in scores], labels[kept])
        mine = take_rows(scores[choice.option], held)
        return choice.cut.decide(mine), offsets(mine, choice.cut)

    return out_of_fold(work, folds)


def judge(cut: Any, scores: Sequence[Any], labels: Sparse, *, folds: Ints) -> CrossValidationResult:
    """Judge the whole procedure on documents that it had not seen, from the out-of-fold scores of every option."""
    decided, apart = cross_fit(cut, scores, labels, folds=folds)
    right = exactly_right(decided, labels)

    def learned(task: tuple[Ints, Ints] | None) -> tuple[Confidence, Floats | None]:
        if task is None:
            return Confidence().fit(apart, labels, right), None
        kept, held = task
        confidence = Confidence().fit(apart[kept], labels[kept], right[kept])
        return confidence, confidence.predict(apart[held])

    # That of all documents is one more task beside those of the folds.
    tasks = splits(folds)
    (confidence, _), *others = run_tasks(learned, [None, *tasks], engine="threads")
    chances = in_order([(held, chances) for (_, held), (_, chances) in zip(tasks, others, strict=True)])
    return CrossValidationResult(labels, decided, apart, right, chances, confidence)
