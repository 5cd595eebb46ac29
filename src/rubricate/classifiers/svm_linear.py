"""All linear SVMs of a corpus: blocks of up to eight categories, each solved by one call of native/linear_svm.c.

Blocks share nothing but the documents, and a category does not depend on what shares its block, so neither the number
of threads nor a cluster (`engines.spreading`) changes a bit of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.engines import Shared, run_on_threads, run_tasks, spreading
from rubricate.native.kernel_svm import KernelForm, best_bias, cached_matrix, solve_kernel_svm
from rubricate.native.linear_svm import (
    FOLD_TERM,
    LANES,
    SolvedLane,
    check_rows,
    gather_rows,
    label_bits,
    shuffled_documents,
    solve_block,
    sum_weights,
)
from rubricate.native.sparse import Rows
from rubricate.scratch import empty, rest, stored
from rubricate.types import Floats, Ints, Sparse

__all__ = [
    "LinearSolver",
    "Solution",
    "collect_lanes",
    "native_rows",
    "solve_linear",
    "weight_matrix",
]

MAX_DENSE_WEIGHTS = 1 << 25
"""Weights (terms × categories) up to which they are a dense array: 256 MB. Sparse ones score more slowly."""
PAIR_ROUNDS = 40
"""Rounds of steps of two documents after which a category is given up."""
PAIR_CACHE = 200.0
"""Megabytes of kernel rows for steps of two documents."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimum of each category: signed dual variables β = yα and slacks ξ (documents × categories), and values."""

    beta: sparse.csc_array
    slack: sparse.csc_array
    bias: Floats
    primal: Floats
    dual: Floats
    sweeps: Ints


def native_rows(X: Any) -> Rows:
    """Return a CSR matrix in the form that native code takes, its terms checked."""
    starts, terms = X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False)
    return check_rows(Rows(starts, terms, np.asarray(X.data, np.float64)), X.shape[1])


