"""The words that the rules of a category may use: a local dictionary. apte1994."""

from __future__ import annotations

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Words
from rubricate.types import Bools, Ints

__all__ = ["most_frequent", "most_telling"]


def most_frequent(words: Words, positive: Bools, size: int) -> Ints:
    """Return the words that occur in most documents of the category, ascending; of equals the smaller column."""
    inside = words.sums(positive)
    candidates = np.flatnonzero(inside > 0)
    return np.sort(candidates[np.argsort(-inside[candidates], kind="stable")[:size]])


def most_telling(words: Words, positive: Bools, size: int) -> Ints:
    """Return the words of highest χ² among those more frequent inside than outside; of equals the smaller column.

    χ² = N (AD − CB)² / ((A + C)(B + D)(A + B)(C + D)); N and A + C, the same for all words, are left out.
    """
    inside, outside = words.sums(positive), words.sums(~positive)
    of_positive = float(words.weights[positive].sum())
    of_negative = float(words.weights[~positive].sum())
    lead = inside * (of_negative - outside) - (of_positive - inside) * outside
    spread = (inside + outside) * (of_positive + of_negative - inside - outside)
    value = np.divide(lead**2, spread, out=np.zeros(len(lead)), where=spread > 0)
    candidates = np.flatnonzero((inside > 0) & (lead >= 0))
    return np.sort(candidates[np.argsort(-value[candidates], kind="stable")[:size]])
