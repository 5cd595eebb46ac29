"""A stack: members of any kind, combined by their scores for documents that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers import base as scorer
from rubricate.classifiers.base import Scorer, strongest
from rubricate.classifiers.blend import (
    FLOOR,
    Blend,
    Cells,
    blend_scores,
    contributions_of,
    gather_cells,
    join_cells,
    learn_blend,
)
from rubricate.classifiers.classic.llsf import LLSF
from rubricate.classifiers.knn import KNN
from rubricate.classifiers.svm import SVM
from rubricate.engines import Engine, one_blas_thread, run_tasks
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, out_of_fold, score_matrix, splits, take_rows
from rubricate.registry import classifier
from rubricate.types import AnyClassifier, Bools, Evidence, Floats, Ints, Scores, Sparse

__all__ = ["Stack"]


@classifier("stack")
class Stack(Scorer):
    """Stacked generalisation (wolpert1992) over cells, the (document, category) pairs that come into question.

    Each member scores every training document by a clone that was trained on the other folds. A cell is a category
    among the `candidates` best of the first member, or the best sixth as many (at least one) of another, for a
    document. Two models learn from all cells whether they are labels, one for all categories:

        score = log-odds by logistic regression + log-odds by gradient boosting

    over the members' scores, their maxima in the document, Σ P(c | c')·p(c') over the other candidates c', the rank of
    the cell, the number of categories expected (Σ p), and log(n_c + 1); p is a first guess, by logistic regression on
    the scores and log(n_c + 1). Other pairs score −30, and no cell scores less.

    Learned: `members_` (fitted on all documents), `names_`, `blends_` (arrays, one tuple per seed), and
    `held_scores_` with `keep_scores`. No label of a held-out document reaches its out-of-fold scores but through the
    scores that members trained with it gave to the others. There are no sample weights.

    Edge cases: a category without documents scores −30, one that all documents have 30, for every cell. With fewer
    documents than folds each document is a fold; one document is an error. Cost: seeds · folds + 1 fits of each
    member; the second level is linear in the cells, about 15 per document.

    Parameters
    ----------
    members : classifiers, or (name, classifier) pairs: ours, or any of scikit-learn's that takes a label matrix. A
        member may be a `Pipeline` from texts, with a representation of its own; X then is texts or `Documents`. None:
        SVM(), KNN(), LLSF(ridge=1).
    candidates : categories of a document that the first member contributes as cells.
    folds : number of parts of the training documents, stratified by category.
    seeds : how often the documents are dealt to folds, from `seed` on; log-odds are averaged.
    C : cost of an error in the logistic regression.
    rounds, rate, leaves : trees, step and leaves per tree of the gradient boosting.
    keep_scores : keep the stack's own out-of-fold scores, for cuts (`out_of_fold_scores`); costs `folds` more second
        levels for each seed, and no further member.
    engine : where folds run; the result does not depend on it.

    Examples
    --------
    >>> X = np.vstack([np.eye(3), np.eye(3), np.eye(3), np.eye(3)])
    >>> Stack().fit(X, ["corn", "gold", "ship"] * 4).predict(np.eye(3)).tolist()
    ['corn', 'gold', 'ship']
    """

    members_: tuple[Any, ...]
    blends_: tuple[tuple[Any, ...], ...]

    def __init__(
        self,
        members: Sequence[Any] | None = None,
        *,
        candidates: int = 12,
        folds: int = 5,
        seeds: int = 1,
        seed: int = 0,
        C: float = 0.3,
        rounds: int = 150,
        rate: float = 0.05,
        leaves: int = 15,
        keep_scores: bool = False,
        engine: Engine | str = "threads",
    ) -> None:
        self.members = members
        self.candidates = candidates
        self.folds = folds
        self.seeds = seeds
        self.seed = seed
        self.C = C
        self.rounds = rounds
        self.rate = rate
        self.leaves = leaves
        self.keep_scores = keep_scores
        self.engine = engine

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # no sample weights, as not every member has them
        """Learn from vectors, or from texts where every member starts from them."""
        if not _are_texts(X):
            return super().fit(X, y)
        self._learn(X, self._take_labels(y, len(X)), None)
        return self

    def check_state(self) -> None:
        """Refuse learned arrays that would lead a document astray (of a model read from a file)."""
        if hasattr(self, "classes_"):
            for blend in self.blends_:
                Blend(*blend).check(len(self.members_), len(self.classes_))

    def out_of_fold_scores(self) -> tuple[Scores, ...]:
        """Return out-of-fold scores of the training documents, members and second level alike, one per seed."""
        check_is_fitted(self)
        if not self.keep_scores:
            raise InvalidInput("Stack: the out-of-fold scores were not kept; fit with keep_scores=True")
        documents = [str(i) for i in range(self.held_scores_[0].shape[0])]
        return tuple(Scores(values, self.categories_, documents, FLOOR) for values in self.held_scores_)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        rows = labels.shape[0]
        if rows < 2:
            raise InvalidInput(f"Stack: {rows} document(s) cannot be dealt to folds; give 2 documents or more")
        named = self._named()
        self.names_ = tuple(name for name, _ in named)
        models = [model for _, model in named]
        fold_ids = [
            assign_folds(labels, min(self.folds, rows), seed=seed) for seed in range(self.seed, self.seed + self.seeds)
        ]
        every = self._unseen(models, X, labels, fold_ids=fold_ids)
        # Second levels and members on all documents share no work: whatever core is free takes the next.
        second = [partial(self._blend, cells, labels, np.ones(rows, bool)) for cells in every]
        whole = [partial(_fitted, model, X, labels) for model in models]
        learned = run_tasks(_called, [*second, *whole], engine=self.engine)
        self.blends_, self.members_ = tuple(learned[: len(second)]), tuple(learned[len(second) :])
        pairs = zip(every, fold_ids, strict=True) if self.keep_scores else ()
        self.held_scores_ = tuple(self._cross_fitted(cells, labels, folds) for cells, folds in pairs)

    def _unseen(self, models: Sequence[Any], X: Any, labels: Sparse, *, fold_ids: Sequence[Ints]) -> list[Cells]:
        """Return the cells of all documents, scored by members that have not seen them, for each way of dealing."""

        def work(task: tuple[Ints, Ints]) -> Cells:
            kept, held = task
            part, known = take_rows(X, kept), labels[kept]
            return self._cells([_fitted(model, part, known) for model in models], take_rows(X, held), labels.shape[1])

        tasks = [splits(folds) for folds in fold_ids]
        results = iter(run_tasks(work, [task for part in tasks for task in part], engine=self.engine))
        return [join_cells([(held, next(results)) for _, held in part], labels.shape) for part in tasks]

    def _cells(self, fitted: Sequence[Any], X: Any, categories: int) -> Cells:
        """Return the cells of new documents, which are scored in blocks."""
        total = X.shape[0] if hasattr(X, "shape") else len(X)
        size = max(1, scorer.BLOCK // categories)
        parts = []
        for start in range(0, max(total, 1), size):
            rows = np.arange(start, min(start + size, total))
            block = take_rows(X, rows)
            parts.append((rows, gather_cells([score_matrix(model, block) for model in fitted], self.candidates)))
        return join_cells(parts, (total, categories))

    def _blend(self, cells: Cells, labels: Sparse, rows: Bools) -> Blend:
        with one_blas_thread():
            return learn_blend(
                cells, labels, rows=rows, C=self.C, rounds=self.rounds, rate=self.rate, leaves=self.leaves
            )

    def _cross_fitted(self, cells: Cells, labels: Sparse, folds: Ints) -> Sparse:
        """Return the scores of each document by a second level that has not seen it."""

        def work(kept: Ints, held: Ints) -> Sparse:
            seen = np.isin(np.arange(len(folds)), kept)
            mine = cells.of(~seen)
            return _as_matrix(mine, blend_scores(self._blend(cells, labels, seen), mine))[held]

        return out_of_fold(work, folds, engine=self.engine)

    def _score(self, X: Any) -> Floats:
        cells = self._cells(self.members_, X, len(self.categories_))
        values = np.mean([blend_scores(Blend(*blend), cells) for blend in self.blends_], axis=0)
        scores = np.full(cells.shape, FLOOR)
        scores[cells.documents, cells.categories] = values
        return scores

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return what each member, the other candidates of the document, and the trees add to the log-odds."""
        cells = self._cells(self.members_, X, len(self.categories_))
        parts = np.mean([contributions_of(Blend(*blend), cells) for blend in self.blends_], axis=0)
        names = [*self.names_, "frequency, rank and company of the category", "gradient boosting"]
        reasons_of: list[list[Evidence]] = [[] for _ in range(cells.shape[0])]
        for at in np.flatnonzero(cells.categories == category):
            reasons = strongest(range(len(names)), parts[at], limit, kind="part", names=names)
            reasons_of[cells.documents[at]] = reasons
        return reasons_of

    def _take_vectors(self, X: Any) -> Any:
        if not _are_texts(X):
            return super()._take_vectors(X)
        check_is_fitted(self)
        return X

    def _named(self) -> list[tuple[str, Any]]:
        members = [SVM(), KNN(), LLSF(ridge=1.0)] if self.members is None else list(self.members)
        pairs = [member if isinstance(member, tuple) else (None, member) for member in members]
        if not pairs:
            raise InvalidInput("Stack: no members; give at least one classifier")
        for name, model in pairs:
            if not hasattr(model, "fit"):
                raise InvalidInput(f"Stack: member {name or model!r} is not a classifier; give (name, classifier)")
        return [(name or f"{type(model).__name__} {i}", model) for i, (name, model) in enumerate(pairs, start=1)]

    def _check(self) -> None:
        for name, least in (("candidates", 1), ("folds", 2), ("seeds", 1), ("rounds", 0), ("leaves", 2)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise InvalidInput(f"Stack: {name} must be a whole number from {least} on, got {value!r}")
        for name in ("C", "rate"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < np.inf):
                raise InvalidInput(f"Stack: {name} must be a number above 0, got {value!r}")


def _are_texts(X: Any) -> bool:
    """Say whether X is `Documents`, or a column whose first entry is a text."""
    if hasattr(X, "bodies"):
        return True
    if sparse.issparse(X) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or len(X) == 0:
        return False
    return isinstance(X.iloc[0] if hasattr(X, "iloc") else X[0], str)


def _called(task: Callable[[], Any]) -> Any:
    return task()


def _fitted(model: AnyClassifier, X: Any, labels: Sparse) -> AnyClassifier:
    """Return a fitted clone; scikit-learn's own get the labels as a dense matrix, which all of them take."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    y = labels if isinstance(last, Scorer) else labels.toarray().astype(np.int64)
    return clone(model).fit(X, y)


def _as_matrix(cells: Cells, values: Floats) -> Sparse:
    starts = np.searchsorted(cells.documents, np.arange(cells.shape[0] + 1))
    return sparse.csr_array((values, cells.categories.astype(np.int32), starts), shape=cells.shape)
