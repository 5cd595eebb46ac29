"""Information gain of a term over all categories."""

from __future__ import annotations

import numpy as np

from rubricate.text.occurrences import ContingencyTables, by_category
from rubricate.types import Floats

__all__ = ["information_gain"]


@by_category("sum")
def information_gain(table: ContingencyTables) -> Floats:
    """G(t) = - Σ P(c) ln P(c) + P(t) Σ P(c|t) ln P(c|t) + P(¬t) Σ P(c|¬t) ln P(c|¬t), in nats. yang1997, equation 1.

    The categories are summed; a cell is what one category adds, which is never below 0. Where each document has one
    category, G is the entropy of the category less what is left of it when the term is known. Where documents have
    several, the sum is taken as the paper prints it. 0 ln 0 is 0, and so is the part of documents with (without) a
    term that all (no) documents have. Cost: terms × categories, in blocks.
    """
    absent = table.N - table.term
    gain = _entropy(table.category / table.N) - _share(table.A, table.term, table.N)
    gain = gain - _share(table.category - table.A, absent, table.N)
    # The parts cancel exactly for a term that tells nothing; what rounding leaves must not order such terms.
    gain[np.abs(gain) < 1e-15] = 0.0
    return gain


def _entropy(p: Floats) -> Floats:
    return -p * np.log(np.where(p > 0, p, 1.0))


def _share(joint: Floats, given: Floats, documents: float) -> Floats:
    """Return P(part) times the entropy of the category among the documents of that part."""
    return given / documents * _entropy(joint / np.where(given > 0, given, 1.0))
