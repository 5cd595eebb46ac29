"""A tolerant descent: children can recover the error of a parent."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.hierarchical.descent import in_blocks
from rubricate.classifiers.hierarchical.groups import per_parent
from rubricate.classifiers.hierarchical.probabilities import FLOOR, Odds
from rubricate.classifiers.hierarchical.scorers import Descending
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.registry import classifier
from rubricate.types import Floats, Sparse

__all__ = ["Tolerant"]


@classifier("tolerant")
class Tolerant(Descending, Scorer):
    """Chances multiplied along paths, with a beam (the future work of sunlim2001, section 6).

    The classifiers are those of `TopDown`; instead of refusing, each gives the chance that the document goes on:

        P(c) = P(stay at c) · Π over the path of P(link),    P = σ(a · margin)

    or, where every training document has exactly one label (`choose="best"`), the softmax of a · score over the
    choices at a node. The score is log M − log(1 − M), above 0 where M > ½, and M is P ("product") or the geometric
    mean of its factors ("mean"): a parent that refuses by little is then outvoted by a child that is sure, and deep
    categories are not at a disadvantage. Where one category is chosen, the product lets the child outvote it too. The
    slope a has the least log-loss on held-out scores.

    `predict_proba` gives P of each category for each document alone; no other document of a batch has a say. Cost:
    1 + folds trainings of `TopDown`; a document visits up to `beam` nodes per level, against about one in `TopDown`.
    Edge cases: a category that the beam never reached has log P = −30; on a graph the likeliest path counts.

    Parameters
    ----------
    base
        Any classifier, ours or scikit-learn's; None: a linear SVM with C = 2.
    combine
        "product", "mean", or None: "product" with choose="best", else "mean".
    beam
        Nodes of each level that a document may go on from, beside those with P > ½; None: all.
    slope
        None: learned by `folds` further trainings; or a number.
    choose
        "best", "all", or None: "best" where every training document has exactly one label.
    taxonomy, categories, select, seed, engine
        As in `TopDown`.

    Examples
    --------
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

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        X, places = self._take_places(X, labels, weights)
        problems = per_parent(places, np.arange(places.documents))
        descent = self._learn_descent(X, problems)
        self._keep_descent(descent)
        single = self.choose == "best" or (self.choose is None and places.one_label_each)
        if self.slope is None:
            self._keep(self._learn_slope(X, problems, descent.machines.learned, single=single))
        else:
            self._keep(Odds(single, float(self.slope)))

    def _check(self) -> None:
        if self.combine not in ("product", "mean", None):
            raise InvalidInput(f"Tolerant: combine must be 'product', 'mean' or None, got {self.combine!r}")
        if self.choose not in ("best", "all", None):
            raise InvalidInput(f"Tolerant: choose must be 'best', 'all' or None, got {self.choose!r}")
        if self.beam is not None and (not isinstance(self.beam, Integral) or self.beam < 1):
            raise InvalidInput(f"Tolerant: beam must be None or a whole number from 1 on, got {self.beam!r}")
        if self.slope is not None and not 0 < self.slope < np.inf:
            raise InvalidInput(f"Tolerant: slope must be None or a number above 0, got {self.slope!r}")
        self._check_folds()

    def _logs(self, X: Any) -> Floats:
        """Return log M of some documents, documents × categories."""
        _, stay, length = self._path_chances(X)
        if self.combine == "mean" or (self.combine is None and not self.single_):
            inner = np.diff(self.child_starts_)[:, None] > 0
            stay = np.where(stay > FLOOR, stay / np.maximum(length + inner, 1), FLOOR)
        return stay[self.columns_].T

    def _score(self, X: Any) -> Floats:
        logs = np.minimum(in_blocks(X, self._logs, width=len(self.nodes_)), -1e-13)
        scores: Floats = logs - np.log(-np.expm1(logs))
        return scores
