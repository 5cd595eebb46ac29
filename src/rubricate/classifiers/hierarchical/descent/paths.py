"""What the classifiers that descend a hierarchy have in common once they are fitted."""

from __future__ import annotations

from typing import Any

from sklearn.utils.metaestimators import available_if

from rubricate.classifiers.hierarchical.descent.descent import check_descent, explain_weakest, path_scores
from rubricate.classifiers.hierarchical.descent.probabilities import (
    coverage_of_paths,
    gives_probability,
    labels_of_paths,
)
from rubricate.types import Evidence, Floats

__all__ = ["Descending"]


class Descending:
    """Scores, probabilities, reasons and checks of a descent; beside `Scorer`, with what `keep_links` leaves."""

    _take_vectors: Any

    def _score(self, X: Any) -> Floats:
        return path_scores(self, X)

    @available_if(gives_probability)
    def predict_proba(self, X: Any) -> Floats:
        """P(category | document), a product along the path; for a one-dimensional y the classes sum to 1."""
        return labels_of_paths(self, self._take_vectors(X), beam=getattr(self, "beam", None))

    @available_if(gives_probability)
    def coverage_proba(self, X: Any) -> Floats:
        """The chance that the document lies in each node of `nodes_` or below it, documents × nodes."""
        return coverage_of_paths(self, self._take_vectors(X), beam=getattr(self, "beam", None))

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """The terms at the weakest classifier of the path."""
        return explain_weakest(self, X, category, limit)

    def check_state(self) -> None:
        """Raise ValueError where what was learned does not fit together."""
        if hasattr(self, "classes_"):
            check_descent(self)
