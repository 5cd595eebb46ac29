"""Sleeping experts: on-line learning over phrases. yang1999, section 2; cohensinger1999; freund1997."""

from __future__ import annotations

from itertools import pairwise
from numbers import Real
from typing import Any, Self

import numpy as np

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.batches import take_batch
from rubricate.classifiers.category_terms import present_terms
from rubricate.errors import InvalidInput
from rubricate.native.networks import ExpertPool, learn_experts, score_experts
from rubricate.native.sparse import Lists
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["Experts"]

FIRST_CAPACITY = 16
"""Places of an empty pool."""


@classifier("experts")
class Experts(Scorer):
    """Every phrase met in a category is an expert for it, asleep on documents without the phrase.

    Each expert has a weight for and one against the category. The score of a document is the share of the weight for it
    among the experts that are awake, F / (F + A); then the side that was wrong is multiplied by β, and the weights are
    scaled so that those awake have the sum they had (native/experts.c has the formulas).

    The columns of X are the phrases; a value above 0 says that the document has it. For the sparse phrases of
    cohensinger1999, up to four words in a window of four, make the columns by `Analyzer(ngrams=(1, 4), window=4)`.

    One pass, document after document: the order matters. `partial_fit` goes on where the last call ended and gives what
    one `fit` with all documents gives; `progressive` does so too and gives the scores that each document had before
    it was learned, an honest judgement without a test set (progressive validation). Categories may turn up in the
    middle of the stream: the result is as if they had been known from the start.

    Learned, one per phrase: `seen_` (documents with it), `first_`, `length_`, `room_` (its block of experts); one per
    expert: `category_`, `favour_`, `against_`; `size_`, the places taken. An expert takes 20 bytes, and there are at
    most as many as pairs of a phrase and a category that met in a document; `fit` leaves no room to spare, a stream has
    up to eight times the room. Cost: two visits of each expert that is awake.

    A row of zeros, a category without documents and a document without a phrase of the category score 0; `predict`
    takes scores above 1/2 (multi-label) or the best. Differs from cohensinger1999: an expert is made by the first
    document *of the category* with its phrase, not by the first document; the weight for it is then β to the power of
    the documents with the phrase before, as if it had been wrong on each. Weights stay above 1e-300.

    Parameters
    ----------
    beta : what an expert keeps of its weight when it was wrong, above 0 and below 1; .5 in cohensinger1999, but .3 is
        better in cross-validation (docs/methods/experts.md).

    Examples
    --------
    >>> experts = Experts(beta=0.5).partial_fit([[1, 1, 0], [0, 1, 1]], ["corn", "gold"])
    >>> experts.progressive([[1, 0, 0], [0, 0, 1]], ["corn", "tin"]).round(2).tolist()
    [[0.67, 0.0, 0.0], [0.0, 0.67, 0.0]]
    >>> experts.categories_
    ('corn', 'gold', 'tin')
    """

    learns_on = True
    _natural_cut = 0.5
    seen_: Floats
    first_: Ints
    length_: Ints
    room_: Ints
    category_: Any
    favour_: Floats
    against_: Floats
    size_: Ints

    def __init__(self, beta: float = 0.3) -> None:
        self.beta = beta

    def partial_fit(self, X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn further documents of a stream, in their order.

        y may bring new categories, which get columns behind the known ones: classes not met before, or further columns
        of a label matrix. `classes` names all classes that a single-label y may have, also those still to come; then
        others are an error, as in scikit-learn.
        """
        X, labels, weights = take_batch(self, X, y, classes=classes, sample_weight=sample_weight)
        self._go_on(X, labels, weights)
        return self

    def progressive(self, X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Floats:
        """Learn further documents; return the scores that each had before, documents × categories."""
        X, labels, weights = take_batch(self, X, y, classes=classes, sample_weight=sample_weight)
        scores = np.zeros(labels.shape)
        self._go_on(X, labels, weights, scores=scores)
        return scores

    def check_state(self) -> None:
        """Raise ValueError for learned arrays that do not fit together (of a model read from a file)."""
        if not hasattr(self, "classes_"):
            return
        _check_pool(self._pool(), columns=self.n_features_in_, categories=len(self.classes_))

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._keep(empty_pool(X.shape[1]))
        self._go_on(X, labels, weights)
        self._keep(compact_pool(self._pool()))

    def _go_on(self, X: Any, labels: Sparse, weights: Floats | None, *, scores: Floats | None = None) -> None:
        """Learn further documents; fill `scores`, where given, with what each scored before."""
        if not (isinstance(self.beta, Real) and 0 < self.beta < 1):
            raise InvalidInput(f"beta must be above 0 and below 1, got {self.beta!r}; 0.3 and 0.5 are usual")
        if not hasattr(self, "seen_"):
            self._keep(empty_pool(X.shape[1]))
        weights = np.ones(X.shape[0]) if weights is None else weights
        pool = ExpertPool(*(np.require(part, requirements="W") for part in self._pool()))
        own = Lists(labels.indptr.astype(np.int64), labels.indices.astype(np.int32))
        options = {"beta": float(self.beta), "categories": labels.shape[1], "scores": scores}
        self._keep(learn_experts(_phrases(X), own, weights, pool, **options))

    def _score(self, X: Any) -> Floats:
        return score_experts(_phrases(X), self._pool(), len(self.classes_))

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the experts awake, each with its part in 2 · score − 1: (for − against) / all awake."""
        starts, terms = present_terms(X)
        return [self._voices(terms[a:b], category, limit) for a, b in pairwise(starts)]

    def _voices(self, held: Ints, category: int, limit: int) -> list[Evidence]:
        places = [range(self.first_[w], self.first_[w] + self.length_[w]) for w in held]
        awake = [(w, i) for w, own in zip(held, places, strict=True) for i in own if self.category_[i] == category]
        total = sum(float(self.favour_[i] + self.against_[i]) for _, i in awake)
        voices = [
            Evidence(
                "term",
                int(w),
                float(self.favour_[i] - self.against_[i]) / total,
                detail=f"{self.favour_[i]:.3g} for, {self.against_[i]:.3g} against",
            )
            for w, i in awake
        ]
        return sorted(voices, key=lambda voice: -abs(voice.weight))[:limit]

    def _pool(self) -> ExpertPool:
        return ExpertPool(*(getattr(self, f"{part}_") for part in ExpertPool._fields))

    def _keep(self, pool: ExpertPool) -> None:
        for part, array in pool._asdict().items():
            setattr(self, f"{part}_", array)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the checks' data are above 0 everywhere: all phrases present
        return tags


def empty_pool(phrases: int) -> ExpertPool:
    """Return a pool without experts."""
    first, length, room = (np.zeros(phrases, np.int64) for _ in range(3))
    category, favour, against = (np.zeros(FIRST_CAPACITY, dtype) for dtype in (np.int32, np.float64, np.float64))
    return ExpertPool(np.zeros(phrases), first, length, room, category, favour, against, np.zeros(1, np.int64))


def compact_pool(pool: ExpertPool) -> ExpertPool:
    """Return the pool without spare places, the blocks in the order of the phrases, categories ascending."""
    length = pool.length
    starts, total = np.cumsum(length) - length, int(length.sum())
    places = np.repeat(pool.first - starts, length) + np.arange(total)
    # Categories ascending, so that pools with the same experts are equal arrays.
    places = places[np.lexsort((pool.category[places], np.repeat(np.arange(len(starts)), length)))]
    category, favour, against = (part[places] for part in (pool.category, pool.favour, pool.against))
    return ExpertPool(pool.seen, starts, length, length.copy(), category, favour, against, np.full(1, total))


def _phrases(X: Any) -> Lists:
    starts, terms = present_terms(X)
    return Lists(starts, terms.astype(np.int32))


def _check_pool(pool: ExpertPool, *, columns: int, categories: int) -> None:
    """Raise ValueError for arrays whose places leave the pool, or whose weights add up to 0 or overflow."""
    _check_shapes(pool, columns)
    _check_places(pool, categories)
    _check_weights(pool)


def _check_shapes(pool: ExpertPool, columns: int) -> None:
    seen, first, length, room, category, favour, against, size = pool
    if any(part.shape != (columns,) for part in (seen, first, length, room)):
        raise ValueError(f"seen_, first_, length_ and room_ must have one entry for each of {columns} columns")
    if category.ndim != 1 or any(part.shape != category.shape for part in (favour, against)) or size.shape != (1,):
        raise ValueError("category_, favour_ and against_ must have one entry per expert, size_ one in all")
    if any(part.dtype != np.int64 for part in (first, length, room, size)) or category.dtype != np.int32:
        raise ValueError("places must be 64-bit and categories 32-bit whole numbers")
    if any(part.dtype != np.float64 or not (np.isfinite(part) & (part >= 0)).all() for part in (seen, favour, against)):
        raise ValueError("seen_, favour_ and against_ must be finite numbers from 0")


def _check_places(pool: ExpertPool, categories: int) -> None:
    _, first, length, room, category, _, _, size = pool
    taken = int(size[0])
    if not 0 <= taken <= len(category) or np.any((first < 0) | (length < 0) | (room < length) | (first > taken - room)):
        raise ValueError("a block of experts leaves the places taken")
    if np.any((category < 0) | (category >= categories)):
        raise ValueError(f"an expert for a category beyond the {categories}")


def _check_weights(pool: ExpertPool) -> None:
    _, first, length, _, category, favour, against, _ = pool
    steps = np.zeros(len(category) + 1, np.int64)
    np.add.at(steps, first, length > 0)
    np.add.at(steps, first + length, -(length > 0).astype(np.int64))
    owners = np.cumsum(steps[:-1])
    if np.any(owners > 1):
        raise ValueError("two phrases share an expert")
    if np.any(np.minimum(favour, against)[owners == 1] <= 0):
        raise ValueError("an expert has a weight of 0")
    with np.errstate(over="ignore"):
        if not np.isfinite(favour.sum() + against.sum()):
            raise ValueError("the weights of the experts are too large to be added up")
