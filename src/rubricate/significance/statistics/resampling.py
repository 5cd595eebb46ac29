"""Resampled differences of micro-F1 or macro-F1 between two systems on the same documents.

F1 = 2TP / (A + T) with A the assigned and T the true labels, of all categories together (micro) or of each (macro).
All three are sums over documents, so that a resample is a matrix product: counts of patterns × what each adds.
"""

from __future__ import annotations

from itertools import product
from math import comb, prod
from typing import NamedTuple

import numpy as np
from scipy import sparse

from rubricate.errors import UnknownName
from rubricate.measures.definition.ratio import ratio
from rubricate.significance.statistics.patterns import Patterns, chunks, patterns
from rubricate.types import Floats, Ints, Sparse, Undefined

__all__ = ["AVERAGES", "PairResampler", "Swaps", "all_swaps"]

AVERAGES = ("micro_f1", "macro_f1")

# What a cell of code t + 2a + 4b adds to the true labels, those assigned by a and by b, and their true positives.
_CODE = np.arange(8)
_T, _A, _B = _CODE & 1, _CODE >> 1 & 1, _CODE >> 2 & 1
_ADDS = (_T, _A, _B, _T * _A, _T * _B)
_EXCHANGED = (_T + 2 * _B + 4 * _A).astype(np.int8)


class Swaps(NamedTuple):
    """Differences of F1 under swaps, and the chance of each; `exact` when they are all there are."""

    differences: Floats
    chances: Floats
    exact: bool


class PairResampler:
    """The cells of two systems (codes t + 2a + 4b), turned so that the first one is not worse.

    Turning makes the draws the same whichever system is named first; `turned` says that it was done.
    """

    def __init__(self, codes: Sparse, measure: str, undefined: Undefined) -> None:
        if measure not in AVERAGES:
            raise UnknownName("measure of resampling", measure, AVERAGES)
        self.undefined, self.by_category = undefined, measure == "macro_f1"
        self.codes, self.turned = codes, False
        self.of_a, self.of_b = self._observed()
        if (self.of_a, int(_A[codes.data].sum())) < (self.of_b, int(_B[codes.data].sum())):
            turned = _EXCHANGED[codes.data]
            self.codes, self.turned = sparse.csr_array((turned, codes.indices, codes.indptr), shape=codes.shape), True

    def _sums(self) -> list[Floats]:
        cells = np.zeros((8, self.codes.shape[1]))
        np.add.at(cells, (self.codes.data, self.codes.indices), 1.0)
        whole = [add.astype(np.float64) @ cells for add in _ADDS]
        return whole if self.by_category else [part.sum(keepdims=True) for part in whole]

    def _observed(self) -> tuple[float, float]:
        t, a, b, tp_a, tp_b = self._sums()
        return float(self._f1(tp_a, a + t)), float(self._f1(tp_b, b + t))

    def _f1(self, tp: Floats, both: Floats, rest: tuple[float, int] = (0.0, 0)) -> Floats:
        """Average F1 over the last axis, one value per draw; `both` is assigned + true, `rest` is averaged too."""
        values = ratio(2 * tp, both, self.undefined)
        defined = ~np.isnan(values)
        total = np.where(defined, values, 0.0).sum(axis=-1) + rest[0]
        return ratio(total, defined.sum(axis=-1) + rest[1], self.undefined)

    def _narrowed(self, cells: Sparse) -> tuple[Sparse, list[Floats], tuple[float, int]]:
        """Return the columns that have cells, the sums in them, and the F1 values of the others: their sum and number.

        Where no cell is resampled, a and b have the same F1, or 0/0: what it adds to both means does not change.
        """
        if not self.by_category:
            return cells, self._sums(), (0.0, 0)
        active, columns = np.unique(cells.indices, return_inverse=True)
        narrow = sparse.csr_array((cells.data, columns, cells.indptr), shape=(cells.shape[0], len(active)))
        others = np.ones(cells.shape[1], bool)
        others[active] = False
        t, a, _, tp, _ = (part[others] for part in self._sums())
        values = ratio(2 * tp, a + t, self.undefined)
        values = values[~np.isnan(values)]
        return narrow, [part[active] for part in self._sums()], (float(values.sum()), len(values))

    @property
    def differing(self) -> Sparse:
        """Return the documents on which the systems disagree, with the cells on which they do."""
        data = np.where(_A[self.codes.data] != _B[self.codes.data], self.codes.data, 0).astype(np.int8)
        cells = sparse.csr_array((data, self.codes.indices, self.codes.indptr), shape=self.codes.shape, copy=True)
        cells.eliminate_zeros()
        return cells[np.diff(cells.indptr) > 0]

    def swapped(self, samples: int, seed: int) -> Swaps:
        """Return the differences when decisions on each document are exchanged between the systems with chance 1/2.

        Of a pattern with s documents Bin(s, 1/2) are swapped; all outcomes are counted, with their chances, when
        they are no more than `samples`.
        """
        cells, sums, rest = self._narrowed(self.differing)
        grouped = patterns(cells, [_T * (_B - _A), _B - _A], by_category=self.by_category)
        exact = prod(int(size) + 1 for size in grouped.sizes[:64]) <= samples and len(grouped.sizes) <= 64
        if exact:
            outcomes, chances = all_swaps(grouped.sizes)
            return Swaps(self._after(grouped, outcomes, sums=sums, rest=rest), chances, exact=True)
        rng, shape = np.random.default_rng(seed), len(grouped.sizes)
        drawn = [
            self._after(grouped, rng.binomial(grouped.sizes, 0.5, (n, shape)), sums=sums, rest=rest)
            for n in chunks(grouped, samples)
        ]
        return Swaps(np.concatenate(drawn), np.full(samples, 1 / samples), exact=False)

    def _after(self, grouped: Patterns, swaps: Ints, *, sums: list[Floats], rest: tuple[float, int]) -> Floats:
        t, a, b, tp_a, tp_b = sums
        tp, assigned = grouped.sums(swaps)
        return self._f1(tp_a + tp, a + assigned + t, rest) - self._f1(tp_b - tp, b - assigned + t, rest)

    def bootstrapped(self, samples: int, seed: int) -> Floats:
        """Return the differences over documents drawn with replacement, the same ones for both systems."""
        cells, _, rest = self._narrowed(self.codes)
        grouped, documents = patterns(cells, _ADDS, by_category=self.by_category), cells.shape[0]
        rng, chances = np.random.default_rng(seed), grouped.sizes / max(documents, 1)
        drawn = []
        for n in chunks(grouped, samples):
            t, a, b, tp_a, tp_b = grouped.sums(rng.multinomial(documents, chances, n))
            drawn.append(self._f1(tp_a, a + t, rest) - self._f1(tp_b, b + t, rest))
        return np.concatenate(drawn)


def all_swaps(sizes: Ints) -> tuple[Ints, Floats]:
    """Return every outcome (how many of each pattern are swapped) and its chance."""
    outcomes = np.array(list(product(*(range(int(s) + 1) for s in sizes))), np.int64)
    chances = np.ones(len(outcomes))
    for g, size in enumerate(int(s) for s in sizes):
        chances *= np.array([comb(size, k) / 2**size for k in range(size + 1)])[outcomes[:, g]]
    return outcomes, chances
