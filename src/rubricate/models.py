"""What learns and what has learned, as packages below `categorizer` use it. `rubricate.types` has both names too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from rubricate.types import Ints, Run, Signature

__all__ = ["AnyClassifier", "FittedModel"]

AnyClassifier: TypeAlias = Any
"""A classifier with scikit-learn's methods: ours, scikit-learn's own, a pipeline. scikit-learn has no types to name."""


class FittedModel(Protocol):
    """A fitted `Categorizer`, for packages that it is built on and that cannot import it."""

    representation: str | None
    weights: Any
    cut: Any
    seed: int
    ids_: Sequence[str]
    categories_: tuple[str, ...]
    train_counts_: Ints
    single_label_: bool
    cut_: Any
    limit_: int | None
    model_: Any
    """The fitted `Model`."""

    @property
    def classifier_(self) -> AnyClassifier:
        """Fitted classifier; None where every category is empty or full."""

    @property
    def cross_validated(self) -> Mapping[str, Any] | None:
        """Cross-validated figures; None without folds."""

    def recalibrated(self, model: Any, cut: Any) -> Self:
        """Return a copy that holds another fitted model, of this cut."""

    def run(self, X: Any) -> Run:
        """Score and decide on documents."""

    def answers(self, X: Any) -> Sequence[Any]:
        """Return an `Answer` for each document."""

    def top_terms(self, category: str, limit: int) -> list[str]:
        """Return the terms that speak most for a category."""

    def signature(self) -> Signature:
        """Return where the numbers of the model come from."""

    def save(self, path: str | Path) -> Path:
        """Write the model to one file."""
