"""Big-bang categorization: one classifier for all nodes of a hierarchy at once."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.hierarchical.groups import Group
from rubricate.classifiers.hierarchical.nodes import Layout, Places, check_numbers, check_values
from rubricate.classifiers.hierarchical.probabilities import learn_slope, log_chances
from rubricate.classifiers.hierarchical.scorers import Hierarchical, gives_probability
from rubricate.classifiers.svm import fit_sigmoids, sigmoid
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.hierarchy import ancestor_pairs
from rubricate.registry import classifier
from rubricate.types import Bools, Evidence, Floats, Ints, Sparse

__all__ = ["BigBang"]


@classifier("big_bang")
class BigBang(Hierarchical, Scorer):
    """One classifier for all categories and everything above them (the contrast of sunlim2001, section 2).

    The base learns from all documents, at once, a column for each category (is the document labelled with it?) and one
    for each node above a category (is it in the coverage?). With A(c) the nodes above c, the root left out,

        score(c) = (1 − share) · s(c) + share · mean over A(c) of s(coverage)

    and s(c) alone where A(c) is empty. `share=0` is flat categorization; so is a flat hierarchy. Every document has
    a score in every category, so that break-even points and 11-point averages can be had.

    Sample weights as in `TopDown`. Learned: `nodes_`, `columns_` (the node of each category), `above_` (problems ×
    categories: what each score weighs), `asked_` (the node of each problem), the machine. Cost: documents × nodes.

    Parameters
    ----------
    base
        Any classifier, ours or scikit-learn's; None: a linear SVM with C = 2.
    share
        Share of the nodes above in the score, from 0 to 1.
    taxonomy, categories, select, probability, folds, seed, engine
        As in `TopDown`; `select` is fitted once, on all documents.

    Examples
    --------
    >>> X = np.repeat(np.eye(4), 3, axis=0)
    >>> tree = [("crude", "ship"), ("crude", "gas"), ("grain", "corn")]
    >>> y = np.repeat(["crude", "ship", "gas", "corn"], 3)
    >>> BigBang(taxonomy=tree).fit(X, y).predict(np.eye(4)).tolist()
    ['crude', 'ship', 'gas', 'corn']
    """

    nodes_: tuple[str, ...]
    columns_: Ints
    learned_: Bools
    problem_bias_: Floats
    above_: Sparse
    asked_: Ints
    single_: bool
    slope_: float

    def __init__(
        self,
        base: Any = None,
        *,
        share: float = 0.3,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        select: Any = None,
        probability: Literal[False, "sigmoid"] = False,
        folds: int = 3,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.share = share
        self.taxonomy = taxonomy
        self.categories = categories
        self.select = select
        self.probability = probability
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        if not isinstance(self.share, Real) or not 0 <= self.share <= 1:
            raise InvalidInput(f"BigBang: share must be from 0 to 1, got {self.share!r}")
        self._check_probability()
        X, places = self._take_places(X, labels, weights)
        above = _above(places) if self.share else np.zeros(0, np.int64)
        truth = sparse.hstack([places.own[:, places.columns], places.inside[:, above]]).toarray().astype(bool)
        group = Group(np.arange(X.shape[0]), truth, places.weights)
        self._keep(Layout.of(places), self._trainer().train(X, [group]))
        self.asked_ = np.concatenate([places.columns, above])
        self.above_ = _mixing(places, above, float(self.share))
        if self.probability:
            self.single_ = places.one_label_each
            self._learn_chances(X, group)

    def _learn_chances(self, X: Any, group: Group) -> None:
        """Learn a slope where exactly one label is right, else a sigmoid for each category and each coverage."""
        (scores,) = self._trainer().held_out(X, [group], folds=self.folds, seed=self.seed)
        columns, weights = len(self.columns_), np.ones(len(scores)) if group.weights is None else group.weights
        own, above = group.labels[:, :columns], group.labels[:, columns:]
        if self.single_:
            part = Group(group.rows, own, group.weights)
            self.slope_ = learn_slope([part], [self._mixed(scores)], self.learned_[:columns], single=True)
            return
        self.sigmoid_ = fit_sigmoids(self._mixed(scores), sparse.csr_array(own), weights)
        self.coverage_sigmoid_ = fit_sigmoids(scores[:, columns:], sparse.csr_array(above), weights)

    def _mixed(self, scores: Floats) -> Floats:
        mixed: Floats = np.ascontiguousarray((sparse.csr_array(self.above_.T) @ scores.T).T)
        return mixed

    def _score(self, X: Any) -> Floats:
        return self._mixed(self._machines().scores(X))

    @available_if(gives_probability)
    def predict_proba(self, X: Any) -> Floats:
        """Return P(category | document); for a one-dimensional y the classes sum to 1."""
        X = self._take_vectors(X)
        return self._chances(self._machines().scores(X))

    def _chances(self, scores: Floats) -> Floats:
        if self.single_:
            return self._normalised(np.exp(log_chances(self._mixed(scores), self.slope_, True)))
        return sigmoid(self._mixed(scores), self.sigmoid_)

    @available_if(gives_probability)
    def coverage_proba(self, X: Any) -> Floats:
        """Return the chance that a document lies in each node of `nodes_` or below it, documents × nodes."""
        scores, layout = self._machines().scores(self._take_vectors(X)), self._layout()
        chances, columns = self._chances(scores), len(layout.columns)
        if self.single_:
            return layout.coverage(chances, single=True)
        direct = np.zeros((len(scores), len(layout.nodes)))
        direct[:, self.asked_[columns:]] = sigmoid(scores[:, columns:], self.coverage_sigmoid_)
        return layout.coverage(chances, single=False, direct=direct)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by what they add to the category's own score."""
        return self._machines().explain(X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if not hasattr(self, "classes_"):
            return
        self._check_parts()
        check_numbers(self.asked_)
        asked = self.asked_
        if len(asked) != len(self.problem_bias_) or (asked < 0).any() or (asked >= len(self.nodes_)).any():
            raise ValueError("problems and nodes do not fit together")
        if self.above_.shape != (len(self.problem_bias_), len(self.categories_)):
            raise ValueError("problems and categories do not fit together")
        if self.probability:
            self._check_chances()

    def _check_chances(self) -> None:
        """Raise ValueError where what probabilities need is missing or does not fit."""
        columns = len(self.columns_)
        sizes = {"sigmoid_": columns, "coverage_sigmoid_": len(self.asked_) - columns}
        wanted = ["slope_"] if getattr(self, "single_", False) else [*sizes]
        if not all(hasattr(self, name) for name in ("single_", *wanted)):
            raise ValueError("what probabilities need is missing")
        for name, size in sizes.items():
            if hasattr(self, name):
                check_values(getattr(self, name))
                if getattr(self, name).shape != (2, size):
                    raise ValueError("probabilities and categories do not fit together")


def _above(places: Places) -> Any:
    """Return the nodes above some category, without the root."""
    tree, marked = places.tree, places.is_category()
    above = np.zeros(len(tree), bool)
    for node in range(len(tree) - 1, 0, -1):  # children before parents
        if marked[node] or above[node]:
            above[tree.parent_ids[tree.parent_starts[node] : tree.parent_starts[node + 1]]] = True
    above[0] = False
    return np.flatnonzero(above)


def _mixing(places: Places, above: Any, share: float) -> Sparse:
    """Return the weight of each problem in the score of each category, problems × categories."""
    columns = len(places.columns)
    below, nodes = ancestor_pairs(places.tree, places.columns)
    proper = nodes != places.columns[below]
    links = (np.ones(int(proper.sum())), (nodes[proper], below[proper]))
    covers = sparse.csr_array(links, shape=(len(places.tree), columns))[above]
    many = np.asarray(covers.sum(axis=0)).ravel()
    parts = np.where(many > 0, share / np.maximum(many, 1), 0.0)
    own = sparse.diags_array(np.where(many > 0, 1 - share, 1.0), shape=(columns, columns))
    return sparse.csr_array(sparse.vstack([own, covers @ sparse.diags_array(parts)]))
