"""Linear SVMs of small groups by their own kernel: the problems of `SVM`, without its arrangements for large ones."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.hierarchical.descent.groups import Group
from rubricate.classifiers.svm.solvers.options import PENALTIES, check_options, class_costs
from rubricate.classifiers.svm.svm import SVM
from rubricate.kernels.rows import Rows
from rubricate.kernels.sibling_svms import (
    GroupProblem,
    GroupWeights,
    Renumbering,
    gather_rows,
    group_scores,
    solve_group,
)
from rubricate.kernels.svm_local import Search
from rubricate.types import Bools, Floats, Ints

__all__ = ["DocumentRows", "SiblingSolver", "block_scores"]

SMALL = 50_000
"""Documents × problems up to which a group is solved here; the joint solver of `SVM` is quicker beyond."""
SWEEPS = 500
"""Sweeps before a problem is left to `SVM`, which finishes such problems by steps of two documents."""
WEIGHTS = 1 << 24
"""Weights (terms × problems) up to which a group is kept as a dense block."""


class DocumentRows:
    """Vectors of documents, as they came (`X`) and as the kernels take them (`rows`)."""

    def __init__(self, X: Any) -> None:
        matrix = sparse.csr_array(X)
        self.X = X
        self.rows = Rows(matrix.indptr.astype(np.int64), matrix.indices, matrix.data)
        self._own = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return DocumentRows, (self.X,)

    def place(self) -> NDArray[np.int32]:
        """Return this thread's array with −1 for every term, which kernels leave as they found it."""
        if not hasattr(self._own, "place"):
            self._own.place = np.full(self.X.shape[1], -1, np.int32)
        place: NDArray[np.int32] = self._own.place
        return place


@dataclass(frozen=True)
class SiblingSolver:
    """How linear SVMs of small groups are solved: the options of an `SVM`, and how to search."""

    base: SVM
    search: Search

    @classmethod
    def of(cls, base: Any) -> SiblingSolver | None:
        """Return the solver of a linear SVM without probabilities; None for any other base."""
        if type(base) is not SVM or base.kernel != "linear" or base.probability:
            return None
        if base.class_weight not in (None, "balanced"):
            return None
        check_options(base)
        sweeps = min(int(base.max_sweeps), SWEEPS)
        return cls(base, Search(PENALTIES[base.bias], float(base.tol), sweeps, int(base.seed)))

    def solve(self, vectors: DocumentRows, group: Group, *, kept: Bools) -> GroupWeights | None:
        """Solve each problem to the relative duality gap `tol`.

        Return None where the group or its block would be too large, or some problem is not solved after 500 sweeps:
        `SVM` solves it.
        """
        if group.labels.size > SMALL:
            return None
        rows, own = gather_rows(vectors.rows, group.rows, Renumbering(vectors.place(), kept))
        n, k = group.labels.shape
        if len(own) * k > WEIGHTS:
            return None
        weights = np.ones(n) if group.weights is None else group.weights
        costs = np.full((2, k), float(self.base.C))
        if self.base.class_weight is not None:
            labels = sparse.csr_array(group.labels)
            costs *= class_costs(self.base.class_weight, np.arange(k), labels, weights=weights)
        W, bias, gaps = solve_group(rows, GroupProblem(group.labels, weights, costs, len(own)), self.search)
        return GroupWeights(own, W, bias) if (gaps <= self.search.tol).all() else None


def block_scores(block: GroupWeights, vectors: DocumentRows, chosen: Ints) -> Floats:
    """Return the scores of some documents, documents × problems."""
    return group_scores(vectors.rows, chosen, (block, vectors.place()))
