"""Expected cuts of categories that a classifier learned after its cuts, from their numbers of documents.

Cuts rise or fall with the size of a category: the votes of neighbours, the prior of naive Bayes and the length of a
prototype do. So the expected cut of a category with n_c documents is

    a + b · ln(1 + n_c)        within the lowest and the highest cut known

a and b fitted by least squares to the finite cuts of the categories that had documents; for fewer than three of them,
or all of one size, their median. docs/guides/strangers.md compares figures with other ways.
"""

from __future__ import annotations

import numpy as np

from rubricate.labels import CategoryGrowth
from rubricate.types import Floats

__all__ = ["with_expected_cuts"]

FEWEST = 3
"""Categories that a line is fitted to, at least: through two it would follow their noise."""


def with_expected_cuts(cuts: Floats, growth: CategoryGrowth) -> Floats:
    """Return the cuts of known categories, and of those that get their first documents the expected ones.

    A category without documents is cut at +inf, as is every new one where no cut is known.
    """
    grown: Floats = growth.placed(cuts, np.inf)
    known, new = (growth.held > 0) & np.isfinite(grown), growth.new
    grown[new] = _expected(np.log1p(growth.held[known]), grown[known], np.log1p(growth.more[new]))
    return grown


def _expected(sizes: Floats, cuts: Floats, wanted: Floats) -> Floats:
    if not len(cuts):
        return np.full(len(wanted), np.inf)
    spread = sizes - sizes.mean()
    if len(cuts) < FEWEST or not spread.any():
        return np.full(len(wanted), np.median(cuts))
    b = (spread @ (cuts - cuts.mean())) / (spread @ spread)
    return np.clip(cuts.mean() + b * (wanted - sizes.mean()), cuts.min(), cuts.max())
