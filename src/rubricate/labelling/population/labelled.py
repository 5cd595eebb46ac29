"""A labelled sample of a population, and the estimators that its design allows: stratified means and variances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["LabelledSample"]


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """Documents drawn at random within strata, and labelled by people. A uniform sample has one stratum.

    Parameters
    ----------
    rows : positions of the documents in the population.
    stratum : stratum of each document, 0, 1, …
    sizes : documents of the population in each stratum, N_h.
    labels : documents × categories, boolean.
    """

    rows: Ints
    stratum: Ints
    sizes: Ints
    labels: Sparse

    def __post_init__(self) -> None:
        if not len(self.rows):
            raise InvalidInput("no labelled document; label some of the sample first")
        empty = np.flatnonzero((self.counts == 0) & (self.sizes > 0))
        if len(empty):
            raise InvalidInput(
                f"{len(empty)} strata of the sample have no labelled document; label at least one of each stratum"
            )
        if (self.counts > self.sizes).any():
            raise InvalidInput("a stratum has more labelled documents than the population; check the sample file")

    @cached_property
    def counts(self) -> Ints:
        """Labelled documents of each stratum, n_h."""
        return np.bincount(self.stratum, minlength=len(self.sizes))

    @cached_property
    def weights(self) -> Floats:
        """Weight of each document, N_h / (N n_h); they sum to 1."""
        share = self.sizes / self.sizes.sum()
        return np.asarray((share / np.maximum(self.counts, 1))[self.stratum])

    @property
    def uniform(self) -> bool:
        """Whether there is one stratum only."""
        return len(self.sizes) == 1

    @property
    def fraction(self) -> float:
        """Share of the population that is labelled."""
        return len(self.rows) / float(self.sizes.sum())

    def mean(self, values: Floats) -> Floats:
        """Return the Horvitz–Thompson estimate of the population mean, Σ_h W_h ȳ_h. horvitz1952."""
        return np.asarray(self.weights @ values)

    def variance(self, values: Floats) -> Floats:
        """Return the variance of `mean`: Σ_h W_h² (1 − n_h / N_h) s_h² / n_h. cochran1977, equation 5.27.

        A stratum with a single labelled document borrows the spread of all documents.
        """
        total = np.zeros(np.shape(values)[1:])
        share = self.sizes / self.sizes.sum()
        overall = np.var(values, axis=0, ddof=1) if len(values) > 1 else np.zeros(np.shape(values)[1:])
        for h in np.flatnonzero(self.counts):
            own: Bools = self.stratum == h
            n, size = int(self.counts[h]), int(self.sizes[h])
            spread = np.var(values[own], axis=0, ddof=1) if n > 1 else overall
            total = total + share[h] ** 2 * (1 - n / size) * spread / n
        return np.asarray(total)

    def effective(self, domain: Floats) -> Floats:
        """Return how many documents of each domain (columns of 0 and 1) the sample is worth. kish1965, section 11.7."""
        weighted = self.weights[:, None] * domain
        squares = (weighted**2).sum(axis=0)
        return np.divide(weighted.sum(axis=0) ** 2, squares, out=np.zeros(domain.shape[1]), where=squares > 0)
