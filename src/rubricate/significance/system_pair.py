"""Two systems on the same documents, resampled together: documents drawn with replacement, and answers exchanged.

Micro-F1 is one ratio of sums over documents, macro-F1 the mean of one per category. Documents are one pattern if all
their cells are alike (macro), or if they add the same to the sums (micro). The patterns do not depend on the order of
the documents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.errors import UnknownName
from rubricate.measures.resampling import Patterns, group_documents, sum_rows
from rubricate.significance.permutation_family import Exchanges, SwapPair, mean_f1
from rubricate.types import Bools, Floats, Ints, Sparse, Undefined

__all__ = ["AVERAGES", "PairSums", "SystemPair", "pair_patterns"]

AVERAGES = ("micro_f1", "macro_f1")

# What a cell of code t + 2a + 4b is: a true label, one assigned by a, one assigned by b.
_CODE = np.arange(8)
_T, _A, _B = _CODE & 1, _CODE >> 1 & 1, _CODE >> 2 & 1
_EXCHANGED = (_T + 2 * _B + 4 * _A).astype(np.int8)


class PairSums(NamedTuple):
    """True labels, those assigned by a and by b, and their true positives."""

    true: Any
    a: Any
    b: Any
    tp_a: Any
    tp_b: Any


ADDS = PairSums(_T, _A, _B, _T * _A, _T * _B)


class SystemPair:
    """The cells of two systems (codes t + 2a + 4b), turned so that the first one is not worse.

    Turning makes the draws the same whichever system is named first; `is_turned` tells that it was done. `of_a` and
    `of_b` are the values of the systems in the order in which they were named.
    """

    def __init__(self, codes: Sparse, measure: str, undefined: Undefined) -> None:
        if measure not in AVERAGES:
            raise UnknownName("measure of resampling", measure, AVERAGES)
        self.codes, self.undefined, self.by_category = codes, undefined, measure == "macro_f1"
        sums = self._sums()
        self.of_a, self.of_b = (float(part) for part in self._values(sums))
        self.is_turned = (self.of_a, int(sums.a.sum())) < (self.of_b, int(sums.b.sum()))
        if self.is_turned:
            self.codes = sparse.csr_array((_EXCHANGED[codes.data], codes.indices, codes.indptr), shape=codes.shape)

    def _sums(self) -> PairSums:
        """Return the sums over the documents themselves."""
        columns, width = self.codes.indices, self.codes.shape[1]
        parts = (np.bincount(columns, weights=add[self.codes.data], minlength=width) for add in ADDS)
        return PairSums(*(part if self.by_category else part.sum(keepdims=True) for part in parts))

    def _values(self, sums: PairSums) -> tuple[Floats, Floats]:
        of_a = mean_f1(sums.tp_a, sums.a + sums.true, self.undefined)
        return of_a, mean_f1(sums.tp_b, sums.b + sums.true, self.undefined)

    @property
    def _differs(self) -> Bools:
        """Return the cells on which the systems disagree."""
        return np.asarray(_A[self.codes.data] != _B[self.codes.data])

    @property
    def differing(self) -> int:
        """Return the number of documents on which the systems disagree."""
        return int((sum_rows(self.codes, self._differs.astype(np.int64)) > 0).sum())

    def swaps(self) -> SwapPair:
        """Return the patterns of the documents on which the systems disagree, none of them exchanged."""
        data = np.where(self._differs, self.codes.data, 0).astype(np.int8)
        cells = sparse.csr_array((data, self.codes.indices, self.codes.indptr), shape=self.codes.shape, copy=True)
        cells.eliminate_zeros()
        cells, sums = cells[np.diff(cells.indptr) > 0], self._sums()
        changes = Exchanges(_T * (_B - _A), _B - _A)
        patterns = pair_patterns(cells, changes, by_category=self.by_category)
        middle_tp, middle_sum = (sums.tp_a + sums.tp_b) / 2, (sums.a + sums.b) / 2 + sums.true
        return SwapPair(patterns.sizes, 0 * patterns.sizes, patterns.adds, middle_tp, middle_sum, self.undefined)

    def bootstrap(self, draws: int, seed: int) -> Floats:
        """Return F1(a) − F1(b) over documents drawn with replacement, the same ones for both systems."""
        patterns, drawn = pair_patterns(self.codes, ADDS, by_category=self.by_category), []
        for weights in patterns.draws(draws, np.random.default_rng(seed)):
            of_a, of_b = self._values(patterns.sums(weights))
            drawn.append(of_b - of_a if self.is_turned else of_a - of_b)
        return np.concatenate(drawn)


def pair_patterns(codes: Sparse, adds: Any, *, by_category: bool) -> Patterns[Any]:
    """Group the rows of `codes` by pattern; a cell of code c adds `add[c]` to the sum of each `add` in `adds`.

    With `by_category` there is a sum for each category and rows are alike if all their cells are; without, one sum for
    all categories, and rows are alike if they add the same.
    """
    cells = (codes.indices, codes.indptr)
    parts = [sparse.csr_array((add[codes.data].astype(np.float64), *cells), shape=codes.shape) for add in adds]
    if by_category:
        first, group, sizes = group_documents(np.column_stack([_marks(codes, seed) for seed in (1999, 2000)]))
    else:
        sums = np.column_stack([np.asarray(part.sum(axis=1)) for part in parts])
        _, first, group, sizes = np.unique(sums, axis=0, return_index=True, return_inverse=True, return_counts=True)
        parts = [sparse.csr_array(each[:, None]) for each in sums.T]
    return Patterns(group.ravel(), sizes.astype(np.int64), type(adds)(*(part[first] for part in parts)))


def _marks(codes: Sparse, seed: int) -> Ints:
    """Return the sum of one random number for each cell of a row, by its code and its place among the used columns."""
    used, places = np.unique(codes.indices, return_inverse=True)
    numbers = np.random.default_rng(seed).integers(-(2**62), 2**62, size=(8, len(used)), dtype=np.int64)
    marks: Ints = sum_rows(codes, numbers[codes.data, places])
    return marks