class LinearSolver:
    """A function of a block (columns of the labels) that returns the solutions of its categories, and has no state."""

    def __init__(
        self,
        X: Sparse,
        labels: Sparse,
        *,
        weights: Floats,
        costs: Floats,
        penalty: float,
        tol: float,
        max_sweeps: int,
        seed: int,
    ) -> None:
        order = shuffled_documents(X.shape[0], seed)
        place = np.where(np.bincount(X.indices, minlength=X.shape[1]) == 1, FOLD_TERM, -1).astype(np.int32)
        self.documents = gather_rows(native_rows(X), order, place, allocate=empty)
        self.order, self.members = order.astype(np.int32), sparse.csc_array(labels[order])
        self.weights, self.costs, self.seed = weights[order], costs, seed
        self.options: dict[str, Any] = {"penalty": float(penalty), "tol": float(tol)}
        self.tol, self.penalty, self.max_sweeps = float(tol), float(penalty), int(max_sweeps)

    def __call__(self, block: Ints) -> list[SolvedLane]:
        """Solve the categories of a block; rows are numbered as in X."""
        lanes = self._solve(block, max_sweeps=self.max_sweeps)
        return [self._renumbered(self._finished(c, lane)) for c, lane in zip(block.tolist(), lanes, strict=True)]

    def _solve(self, block: Ints, **options: Any) -> list[SolvedLane]:
        members = [self._members(category) for category in block.tolist()]
        return solve_block(
            self.documents,
            label_bits(members, len(self.weights)),
            weights=self.weights,
            costs=self.costs[:, block],
            seeds=(self.seed + block).astype(np.uint64),
            **self.options,
            **options,
        )

    def _members(self, category: int) -> NDArray[np.int32]:
        rows: NDArray[np.int32] = self.members.indices[
            self.members.indptr[category] : self.members.indptr[category + 1]
        ]
        return rows

    def _finished(self, category: int, lane: SolvedLane) -> SolvedLane:
        """Solve what coordinate descent does not, such as near twins of opposite labels, by steps of two documents."""
        near = np.zeros(0, np.int32)
        for turn in range(PAIR_ROUNDS):
            if lane.primal - lane.dual <= self.tol * lane.primal or lane.sweeps >= self.max_sweeps:
                break
            near = np.union1d(near, np.union1d(lane.beta_rows, lane.near_rows))
            beta, bias, sweeps = self._step_by_pairs(category, lane, near, 0.9 * 0.5**turn * self.tol)
            (checked,) = self._solve(np.array([category]), start=(beta[:, None], bias), max_sweeps=1, max_rounds=0)
            lane = checked._replace(sweeps=lane.sweeps + sweeps)
        return lane

    def _step_by_pairs(
        self, category: int, lane: SolvedLane, near: NDArray[np.int32], tol: float
    ) -> tuple[Floats, Floats, int]:
        """Solve a category on some documents: β of all documents, bias, sweeps."""
        (starts, terms, values), own = self.documents
        n, shift = len(self.weights), 1 / self.penalty if self.penalty > 0 else 0.0
        beta = np.zeros(n)
        beta[lane.beta_rows] = lane.beta
        inside = np.isin(near, self._members(category))
        y, cap = np.where(inside, 1.0, -1.0), self.weights[near] * self.costs[inside.astype(int), category]
        rows = native_rows(sparse.csr_array((values, terms, starts), shape=(n, len(own)))[near])
        matrix = cached_matrix(rows, len(own), KernelForm(shift=shift), megabytes=PAIR_CACHE)
        limit = (self.max_sweeps - lane.sweeps) * len(near)
        free = self.penalty == 0
        solved = solve_kernel_svm(matrix, y, cap, beta=beta[near], has_free_bias=free, tol=tol, max_steps=limit)
        bias = best_bias(solved.f, y, cap) if free else float(solved.beta.sum()) * shift
        beta[near] = solved.beta
        return beta, np.array([bias]), -(-max(solved.steps, 1) // len(near))

    def _renumbered(self, lane: SolvedLane) -> SolvedLane:
        """Number the rows as in X, and leave out what has no slack; if `out_of_core` holds, store them in files."""
        has_slack = lane.slack > 0
        beta_rows, near_rows = self.order[lane.beta_rows], self.order[lane.near_rows[has_slack]]
        cells = (beta_rows, lane.beta, near_rows, lane.slack[has_slack])
        return SolvedLane(*(stored(each) for each in cells), *lane[len(cells) :])


def solve_linear(
    X: Sparse,
    labels: Sparse,
    categories: Ints,
    *,
    weights: Floats,
    costs: Floats,
    penalty: float,
    tol: float,
    max_sweeps: int,
    threads: int = 1,
    seed: int = 0,
) -> Solution:
    """Solve these categories (columns of `labels`) to a relative duality gap of `tol`, or for `max_sweeps` sweeps.

    `weights` multiply the costs of documents; `costs` is 2 × categories (of negatives, of positives); `penalty` is the
    λ of ½λb²: 0 for a free bias, ∞ for none. Each category must have documents on both sides.
    """
    options: dict[str, Any] = {"penalty": penalty, "tol": tol, "max_sweeps": max_sweeps, "seed": seed}
    solver = LinearSolver(X, labels, weights=weights, costs=costs, **options)
    # Categories of many documents take longest: they go first.
    falling = categories[np.argsort(-np.diff(solver.members.indptr)[categories], kind="stable")]
    size = max(1, min(LANES, -(-len(falling) // threads)))
    blocks = [falling[k : k + size] for k in range(0, len(falling), size)]
    cluster = spreading()
    solved = run_tasks(Shared(solver), blocks, engine=cluster) if cluster else run_on_threads(solver, blocks, threads)
    rest()
    lanes = [lane for block in solved for lane in block]
    return collect_lanes(dict(zip(falling.tolist(), lanes, strict=True)), labels.shape)


def collect_lanes(lanes: Mapping[int, SolvedLane], shape: tuple[int, int]) -> Solution:
    """Return the solution of all categories; one that was not solved has β = 0 and no slack."""
    none, no_rows = np.zeros(0), np.zeros(0, np.int32)
    nothing = SolvedLane(no_rows, none, no_rows, none, 0.0, 0.0, 0.0, 0)
    every = [lanes.get(category, nothing) for category in range(shape[1])]
    beta = _columns([(lane.beta_rows, lane.beta) for lane in every], shape)
    slack = _columns([(lane.near_rows, lane.slack) for lane in every], shape)
    bias, primal, dual = np.array([(lane.bias, lane.primal, lane.dual) for lane in every]).reshape(-1, 3).T.copy()
    return Solution(beta, slack, bias, primal, dual, np.array([lane.sweeps for lane in every], np.int64))


def _columns(cells: list[tuple[NDArray[np.int32], Floats]], shape: tuple[int, int]) -> sparse.csc_array:
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in cells])]).astype(np.int64)
    rows, values = empty(starts[-1], np.int32), empty(starts[-1], np.float64)
    if cells:
        np.concatenate([each for each, _ in cells], out=rows)
        np.concatenate([each for _, each in cells], out=values)
    return sparse.csc_array((values, rows, starts), shape=shape)


def weight_matrix(X: Sparse, beta: sparse.csc_array) -> Any:
    """Return w_c = Σ_i β_ic x_i, categories × terms: dense (in memory terms × categories), or sparse if large."""
    shape = X.shape[1], beta.shape[1]
    if shape[0] * shape[1] > MAX_DENSE_WEIGHTS:
        return sparse.csr_array(sparse.csr_array(beta.T) @ X)
    return sum_weights(native_rows(X), native_rows(sparse.csr_array(beta)), shape).T
