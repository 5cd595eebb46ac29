"""CLASSI: one perceptron per category, over terms chosen for it. ng1997; yang1999, section 2 (system 5)."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer, contributions, require_whole
from rubricate.classifiers.category_terms import chosen_terms, correlation
from rubricate.classifiers.rows import binary_scale
from rubricate.engines import Engine, run_tasks, spreading
from rubricate.errors import InvalidInput, UnknownName
from rubricate.native.networks import AVERAGE, LAST, POCKET, PerceptronLesson, train_perceptron
from rubricate.native.sparse import Rows
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["CLASSI"]

KEPT = {"average": AVERAGE, "pocket": POCKET, "last": LAST}


@classifier("classi")
class CLASSI(Scorer):
    """s(x, c) = w_c·x + b_c, learned by the perceptron rule over the terms that speak most for c.

    ng1997 (CLASSI): one perceptron per category, whose inputs are the terms of the highest correlation coefficient, a
    one-sided χ² (`words/category_terms.py`). A document on the wrong side moves the weights: native/networks.c.

    Deviations: when to stop, that every pass shows all documents, and averaging, the default, are ours. The step is 1,
    since without a margin it only scales the scores. Documents are scaled to a mean squared length of 1, so that the
    margin means the same for any X.

    Learned: `coef_` (categories × columns, sparse), `intercept_`, `passes_` (a category). A sample weight scales the
    steps; a document of weight 0 is left out. A category without documents has b < 0 and no terms; a row of zeros
    scores b. `predict` takes the scores above 0. Cost: one pass over X a category, and passes × the values of its
    terms.

    Parameters
    ----------
    terms : inputs of each perceptron at most; terms of negative correlation are never used. None: all others.
    kept : which weights: "average", the mean over the whole of training; "pocket", those of the pass with the fewest
        errors on the training documents; "last".
    margin : a document moves the weights where y (w·x + b) <= margin; 0 is the perceptron.
    epochs : passes at most; training ends with one that moved nothing.
    engine : where categories are learned; the result does not depend on it.
    seed : seed of the order of the documents, which differs by pass and is the same for all categories.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    >>> CLASSI().fit(X, ["wheat", "wheat", "no", "no"]).predict(X).tolist()
    ['wheat', 'wheat', 'no', 'no']
    """

    _mirrored = True

    def __init__(
        self,
        terms: int | None = 200,
        *,
        kept: str = "average",
        margin: float = 0.0,
        epochs: int = 30,
        engine: Engine | str = "threads",
        seed: int = 0,
    ) -> None:
        self.terms = terms
        self.kept = kept
        self.margin = margin
        self.epochs = epochs
        self.engine = engine
        self.seed = seed

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        weights = np.ones(X.shape[0]) if weights is None else weights
        X = sparse.csr_array(X)
        scale = binary_scale(X.data)
        length = scale * float(np.sqrt(weights @ (X / scale).power(2).sum(axis=1) / weights.sum())) or 1.0
        most = X.shape[1] if self.terms is None else int(self.terms)
        chosen = chosen_terms(correlation(X, labels, weights), most)
        trained = self._train(X / length, sparse.csc_array(labels), weights, chosen=chosen)
        self.coef_ = _sparse_rows(chosen, [w[:-1] / length for w, _ in trained], columns=X.shape[1])
        self.intercept_ = np.array([w[-1] for w, _ in trained])
        self.passes_ = np.array([passes for _, passes in trained])

    def _train(self, X: Any, labels: Any, weights: Floats, *, chosen: list[Ints]) -> list[tuple[Floats, int]]:
        """Return the weights (bias last) and passes of each category, for documents scaled to X."""
        rows = Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float64))
        orders = [np.random.default_rng((self.seed, epoch)).permutation(X.shape[0]) for epoch in range(self.epochs)]
        turns = np.array(orders, np.int32)

        def train_category(c: int) -> tuple[Floats, int]:
            targets = np.full(X.shape[0], -1.0)
            targets[labels.indices[labels.indptr[c] : labels.indptr[c + 1]]] = 1.0
            lesson = PerceptronLesson(rows, _inputs(chosen[c], X.shape[1]), targets, weights, turns)
            return train_perceptron(lesson, margin=float(self.margin), chosen=KEPT[self.kept])

        return run_tasks(train_category, range(len(chosen)), engine=spreading() or self.engine)

    def _score(self, X: Any) -> Floats:
        scores = X @ self.coef_.T
        return (scores.toarray() if sparse.issparse(scores) else np.asarray(scores)) + self.intercept_

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by w_t x_t; together with the intercept they are the score."""
        sign, column = (2 * category - 1, 0) if self._is_mirrored() else (1, category)
        return contributions(X, sign * self.coef_[[column]].toarray()[0], limit)

    def _check(self) -> None:
        require_whole(self, "terms", 1, or_none=True)
        require_whole(self, "epochs", 1)
        require_whole(self, "seed", 0)
        if not (isinstance(self.margin, Real) and 0 <= float(self.margin) < np.inf):
            raise InvalidInput(f"CLASSI: margin must be a number of 0 or more, got {self.margin!r}")
        if str(self.kept) not in KEPT:
            raise UnknownName("kept weights", str(self.kept), KEPT)


def _sparse_rows(terms: list[Ints], values: list[Floats], *, columns: int) -> Sparse:
    """Return one row per list of terms, without stored zeros."""
    starts = np.cumsum([0, *map(len, terms)])
    matrix = sparse.csr_array((np.concatenate(values), np.concatenate(terms), starts), shape=(len(terms), columns))
    matrix.eliminate_zeros()
    return matrix


def _inputs(terms: Ints, columns: int) -> Any:
    """Return the input of each column, -1 for those that are not chosen."""
    inputs = np.full(columns, -1, np.int32)
    inputs[terms] = np.arange(len(terms), dtype=np.int32)
    return inputs
