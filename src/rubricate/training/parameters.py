"""The parameters of a training: the one list that `Categorizer` and `TrainingConfig` share."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubricate.thresholds import Threshold
    from rubricate.types import AnyClassifier

__all__ = ["Parameters"]


@dataclass(eq=False, repr=False, match_args=False)
class Parameters:
    """What a training is asked for; `Categorizer` explains each parameter.

    scikit-learn reads the names from the signature that this list makes, so a new parameter is one line here.
    """

    classifier: AnyClassifier | str | None = None
    _: KW_ONLY
    analyzer: Any = None
    weights: Any = "ltc"
    select: Any = None
    min_df: int = 1
    representation: str | None = None
    vectors: Any = None
    language: str = "auto"
    cut: str | float | Threshold | None = None
    outside: float | None = None
    folds: int | None = None
    seed: int = 0
