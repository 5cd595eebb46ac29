"""Documents that truth and decisions treat alike are resampled together.

Two documents with the same true labels and the same decisions add the same to every count, so that a resample of the
documents is a draw of how many there are of each pattern: a multinomial over few cells instead of thousands of
documents. The distribution of every count is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.types import Floats, Ints, Sparse

__all__ = ["CountCells", "CountSums", "is_single_label"]

DENSE = 4_000_000
"""Patterns × categories up to which their contributions are dense: the products are then those of BLAS."""


@dataclass(frozen=True, eq=False)
class CountSums:
    """Sums over documents, one row per resample: TP, true and assigned labels of each category, exact answers, others.

    `outside` are assigned labels that are no category's, `silent` the documents without any answer, `n` the documents.
    """

    tp: Floats
    true: Floats
    assigned: Floats
    exact: Floats
    outside: Floats
    silent: Floats
    n: Floats


@dataclass(frozen=True, eq=False)
class CountCells:
    """The patterns of a system: which one each document has, how many documents each has, what one of them adds."""

    codes: Ints
    sizes: Ints
    tp: Any
    true: Any
    assigned: Any
    exact: Floats
    outside: Floats
    silent: Floats

    @classmethod
    def of(cls, truth: Sparse, decided: Sparse, outside: Ints | None = None) -> CountCells:
        """Group documents by their true labels, decisions and number of labels outside the categories.

        Rows are told apart by sums of 64-bit random numbers, one per label. Cost: labels, decisions, documents · log.
        """
        true, yes = canonical(truth), canonical(decided)
        extra = np.zeros(true.shape[0], np.int64) if outside is None else np.asarray(outside, np.int64)
        numbers = np.random.default_rng(1999).integers(0, 2**63, (3, max(true.shape[1], 1)), dtype=np.uint64)
        marks = _row_sums(true, numbers[0]) + _row_sums(yes, numbers[1]) + extra.astype(np.uint64) * numbers[2, 0]
        _, first, codes, sizes = np.unique(marks, return_index=True, return_inverse=True, return_counts=True)
        t, a, more = true[first], yes[first], extra[first]
        both = canonical(t.multiply(a))
        answers, labels, hits = (np.diff(part.indptr) for part in (a, t, both))
        exact = (answers == hits) & (labels == hits) & (more == 0)
        small = len(first) * true.shape[1] <= DENSE
        parts = [part.astype(np.float64).toarray() if small else part.astype(np.float64) for part in (both, t, a)]
        silent = (answers == 0) & (more == 0)
        return cls(
            codes.ravel().astype(np.int64), sizes, *parts, *(x.astype(np.float64) for x in (exact, more, silent))
        )

    @property
    def documents(self) -> int:
        """Return the number of documents."""
        return len(self.codes)

    def sums(self, weights: Any) -> CountSums:
        """Return the sums when pattern p occurs `weights[b, p]` times in resample b."""
        w = np.atleast_2d(np.asarray(weights, np.float64))
        tp, true, assigned = (np.asarray(w @ part) for part in (self.tp, self.true, self.assigned))
        return CountSums(tp, true, assigned, w @ self.exact, w @ self.outside, w @ self.silent, w.sum(axis=1))

    def observed(self) -> CountSums:
        """Return the sums of the documents themselves, one row."""
        return self.sums(self.sizes)

    def drawn(self, draws: int, rng: np.random.Generator) -> Ints:
        """Return how often each pattern occurs in resamples of the documents: draws × patterns."""
        return rng.multinomial(self.documents, self.sizes / self.documents, draws)


def _row_sums(matrix: Sparse, numbers: Any) -> Any:
    sums = np.zeros(matrix.nnz + 1, np.uint64)
    np.cumsum(numbers[matrix.indices], out=sums[1:])
    return sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]


def is_single_label(truth: Sparse) -> bool:
    """Tell whether every document has exactly one true label."""
    return bool(len(sparse.csr_array(truth).indptr) > 1 and (np.diff(truth.indptr) == 1).all())
