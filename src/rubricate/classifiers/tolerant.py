"""A tolerant descent: children can recover the error of a parent."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from rubricate.classifiers import _scorer
from rubricate.classifiers._hier_chances import FLOOR, learn_slope, path_chances
from rubricate.classifiers._hier_descent import check_descent, explain_weakest, keep_links
from rubricate.classifiers._hier_groups import per_parent
from rubricate.classifiers._hier_machines import default_base, held_out, learn_machines
from rubricate.classifiers._hier_nodes import column_names, place_labels, read_tree
from rubricate.classifiers._scorer import Scorer
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.types import Evidence, Floats, Sparse

__all__ = ["Tolerant"]


class Tolerant(Scorer):
    """Chances multiplied along paths, with a beam (the future work of sunlim2001, section 6).

    The classifiers are those of `TopDown`; instead of refusing, each gives the chance that the document goes on:

        P(c) = P(stay at c) · Π over the path of P(link),    P = σ(a · margin)

    or, where every training document has exactly one label (`choose="best"`), the softmax of a · score over the
    choices at a node. The score is log M − log(1 − M), above 0 where M > ½, and M is P ("product") or the geometric
    mean of its factors ("mean"): a parent that refuses by little is then outvoted by a child that is sure, and deep
    categories are not at a disadvantage. Where one category is chosen, the product lets the child outvote it too. The
    slope a has the least log-loss on held-out scores.

    base         any classifier of a label matrix, ours or scikit-learn's; None: a linear SVM with C = 2
    combine      "product", "mean", or None: "product" with choose="best", else "mean"
    beam         nodes of each level that a document may go on from, beside those with P > ½; None: all
    slope        None: learned by `folds` further trainings; or a number
    choose       "best", "all", or None: "best" where every training document has exactly one label
    taxonomy, categories, select, seed, engine   as of `TopDown`

    `predict_proba` gives P of each category for each document alone; no other document of a batch has a say. Cost:
    1 + folds trainings of `TopDown`; a document visits up to `beam` nodes a level, against about one in `TopDown`.
    Edge cases: a category that the beam never reached has log P = −30; on a graph the likeliest path counts.

    >>> X = np.repeat(np.eye(4), 4, axis=0)
    >>> tree = [("crude", "ship"), ("crude", "gas"), ("grain", "corn")]
    >>> y = np.repeat(["crude", "ship", "gas", "corn"], 4)
    >>> Tolerant(taxonomy=tree).fit(X, y).predict(np.eye(4)).tolist()
    ['crude', 'ship', 'gas', 'corn']
    """

    def __init__(
        self,
        base: Any = None,
        *,
        combine: Literal["product", "mean"] | None = None,
        beam: int | None = 5,
        slope: float | None = None,
        choose: Literal["best", "all"] | None = None,
        taxonomy: Sequence[tuple[Any, Any]] | None = None,
        categories: Sequence[str] | None = None,
        select: Any = None,
        folds: int = 3,
        seed: int = 0,
        engine: Engine | str = "serial",
    ) -> None:
        self.base = base
        self.combine = combine
        self.beam = beam
        self.slope = slope
        self.choose = choose
        self.taxonomy = taxonomy
        self.categories = categories
        self.select = select
        self.folds = folds
        self.seed = seed
        self.engine = engine

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # no sample weights, as not every base has them
        """Learn from vectors and their labels: a column of classes, or a matrix documents × categories."""
        return super().fit(X, y)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        names = column_names(self)
        places = place_labels(labels, read_tree(self.taxonomy, names, self.categories or names), names)
        problems, base = per_parent(places, np.arange(places.documents)), default_base(self.base)
        learn_machines(self, X, problems.groups, base)
        keep_links(self, problems)
        self.problem_cuts_, self.rank_ = np.zeros(problems.count), 0
        one_label = bool((np.diff(labels.indptr) == 1).all())
        self.single_ = self.choose == "best" or (self.choose is None and one_label)
        self.slope_ = 1.0 if self.slope is None else float(self.slope)
        if self.slope is None:
            scores = held_out(self, X, problems.groups, base, folds=self.folds, seed=self.seed)
            self.slope_ = learn_slope(problems.groups, scores, self.learned_, single=self.single_)

    def _check(self) -> None:
        if self.combine not in ("product", "mean", None):
            raise InvalidInput(f"Tolerant: combine must be 'product', 'mean' or None, got {self.combine!r}")
        if self.choose not in ("best", "all", None):
            raise InvalidInput(f"Tolerant: choose must be 'best', 'all' or None, got {self.choose!r}")
        if self.beam is not None and (not isinstance(self.beam, Integral) or self.beam < 1):
            raise InvalidInput(f"Tolerant: beam must be None or a whole number from 1 on, got {self.beam!r}")
        if self.slope is not None and not 0 < self.slope < np.inf:
            raise InvalidInput(f"Tolerant: slope must be None or a number above 0, got {self.slope!r}")
        if not isinstance(self.folds, Integral) or self.folds < 2:
            raise InvalidInput(f"Tolerant: folds must be a whole number from 2 on, got {self.folds!r}")

    def _logs(self, X: Any, *, mean: bool) -> Floats:
        """Log P, or its mean over the factors, documents × categories."""
        size = max(1, _scorer.BLOCK // len(self.nodes_))
        parts = []
        for start in range(0, max(X.shape[0], 1), size):
            _, stay, length = path_chances(self, X[start : start + size])
            if mean:
                inner = np.diff(self.child_starts_)[:, None] > 0
                stay = np.where(stay > FLOOR, stay / np.maximum(length + inner, 1), FLOOR)
            parts.append(stay[self.columns_].T)
        return np.minimum(np.vstack(parts), -1e-13)

    def _score(self, X: Any) -> Floats:
        logs = self._logs(X, mean=self.combine == "mean" or (self.combine is None and not self.single_))
        scores: Floats = logs - np.log(-np.expm1(logs))
        return scores

    def predict_proba(self, X: Any) -> Floats:
        """P(category | document), the product; for a one-dimensional y the classes of each document sum to 1."""
        chances = np.exp(self._logs(self._take_vectors(X), mean=False))
        return chances if self.multilabel_ else chances / chances.sum(axis=1, keepdims=True)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """The terms at the weakest classifier of the path."""
        return explain_weakest(self, X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if hasattr(self, "classes_"):
            check_descent(self)
