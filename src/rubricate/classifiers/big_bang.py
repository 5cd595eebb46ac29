"""Big-bang categorization: one classifier for all nodes of a hierarchy at once."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import sparse

from rubricate.classifiers._hier_descent import Scoring
from rubricate.classifiers._hier_groups import Group
from rubricate.classifiers._hier_machines import check_machines, default_base, explain_problem, learn_machines
from rubricate.classifiers._hier_nodes import Places, column_names, place_labels, read_tree
from rubricate.classifiers._scorer import Scorer
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.types import Evidence, Floats, Sparse

__all__ = ["BigBang"]


class BigBang(Scorer):
    """One classifier for all categories and everything above them (the contrast of sunlim2001, section 2).

    The base learns from all documents, at once, a column for each category (is the document labelled with it?) and one
    for each node above a category (is it in the coverage?). With A(c) the nodes above c, the root left out,

        score(c) = (1 − share) · s(c) + share · mean over A(c) of s(coverage)

    and s(c) alone where A(c) is empty. `share=0` is flat categorization; so is a flat hierarchy. Every document has
    a score in every category, so that break-even points and 11-point averages can be had.

    base         any classifier of a label matrix, ours or scikit-learn's; None: a linear SVM with C = 2
    share        of the nodes above in the score, from 0 to 1
    taxonomy, categories, select, engine   as of `TopDown`; `select` is fitted once, on all documents

    There are no sample weights. Learned: `columns_` (the node of each category), `above_` (problems × categories: what
    each score weighs), the machine. Cost: documents × nodes.

    >>> X = np.repeat(np.eye(4), 3, axis=0)
    >>> tree = [("crude", "ship"), ("crude", "gas"), ("grain", "corn")]
    >>> y = np.repeat(["crude", "ship", "gas", "corn"], 3)
    >>> BigBang(taxonomy=tree).fit(X, y).predict(np.eye(4)).tolist()
    ['crude', 'ship', 'gas', 'corn']
    """

    above_: Sparse

    def __init__(
        self,
        base: Any = None,
        *,
        share: float = 0.3,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        select: Any = None,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.share = share
        self.taxonomy = taxonomy
        self.categories = categories
        self.select = select
        self.engine = engine

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # no sample weights, as not every base has them
        """Learn from vectors and their labels: a column of classes, or a matrix documents × categories."""
        return super().fit(X, y)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        if not isinstance(self.share, Real) or not 0 <= self.share <= 1:
            raise InvalidInput(f"BigBang: share must be from 0 to 1, got {self.share!r}")
        names = column_names(self)
        places = place_labels(labels, read_tree(self.taxonomy, names, self.categories or names), names)
        above = _above(places) if self.share else np.zeros(0, np.int64)
        truth = sparse.hstack([labels, places.inside[:, above]]).toarray().astype(bool)
        learn_machines(self, X, [Group(np.arange(X.shape[0]), truth)], default_base(self.base))
        self.above_ = _mixing(places, above, float(self.share))

    def _score(self, X: Any) -> Floats:
        scoring = Scoring(self, X)
        scores = np.column_stack([scoring.problem(k) for k in range(self.above_.shape[0])])
        found: Floats = np.ascontiguousarray((sparse.csr_array(self.above_.T) @ scores.T).T)
        return found

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """The terms by what they add to the category's own score."""
        return explain_problem(self, X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if not hasattr(self, "classes_"):
            return
        check_machines(self)
        if self.above_.shape != (len(self.problem_bias_), len(self.categories_)):
            raise ValueError("problems and categories do not fit together")


def _above(places: Places) -> Any:
    """The nodes above some category, without the root."""
    reaches = np.asarray(places.tree.coverage_matrix()[:, places.columns].sum(axis=1)).ravel()
    reaches -= places.is_category()
    reaches[0] = 0
    return np.flatnonzero(reaches > 0)


def _mixing(places: Places, above: Any, share: float) -> Sparse:
    """The weight of each problem in the score of each category: problems × categories."""
    columns = len(places.columns)
    covers = sparse.csr_array(places.tree.coverage_matrix()[above][:, places.columns], dtype=np.float64)
    covers = sparse.csr_array(covers - covers.multiply(above[:, None] == places.columns[None, :]))
    covers.eliminate_zeros()
    many = np.asarray(covers.sum(axis=0)).ravel()
    parts = np.where(many > 0, share / np.maximum(many, 1), 0.0)
    own = sparse.diags_array(np.where(many > 0, 1 - share, 1.0), shape=(columns, columns))
    return sparse.csr_array(sparse.vstack([own, covers @ sparse.diags_array(parts)]))
