"""Learning with folds: scores of documents that the classifier has not seen, and what is chosen and judged by them.

One set of folds serves everything: the choice among candidate classifiers, the cuts, the cross-validated figures and
the confidence. The figures are of the whole procedure: for each fold, candidate and cut are chosen by the
out-of-fold scores of the other folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.engines import Engine, run_tasks
from rubricate.folds import _rows as rows_of
from rubricate.measures import counts, macro, micro
from rubricate.training.confidence import Confidence, exactly_right, offsets
from rubricate.training.scoring import blocks, gathered, some_rows
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Judged", "choose", "fit_cut", "judge", "out_of_fold", "worth"]

MACRO_SHARE = 0.25
"""The weight of macro-F1 beside micro-F1 when candidates are compared; that of the default cut."""


def out_of_fold(
    part: Any,
    rows: Any,
    labels: Sparse,
    candidates: Sequence[Any],
    *,
    folds: Ints,
    engine: Engine | str,
    limit: int | None,
) -> list[Any]:
    """For each candidate the score of each document from a classifier trained on the other folds.

    `part` turns rows into vectors and is fitted on the same training part. Cost: folds × candidates trainings.
    """

    def one(fold: int) -> tuple[Ints, list[Any]]:
        held, kept = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        shape = clone(part)
        X, own = shape.fit_transform(rows_of(rows, kept), labels[kept]), labels[kept]
        Z = shape.transform(rows_of(rows, held))
        fitted = (clone(candidate).fit(X, own) for candidate in candidates)
        return held, [gathered(list(blocks(one, Z, limit)), labels.shape[1]) for one in fitted]

    found = run_tasks(one, [int(k) for k in np.unique(folds)], engine=engine)
    back = np.argsort(np.concatenate([held for held, _ in found]), kind="stable")
    return [
        some_rows(gathered([parts[c] for _, parts in found], labels.shape[1]), back) for c in range(len(candidates))
    ]


def fit_cut(cut: Any, scores: Any, labels: Sparse) -> Any:
    """A fitted copy of a threshold."""
    return clone(cut).fit(scores if cut.needs_scores else None, labels)


def worth(decided: Sparse, labels: Sparse) -> float:
    """micro-F1 + ¼ macro-F1, what candidates are chosen by."""
    table = counts(labels, decided)
    return micro("f1", table) + MACRO_SHARE * macro("f1", table)


def choose(cut: Any, scores: Sequence[Any], labels: Sparse) -> tuple[int, Any]:
    """The candidate that does best at cuts learned from its scores, and that cut; of equals the first."""
    cuts = [fit_cut(cut, each, labels) for each in scores]
    if len(cuts) == 1:
        return 0, cuts[0]
    values = [worth(one.decide(each), labels) for one, each in zip(cuts, scores, strict=True)]
    chosen = int(np.argmax(values))
    return chosen, cuts[chosen]


@dataclass(frozen=True, eq=False)
class Judged:
    """What was decided of each document by those who had not seen it, the offsets from their cuts, and the outcome.

    `confidence` is each document's chance by a `Confidence` learned from the other folds.
    """

    decided: Sparse
    offsets: Any
    right: Bools
    confidence: Floats


def judge(cut: Any, scores: Sequence[Any], labels: Sparse, folds: Ints) -> Judged:
    """Decide each fold by the candidate and cut that the other folds' out-of-fold scores choose."""
    parts = [_decide_fold(cut, scores, labels, folds == fold) for fold in np.unique(folds)]
    back = np.argsort(np.concatenate([np.flatnonzero(folds == fold) for fold in np.unique(folds)]), kind="stable")
    decided = sparse.csr_array(sparse.vstack([part[0] for part in parts]))[back]
    stack = sparse.vstack if sparse.issparse(parts[0][1]) else np.vstack
    found, right = stack([part[1] for part in parts])[back], exactly_right(decided, labels)
    sure = np.empty(labels.shape[0])
    for fold in np.unique(folds):
        kept, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        sure[held] = Confidence().fit(found[kept], labels[kept], right[kept]).predict(found[held])
    return Judged(decided, found, right, sure)


def _decide_fold(cut: Any, scores: Sequence[Any], labels: Sparse, held: Bools) -> tuple[Sparse, Any]:
    """Decisions and offsets of one fold."""
    others = np.flatnonzero(~held)
    chosen, fitted = choose(cut, [some_rows(each, others) for each in scores], labels[others])
    mine = some_rows(scores[chosen], np.flatnonzero(held))
    return fitted.decide(mine), offsets(mine, fitted)
