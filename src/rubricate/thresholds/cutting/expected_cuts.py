"""The cuts of categories that a classifier learned after its cuts: what their numbers of documents let expect.

Cuts rise or fall with the size of a category: the votes of neighbours, the prior of naive Bayes and the length of a
prototype do. So the expected cut of a category with n_c documents is

    a + b · ln(1 + n_c)        within the lowest and the highest cut known

a and b fitted by least squares to the finite cuts of the categories that had documents; for fewer than three of them,
or all of one size, their median. docs/guides/strangers.md has figures beside other ways.
"""

from __future__ import annotations

import numpy as np

from rubricate.types import Floats, Ints, Sparse

__all__ = ["with_expected_cuts"]

FEWEST = 3
"""Categories that a line is fitted to, at least: through two it would follow their noise."""


def with_expected_cuts(cuts: Floats, held: Ints, labels: Sparse) -> Floats:
    """Return the cuts of known categories, and of those that get their first documents by `labels` the expected ones.

    `held` are the documents that each known category had before. A category without any is cut at +inf, as is every
    new one where no cut is known.
    """
    more = np.bincount(labels.indices, minlength=labels.shape[1])
    before = np.pad(held, (0, len(more) - len(held)))
    grown = np.pad(cuts, (0, len(more) - len(cuts)), constant_values=np.inf)
    known = (before > 0) & np.isfinite(grown)
    new = (before == 0) & (more > 0)
    grown[new] = _expected(np.log1p(before[known]), grown[known], np.log1p(more[new]))
    return grown


def _expected(sizes: Floats, cuts: Floats, wanted: Floats) -> Floats:
    if not len(cuts):
        return np.full(len(wanted), np.inf)
    spread = sizes - sizes.mean()
    if len(cuts) < FEWEST or not spread.any():
        return np.full(len(wanted), np.median(cuts))
    b = (spread @ (cuts - cuts.mean())) / (spread @ spread)
    return np.clip(cuts.mean() + b * (wanted - sizes.mean()), cuts.min(), cuts.max())
