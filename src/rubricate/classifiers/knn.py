"""k nearest neighbours by cosine. yangliu1999, section 3.2; yang1999, section 2.1."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Scorer, require_whole
from rubricate.classifiers.batches import take_batch
from rubricate.classifiers.neighbours import DensePoints, Postings, index_of
from rubricate.classifiers.rows import extended, unit_rows
from rubricate.errors import InvalidInput
from rubricate.native.neighbours import add_votes
from rubricate.native.sparse import Lists
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["KNN"]


@classifier("knn")
class KNN(Scorer):
    """Each of the k nearest documents votes for its categories with its cosine:

        s(x, c) = Σ_{d in kNN(x)} cos(x, d) · y(d, c)          yangliu1999, section 3.2, without the threshold b_c

    Learned: `vectors_` (documents × terms, rows of length 1) and `labels_` (documents × categories, boolean).

    The neighbours are exact. Sparse vectors are searched over postings: the cost of a query is the postings of its
    terms; dense ones (embeddings) by blocks of matrix products. Neither holds documents × documents. Equal cosines go
    to the document that was learned earlier. A row of zeros has cosine 0 with everything and scores 0 everywhere; so
    does an empty category. Cosines may be negative, and then count against a category.

    `predict` gives the best class of a single-label y; of a multi-label one, the categories with more than half of the
    neighbours' weight. There are no sample weights: they would not say how many of the k places a document takes.

    Parameters
    ----------
    k : neighbours, 45 in yangliu1999; all documents where there are fewer.
    votes : "all"; or "best": only the best category of a document keeps its score, the others get 0, which is the
        simplified kNN that yangliu1999 contrast (equal scores: the earlier category).
    threads : for queries; None for as many as there are cores. The result does not depend on it.

    Examples
    --------
    >>> knn = KNN(k=2).fit([[1, 0], [1, 1], [0, 1]], ["corn", "corn", "gold"])
    >>> knn.predict([[3, 1], [0, 2]]).tolist()
    ['corn', 'gold']
    """

    learns_on = True
    vectors_: Any
    labels_: Sparse

    def __init__(self, k: int = 45, *, votes: Literal["all", "best"] = "all", threads: int | None = None) -> None:
        self.k = k
        self.votes = votes
        self.threads = threads

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # no sample weights, see above
        """Keep the documents, their rows scaled to length 1."""
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn these documents in addition to those before, with the same result as one `fit` with all.

        y may bring new categories, which get columns behind the known ones: classes not met before, or further columns
        of a label matrix. `classes` names all classes that a single-label y may have, also those still to come; then
        others are an error, as in scikit-learn.
        """
        known = hasattr(self, "vectors_")
        X, labels, _ = take_batch(self, X, y, classes=classes)
        if not known:
            self._learn(X, labels, None)
            return self
        before = extended(self.labels_, (self.labels_.shape[0], labels.shape[1]))
        together = sparse.csr_array(sparse.vstack([before, labels]), dtype=bool)
        self._keep(_below(self.vectors_, unit_rows(X)), together)
        return self

    def update(self, X: Any, y: Any) -> Self:
        """Learn further documents, of new categories as well."""
        check_is_fitted(self)
        return self.partial_fit(X, y)

    def kneighbors(self, X: Any, k: int | None = None) -> tuple[Ints, Floats]:
        """Return the nearest documents (numbered as learned) and their cosines, queries × k, nearest first."""
        X = self._take_vectors(X)
        return self._nearest(X, _count(self.k if k is None else k))

    def predict(self, X: Any) -> Any:
        """Return the best class; for a multi-label y, every category with more than half of the neighbours' weight."""
        check_is_fitted(self)
        if not self.multilabel_ or self.votes == "best":
            return super().predict(X)
        neighbours, cosines = self._nearest(self._take_vectors(X), _count(self.k))
        decided = self._vote(neighbours, cosines) > np.maximum(cosines.sum(axis=1), 0.0)[:, None] / 2
        return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        _count(self.k)
        require_whole(self, "threads", 1, or_none=True)
        if self.votes not in ("all", "best"):
            raise InvalidInput(f'votes must be "all" or "best", got {self.votes!r}')
        self._keep(unit_rows(X), labels)

    def _keep(self, vectors: Any, labels: Sparse) -> None:
        self.vectors_, self.labels_ = vectors, labels
        self._index()

    def _score(self, X: Any) -> Floats:
        scores = self._vote(*self._nearest(X, _count(self.k)))
        if self.votes == "best" and scores.shape[1]:
            others = np.arange(scores.shape[1]) != scores.argmax(axis=1)[:, None]
            scores[others] = 0.0
        return scores

    def _vote(self, neighbours: Ints, cosines: Floats) -> Floats:
        labels = self.labels_
        lists = Lists(labels.indptr.astype(np.int64), labels.indices.astype(np.int32))
        return add_votes(neighbours, cosines, lists, categories=labels.shape[1])

    def _nearest(self, X: Any, k: int) -> tuple[Ints, Floats]:
        require_whole(self, "threads", 1, or_none=True)
        return self._index().nearest(X, min(k, self.vectors_.shape[0]), self.threads)

    def _index(self) -> Postings | DensePoints:
        """Return the index of `vectors_`, which is built with them, or when a model read from a file first needs it."""
        if getattr(self, "_indexed", None) is not self.vectors_:
            self._built, self._indexed = index_of(self.vectors_), self.vectors_
        return self._built

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the neighbours in the category, each with the cosine that it adds."""
        members = np.zeros(self.labels_.shape[0], bool)
        members[self.labels_[:, [category]].nonzero()[0]] = True
        return [
            _witnesses(neighbours, np.where(members[neighbours], cosines, 0.0), limit)
            for neighbours, cosines in zip(*self._nearest(X, _count(self.k)), strict=True)
        ]


def _witnesses(neighbours: Ints, cosines: Floats, limit: int) -> list[Evidence]:
    """Return the neighbours by what they add; those that add 0 are left out."""
    order = np.argsort(-np.abs(cosines), kind="stable")[:limit]
    return [
        Evidence("document", int(neighbours[i]), float(cosines[i]), detail=f"neighbour {i + 1} of {len(neighbours)}")
        for i in order
        if cosines[i] != 0
    ]


def _count(k: Any) -> int:
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, Integral) or k < 1:
        raise InvalidInput(f"k must be a whole number of 1 or more, got {k!r}")
    return int(k)


def _below(vectors: Any, further: Any) -> Any:
    """Return both matrices one below the other, in the form of the first."""
    if sparse.issparse(vectors):
        return sparse.csr_array(sparse.vstack([vectors, sparse.csr_array(further)]))
    return np.vstack([vectors, further.toarray() if sparse.issparse(further) else further])
