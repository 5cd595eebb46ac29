"""χ² of term and category."""

from __future__ import annotations

import numpy as np

from rubricate.text.occurrences import ContingencyTables, by_category
from rubricate.types import Floats

__all__ = ["chi2"]


@by_category("max")
def chi2(table: ContingencyTables) -> Floats:
    """Compute χ²(t, c) = N (AD - CB)² / ((A + C)(B + D)(A + B)(C + D)), Pearson's statistic of the 2 × 2 table.

    yangliu1999, section 5.1, after yang1997, equation 4. A term or category of no document or of every document
    makes the denominator 0: the score is 0, for it tells nothing. Cost: terms × categories, in blocks.
    scikit-learn's chi2 sums over the documents with the term alone: it is this value times (C + D) / N.
    """
    # AD - CB = N A - (A + B)(A + C), and the margins are known: no table of B, C or D is needed.
    numerator = table.N * table.A - table.term * table.category
    rows = table.term * (table.N - table.term) / table.N
    denominator = rows * (table.category * (table.N - table.category))
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.square(numerator, out=numerator)
        scores /= denominator
    scores[denominator == 0] = 0.0
    return scores
