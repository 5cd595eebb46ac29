"""The weights of linear SVMs, w_c = Σ_i β_ic x_i, summed while other categories are still being solved."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.team import Awaited, Team
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_weights import sparse_weight_vectors, weight_vectors
from rubricate.types import Floats, Sparse

__all__ = ["DENSE", "WeightSums"]

DENSE = 1 << 25
"""Keep weights as a dense array up to this many (terms × categories): 256 MB. Sparse ones score more slowly."""
PARTS = 2
"""Ranges of terms for each thread, so that one that comes late finds something to do. Not tuned: each range reads the
rows of all documents once more."""
EARLY = 1 << 22
"""Clear the memory of up to this many weights (32 MB) while a helper has nothing else to do, which takes 1.4 ms on
Reuters. The limit is not tuned: it keeps large arrays from being in memory beside the working sets."""
SAMPLE = 4096
"""Stored values from which ranges of terms with similar work are estimated: each is off by a few percent."""


class WeightSums:
    """The weights of some categories: dense (in memory terms × categories), or sparse if large.

    Documents are added in their order, whichever categories are added together, so that no bit depends on that.
    """

    def __init__(self, rows: Sparse, categories: int, team: Team) -> None:
        self.rows, self.shape, self.team = rows, (rows.shape[1], categories), team
        self.is_dense = rows.shape[1] * categories <= DENSE
        self._room: Callable[[], Floats] = partial(np.zeros, self.shape)
        self._begun: list[Awaited] = []

    def make_room(self) -> None:
        """Let a helper clear the memory of the weights before they are needed, unless that is a lot."""
        if self.team.threads > 1 and self.shape[0] * self.shape[1] <= EARLY:
            self._room = self.team.start(self._cleared, np.empty(self.shape))

    def _cleared(self, room: Floats) -> Floats:
        """Return memory that has been cleared; find the ranges of terms beside it."""
        room.fill(0.0)
        len(self._parts)
        return room

    @cached_property
    def _dense(self) -> Floats:
        return self._room()

    @cached_property
    def _parts(self) -> list[tuple[int, int]]:
        """Return ranges of terms with about as many stored values each; one range where terms do not ascend."""
        shared = self.team.threads > 1 and self.rows.has_sorted_indices
        count = PARTS * self.team.threads if shared else 1
        sample = np.sort(self.rows.indices[:: max(1, self.rows.nnz // SAMPLE)])
        inner = sample[np.arange(1, count if len(sample) else 1) * len(sample) // count]
        return list(pairwise([0, *inner.tolist(), self.shape[0]]))

    def add(self, beta: sparse.csc_array) -> None:
        """Begin to add what categories are solved by (documents × categories)."""
        if not self.is_dense:
            return
        rows, factors, W = _kernel_rows(self.rows), _kernel_rows(sparse.csr_array(beta)), self._dense
        self._begun += [self.team.start(weight_vectors, rows, factors, *part, W) for part in self._parts]

    def matrix(self, beta: sparse.csc_array) -> Any:
        """Return the weights, categories × terms, when those of all categories have been added; β is that of all."""
        # Helpers begin with the first ones: from the other end, this thread finds what nobody has begun.
        for each in reversed(self._begun):
            each()
        return self._dense.T if self.is_dense else self._sparse(sparse.csr_array(beta.T))

    def _sparse(self, beta: sparse.csr_array) -> sparse.csr_array:
        """Return β X for β categories × documents; each thread works on some of the categories."""
        terms, bounds = self.shape[0], np.linspace(0, beta.shape[0], self.team.threads + 1).astype(int)
        parts = self.team.map(
            lambda part: sparse_weight_vectors(_kernel_rows(self.rows), _kernel_rows(beta[slice(*part)]), terms),
            list(pairwise(bounds)),
        )
        found = [
            sparse.csr_array((w, own, ends), shape=(last - first, terms))
            for (ends, own, w), (first, last) in zip(parts, pairwise(bounds), strict=True)
        ]
        return found[0] if len(found) == 1 else sparse.csr_array(sparse.vstack(found))


def _kernel_rows(matrix: Any) -> Rows:
    return Rows(matrix.indptr, matrix.indices, matrix.data)
