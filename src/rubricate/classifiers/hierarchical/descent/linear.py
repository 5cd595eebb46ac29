"""Linear SVMs of small groups: the problems of `SVM`, kept as the weights of the terms that a group has."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.hierarchical.descent.groups import Group
from rubricate.classifiers.svm.solvers.linear import native_rows
from rubricate.classifiers.svm.solvers.options import PENALTIES, check_options, class_costs
from rubricate.classifiers.svm.svm import SVM
from rubricate.native.linear_svm import (
    LANES,
    SKIP_TERM,
    Gathered,
    GroupWeights,
    gather_rows,
    score_rows,
    shuffled_documents,
    solve_block,
)
from rubricate.types import Bools, Floats, Ints

__all__ = ["DocumentRows", "SiblingSolver", "block_scores"]

MAX_SWEEPS = 500
"""Sweeps before a problem is left to `SVM`, which finishes such problems by steps of two documents."""
MAX_WEIGHTS = 1 << 24
"""Weights (terms × problems) up to which a group is stored as a dense block."""


class DocumentRows:
    """Vectors of documents, as they came (`X`) and as native code takes them (`rows`)."""

    def __init__(self, X: Any) -> None:
        matrix = sparse.csr_array(X)
        self.X = X
        self.rows = native_rows(matrix)
        self._own = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return DocumentRows, (self.X,)

    def place(self) -> NDArray[np.int32]:
        """Return this thread's array with −1 for every term, which native functions leave as they found it."""
        if not hasattr(self._own, "place"):
            self._own.place = np.full(self.X.shape[1], -1, np.int32)
        place: NDArray[np.int32] = self._own.place
        return place


@dataclass(frozen=True)
class SiblingSolver:
    """Solves the linear SVMs of a group, with the options of an `SVM`."""

    base: SVM

    @classmethod
    def of(cls, base: Any) -> SiblingSolver | None:
        """Return the solver of a linear SVM without probabilities; None for any other base."""
        if type(base) is not SVM or base.kernel != "linear" or base.probability:
            return None
        if base.class_weight not in (None, "balanced"):
            return None
        check_options(base)
        return cls(base)

    def solve(self, vectors: DocumentRows, group: Group, *, kept: Bools) -> GroupWeights | None:
        """Solve each problem to the relative duality gap `tol`; those without documents on both sides score ±1.

        `kept` says which terms to use; empty: all. Return None if the weights would be too many, or some problem is not
        solved after 500 sweeps: then `SVM` solves it.
        """
        order, place = shuffled_documents(len(group.rows), int(self.base.seed)), vectors.place()
        if len(kept):
            place = np.where(kept, -1, SKIP_TERM).astype(np.int32)
        documents = gather_rows(vectors.rows, group.rows[order], place)
        shape = len(documents.own), group.labels.shape[1]
        if shape[0] * shape[1] > MAX_WEIGHTS:
            return None
        labels, mixed = group.labels[order], np.flatnonzero(group.mixed())
        machines = GroupWeights(documents.own, np.zeros(shape), np.where(labels.all(axis=0), 1.0, -1.0))
        weights = np.ones(len(labels)) if group.weights is None else group.weights[order].astype(np.float64)
        for first in range(0, len(mixed), LANES):
            if not self._solve_block(documents, labels, weights, machines, mixed[first : first + LANES]):
                return None
        return machines

    def _solve_block(
        self, documents: Gathered, labels: Bools, weights: Floats, machines: GroupWeights, block: Ints
    ) -> bool:
        """Set weights and biases of some problems; return whether all are within the tolerance."""
        base, own = self.base, labels[:, block]
        costs = np.full((2, len(block)), float(base.C))
        if base.class_weight is not None:
            costs *= class_costs(base.class_weight, np.arange(len(block)), sparse.csr_array(own), weights=weights)
        coef = np.empty((len(documents.own), len(block)))
        lanes = solve_block(
            documents,
            np.packbits(own, axis=1, bitorder="little")[:, 0].copy(),
            weights=weights,
            costs=costs,
            penalty=PENALTIES[base.bias],
            tol=float(base.tol),
            max_sweeps=min(int(base.max_sweeps), MAX_SWEEPS),
            seeds=(int(base.seed) + block).astype(np.uint64),
            coef=coef,
        )
        machines.weights[:, block], machines.bias[block] = coef, [lane.bias for lane in lanes]
        return all(lane.primal - lane.dual <= base.tol * lane.primal for lane in lanes)


def block_scores(block: GroupWeights, vectors: DocumentRows, chosen: Ints) -> Floats:
    """Return the scores of some documents, documents × problems."""
    return score_rows(vectors.rows, chosen, block, vectors.place())
