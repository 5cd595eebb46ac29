"""In how many documents a term occurs."""

from __future__ import annotations

import numpy as np

from rubricate.text.occurrences import Occurrences
from rubricate.types import Floats

__all__ = ["document_frequency"]


def document_frequency(occurrences: Occurrences, by: str | None = None) -> Floats:
    """Count DF(t) = A + B, the same for every category: `by` does not matter. yang1997, section 2.1. Cost: one pass."""
    return np.bincount(occurrences.present.indices, minlength=occurrences.present.shape[1]).astype(np.float64)
