"""A classifier that knows how near categories are to each other, by the hierarchy or by their documents."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.hierarchical.groups import Group
from rubricate.classifiers.hierarchical.nodes import Layout
from rubricate.classifiers.hierarchical.probabilities import learn_slope, log_chances
from rubricate.classifiers.hierarchical.scorers import Hierarchical
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.hierarchy.kinship import distances
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["Proximity"]


@classifier("proximity")
class Proximity(Hierarchical, Scorer):
    """Each category by the contribution it can expect (the second future work of sunlim2001, section 6).

    With P(c') the chance of each category by one classifier for all, assigning c is expected to contribute

        E(c) = P(c) + Σ over c' ≠ c of P(c') · Con(c', c)

    where Con is what the paper's extended measures grant for an assignment of c to a document of c' (equations 12, 25):

        by="distance"     1 − dis(c', c) / accept              dis: links between them
        by="similarity"   (CS(c', c) − ACS) / (1 − ACS)        CS: cosine of the terms present in their documents

    cut off below 0. A category gains from near ones that also come into question. The score is log E − log(1 − E)
    (E cut off at 1), above 0 where E > ½; P = σ(a · s), and the slope a has the least log-loss on held-out scores.

    Deviation: negative contributions are left out, since hundreds of unlikely far categories would drown the near
    ones. With accept = 2 and a flat hierarchy every category stands alone, and the decisions are those of the base.
    `predict_proba` gives P. Sample weights as in `TopDown`. Learned: `near_` (categories × categories, sparse),
    `slope_`, `nodes_`, the machine. Cost: 1 + folds trainings of the base; pairs of categories once.

    Parameters
    ----------
    base
        Any classifier, ours or scikit-learn's; None: a linear SVM with C = 2.
    by
        "distance" or "similarity".
    accept
        The acceptable distance disθ; categories as far apart as this, or farther, contribute nothing.
    slope
        None: learned by `folds` further trainings; or a number.
    taxonomy, categories, select, seed, engine
        As in `TopDown`.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 4, axis=0)
    >>> model = Proximity(taxonomy=[("crude", "ship"), ("crude", "gas")]).fit(X, np.repeat(["crude", "ship", "gas"], 4))
    >>> model.predict(np.eye(3)).tolist(), model.near_.toarray().tolist()
    (['crude', 'ship', 'gas'], [[1.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    """

    near_: Sparse
    problem_bias_: Floats

    def __init__(
        self,
        base: Any = None,
        *,
        by: Literal["distance", "similarity"] = "distance",
        accept: float = 2.0,
        slope: float | None = None,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        select: Any = None,
        folds: int = 3,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.by = by
        self.accept = accept
        self.slope = slope
        self.taxonomy = taxonomy
        self.categories = categories
        self.select = select
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        X, places = self._take_places(X, labels, weights)
        own = sparse.csr_array(places.own[:, places.columns])
        if self.by == "distance":
            self.near_ = _by_distance(places.tree, places.columns, float(self.accept))
        else:
            self.near_ = _alike(X, own)
        groups, trainer = [Group(np.arange(X.shape[0]), own.toarray(), places.weights)], self._trainer()
        machines = trainer.train(X, groups)
        self._keep(Layout.of(places), machines)
        if self.slope is None:
            scores = trainer.held_out(X, groups, folds=self.folds, seed=self.seed)
            self.slope_ = learn_slope(groups, scores, machines.learned, single=False)
        else:
            self.slope_ = float(self.slope)

    def _check(self) -> None:
        if self.by not in ("distance", "similarity"):
            raise InvalidInput(f"Proximity: by must be 'distance' or 'similarity', got {self.by!r}")
        for name, value in (("accept", self.accept), ("slope", 1.0 if self.slope is None else self.slope)):
            if not isinstance(value, Real) or not 0 < float(value) < np.inf:
                raise InvalidInput(f"Proximity: {name} must be a number above 0, got {value!r}")
        self._check_folds()

    def predict_proba(self, X: Any) -> Floats:
        """Return P(category | document) of the base; for a one-dimensional y the classes of a document sum to 1."""
        X = self._take_vectors(X)
        scores = self._machines().scores(X)
        return self._normalised(np.exp(log_chances(scores, self.slope_, False)))

    def coverage_proba(self, X: Any) -> Floats:
        """Return the chance that a document lies in each node of `nodes_` or below it, documents × nodes."""
        return self._layout().coverage(self.predict_proba(X), single=not self.multilabel_)

    def _score(self, X: Any) -> Floats:
        scores = self._machines().scores(X)
        log_p, log_q = (log_chances(signed, self.slope_, False) for signed in (scores, -scores))
        others = sparse.csr_array(self.near_ - sparse.eye_array(self.near_.shape[0]))
        gained = np.ascontiguousarray((sparse.csr_array(others.T) @ np.exp(log_p).T).T)
        gained = np.minimum(gained, (1 - 1e-9) * np.exp(log_q))
        log_odds: Floats = np.log(np.exp(log_p) + gained) - np.log(np.exp(log_q) - gained)
        return np.where(gained > 0, log_odds, log_p - log_q)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by what they add to the category's own score."""
        return self._machines().explain(X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if not hasattr(self, "classes_"):
            return
        self._check_parts()
        if self.near_.shape != 2 * (len(self.problem_bias_),) or len(self.problem_bias_) != len(self.categories_):
            raise ValueError("problems and categories do not fit together")


def _by_distance(tree: Hierarchy, nodes: Ints, accept: float) -> Sparse:
    """Return max(0, 1 − dis / accept) of all pairs, row by row; only pairs nearer than `accept` are stored."""
    rows, columns, values = [], [], []
    for k, node in enumerate(nodes):
        near = 1 - distances(tree, np.full(len(nodes), node), nodes) / accept
        close = np.flatnonzero(near > 0)
        rows.append(np.full(len(close), k))
        columns.append(close)
        values.append(near[close])
    at = (np.concatenate(rows), np.concatenate(columns))
    return sparse.csr_array((np.concatenate(values), at), shape=(len(nodes), len(nodes)))


def _alike(X: Any, labels: Sparse) -> Sparse:
    """Return max(0, (CS − ACS) / (1 − ACS)) of binary vectors: the terms in any document of a category."""
    present = sparse.csr_array(sparse.csr_array(labels.T, dtype=np.float64) @ (sparse.csr_array(X) != 0))
    present.data[:] = 1.0
    sizes = np.maximum(np.sqrt(np.diff(present.indptr)), 1.0)
    alike = (present @ present.T).toarray() / np.outer(sizes, sizes)
    m = len(alike)
    mean = (alike.sum() - np.trace(alike)) / (m * (m - 1)) if m > 1 else 0.0
    near = np.maximum((alike - mean) / (1 - mean), 0.0) if mean < 1 else np.zeros_like(alike)
    np.fill_diagonal(near, 1.0)
    return sparse.csr_array(near)
