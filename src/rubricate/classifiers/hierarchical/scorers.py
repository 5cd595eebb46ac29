"""What the classifiers of a hierarchy share: checks of parameters, training, learned parts, probabilities.

P(c) is the chance that a document is labelled with c: of a descent the product of the chances on the likeliest path
(see `chances`), of a classifier for all categories a sigmoid of the score, or the softmax of a · score where exactly
one label is right. Slopes have the least log-loss on scores of held-out documents. For a one-dimensional y the
classes of a document sum to 1. A document has the same chances in every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from rubricate.classifiers.base import Keeping
from rubricate.classifiers.category_terms import column_names
from rubricate.classifiers.hierarchical.descent import Cuts, Descent, Guards, in_blocks
from rubricate.classifiers.hierarchical.groups import Problems
from rubricate.classifiers.hierarchical.machines import Machines, Trainer, default_base
from rubricate.classifiers.hierarchical.node_thresholds import learn_cuts
from rubricate.classifiers.hierarchical.nodes import Layout, Places, check_slope, place_labels, read_tree
from rubricate.classifiers.hierarchical.probabilities import Odds, PathChances, learn_slope, path_chances
from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.types import Bools, Evidence, Floats, Ints, Sparse

__all__ = ["Descending", "Hierarchical", "gives_probability"]


def gives_probability(model: object) -> bool:
    """Return whether a model has probabilities; scikit-learn's way of saying no is an AttributeError."""
    if getattr(model, "probability", "sigmoid") == "sigmoid":
        return True
    raise AttributeError(f"{type(model).__name__} gives probabilities only when made with probability='sigmoid'")


class Hierarchical(Keeping):
    """Mixin of a `Scorer` that learns with a hierarchy; it keeps a `Layout` and `Machines`."""

    base: Any
    taxonomy: Sequence[tuple[Any, Any]] | None
    categories: Sequence[str] | None
    select: Any
    folds: int
    seed: int
    engine: Engine | str
    categories_: tuple[str, ...]
    classes_: Any
    multilabel_: bool
    n_features_in_: int
    _take_vectors: Callable[[Any], Any]

    needs_hierarchy = True
    """A `Categorizer` hands it the taxonomy of the corpus and the names of the categories."""

    def _check_folds(self) -> None:
        if not isinstance(self.folds, Integral) or self.folds < 2:
            raise InvalidInput(f"{type(self).__name__}: folds must be a whole number from 2 on, got {self.folds!r}")

    def _check_probability(self) -> None:
        probability = getattr(self, "probability", False)
        if probability not in (False, "sigmoid"):
            raise InvalidInput(f"{type(self).__name__}: probability must be False or 'sigmoid', got {probability!r}")
        self._check_folds()

    def _take_places(self, X: Any, labels: Sparse, weights: Floats | None) -> tuple[Any, Places]:
        """Return vectors and places of the documents to learn from; those that weigh nothing are left out."""
        if weights is not None:
            kept = np.flatnonzero(weights > 0)
            X, labels, weights = X[kept], labels[kept], weights[kept]
        names = column_names(self)
        tree = read_tree(self.taxonomy, names, self.categories or names)
        return X, place_labels(labels, tree, names, weights=weights)

    def _trainer(self) -> Trainer:
        return Trainer(default_base(self.base), self.select, self.engine)

    def _machines(self) -> Machines:
        return self._recall(Machines)

    def _layout(self) -> Layout:
        return self._recall(Layout)

    def _normalised(self, chances: Floats) -> Floats:
        """Return the chances of the categories; for a one-dimensional y they sum to 1."""
        return chances if self.multilabel_ else chances / chances.sum(axis=1, keepdims=True)

    def _check_parts(self) -> None:
        """Raise ValueError where machines, nodes and categories do not fit together."""
        self._machines().check(self.n_features_in_)
        self._layout().check(len(self.categories_))
        check_slope(getattr(self, "slope_", 1.0))


class Descending(Hierarchical):
    """Mixin of a `Scorer` that descends a hierarchy; it keeps a `Descent` and, for chances, `Odds`."""

    nodes_: tuple[str, ...]
    columns_: Ints
    child_starts_: Ints
    child_ids_: Ints
    learned_: Bools
    machines_: tuple[Any, ...]
    single_: bool
    slope_: float
    beam: int | None = None

    def _learn_descent(self, X: Any, problems: Problems, *, cut: Any = None) -> Descent:
        """Learn the problems and their cuts."""
        trainer = self._trainer()
        machines = trainer.train(X, problems.groups)
        cuts = learn_cuts(trainer, X, problems.groups, cut=cut, seed=self.seed)
        return Descent(Layout.of(problems.places), machines, Guards.of(problems, machines), cuts)

    def _learn_slope(self, X: Any, problems: Problems, learned: Bools, *, single: bool) -> Odds:
        """Learn how scores become chances. Cost: `folds` further trainings."""
        scores = self._trainer().held_out(X, problems.groups, folds=self.folds, seed=self.seed)
        return Odds(single, learn_slope(problems.groups, scores, learned, single=single))

    def _keep_descent(self, descent: Descent) -> None:
        self._keep(descent.layout, descent.machines, descent.guards, descent.cuts)

    def _descent(self) -> Descent:
        return Descent(self._layout(), self._machines(), self._recall(Guards), self._recall(Cuts))

    def _path_chances(self, X: Any) -> PathChances:
        return path_chances(self._descent(), X, self._recall(Odds), beam=self.beam)

    def _score(self, X: Any) -> Floats:
        return self._descent().scores(X)

    @available_if(gives_probability)
    def predict_proba(self, X: Any) -> Floats:
        """Return P(category | document), a product along the path; for a one-dimensional y the classes sum to 1."""
        return self._labels(self._take_vectors(X))

    @available_if(gives_probability)
    def coverage_proba(self, X: Any) -> Floats:
        """Return the chance that a document lies in each node of `nodes_` or below it, documents × nodes."""
        X, layout = self._take_vectors(X), self._layout()
        if self.single_:
            return layout.coverage(self._labels(X), single=True)
        return in_blocks(
            X, lambda part: layout.largest_below(np.exp(self._path_chances(part).reach)).T, width=len(layout.nodes)
        )

    def _labels(self, X: Any) -> Floats:
        """Return P of each category, documents × categories."""
        chances = in_blocks(
            X, lambda part: np.exp(self._path_chances(part).stay[self.columns_].T), width=len(self.nodes_)
        )
        return self._normalised(chances)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms at the weakest classifier of the path."""
        return self._descent().explain(X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if hasattr(self, "classes_"):
            self._descent().check(terms=self.n_features_in_, categories=len(self.categories_))
            check_slope(getattr(self, "slope_", 1.0))
