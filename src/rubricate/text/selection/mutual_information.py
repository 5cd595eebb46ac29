"""Pointwise mutual information of term and category."""

from __future__ import annotations

import numpy as np

from rubricate.text.occurrences import ContingencyTables, by_category
from rubricate.types import Floats

__all__ = ["mutual_information"]


@by_category("max")
def mutual_information(table: ContingencyTables) -> Floats:
    """Compute I(t, c) = ln(A N / ((A + C)(A + B))), in nats. yang1997, equation 2.

    Where term and category never meet (A = 0) the score is 0 in place of -∞, so that means and sums stay finite; this
    holds also for a term or category of no document. Cost: terms × categories, in blocks.
    """
    expected = table.term * table.category / table.N
    met = table.A > 0
    ratio = np.divide(table.A, expected, out=np.ones_like(table.A), where=met)
    return np.log(ratio)
