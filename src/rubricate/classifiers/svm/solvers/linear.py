"""All linear SVMs of a corpus at once: the order in which the kernels of `svm_joint` and `svm_local` run.

    guess   in blocks of sixteen categories of similar size, all documents are swept six times by float32 dual
            coordinate descent; what ends near the margin is the working set of the category
    solve   each category alone on its working set, in float64, at first loosely
    survey  in blocks again, after the loose solve, the new working sets, in float32
    check   after every other one, the exact primal and dual values over all documents and the new working sets;
            a category whose relative duality gap is within the tolerance is done, the others are solved again, tighter,
            from the fifth round on by steps of two documents (`svm_smo`) where sweeps do not get there

Where the guess finds most documents near the margins (few long documents, word pairs), working sets are of no use: each
category is solved on all documents instead (`svm_whole`), and only what that leaves unfinished goes the way above.
Where many stored values belong to terms of a single document, these are folded into one term per document first.

Blocks and categories share no state, so that neither the order nor the number of threads changes a bit of the result,
nor whether the blocks are worked on by threads or by the workers of a cluster (`engines.spreading`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.block_solver import BlockSolver, Task, Working
from rubricate.classifiers.svm.solvers.solution import Solution, worker_map
from rubricate.engines import Shared, run_tasks, spreading
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_local import Search
from rubricate.scratch import empty, stored
from rubricate.types import Floats, Ints, Sparse

__all__ = ["solve_linear"]

LOOSE, TIGHT = 0.01, 0.9
"""The relative gap of the first solve; the share of the tolerance asked of the second, halved in each further round.

The first solve only has to find the working set: LOOSE from .01 to .03 takes the same time within 5 % on Reuters and
banking77, .005 up to 8 % more at C of 2 and 4. The gap of a working set is below that of all documents: with a TIGHT of
1.1 most categories need another round, and all takes 15 % longer; .6 takes 6 to 9 % longer than .9, as it asks for more
than is needed."""
ROUNDS = 40
"""Rounds after which a category is given up."""
STRETCH = 64
"""Sweeps before the first check, doubled in each further round.

It keeps a hard category from being solved on a working set that the check would change; 16 to 256 take the same time on
Reuters."""
PATIENCE = 4
"""Rounds of coordinate descent before steps of two documents take over where it runs out of sweeps, as with near twins
of opposite labels. Where it does not, the working set was at fault, and the next round has a better one."""
CROWDED, LARGE, LONGEST = 0.45, 50_000, 512
"""Categories are solved on all documents where this share of them is near the margins after the guess, and the
documents have so many stored values; after so many sweeps the working sets take over.

The share is that of an earlier prototype; here it was tried on WebKB (terms, word pairs) and OHSUMED (terms) only."""
TOGETHER = 1 << 28
"""Documents × categories that are under way at a time: their working sets are in memory. 64 categories at least, so
that two threads have blocks of similar size."""
BATCH = 4000
"""Documents in the working sets of the categories that are solved as one task, so that tasks are of similar length."""


class _Values(NamedTuple):
    """Stored values of a column: rows (int32) and values."""

    rows: Ints
    values: Floats


class _Solving:
    """The categories under way: each step is worked on in blocks by `run`, a map over tasks of the solver."""

    def __init__(self, solver: Shared, run: Callable[[Callable[[Any], Any], list[Any]], list[Any]], n: int) -> None:
        self.solver, self.run, self.documents = solver, run, n
        self.working: dict[int, Working] = {}

    def step(self, name: str, blocks: list[Ints], *options: Any) -> None:
        """Work on blocks of categories."""
        tasks: list[Task] = [
            (name, block, [self.working[c] for c in block if c in self.working], options) for block in blocks
        ]
        for block, parts in zip(blocks, self.run(self.solver, tasks), strict=True):
            self.working.update(zip(block.tolist(), parts, strict=True))

    def solve(self, left: Ints, search: Search, *, large: bool) -> None:
        """Solve categories, those of the most documents first."""
        tol, most = search.tol, search.sweeps
        self.step("guess", _blocks(left))
        if large and self.crowd() >= CROWDED:
            self.step("solve_alone", _blocks(left, 1), search._replace(sweeps=min(most, LONGEST)))
            left = self.unfinished(left, tol, most)
        share = max(LOOSE, TIGHT * tol)
        for k in range(ROUNDS if len(left) else 0):
            stuck = np.array([k >= PATIENCE and self.working[c].stuck for c in left])
            self.step("solve", self.batches(left[~stuck]), share, min(most, STRETCH << k))
            self.step("polish", _blocks(left[stuck], 1), share, most)
            # A loose solution is not done, and has sweeps left: its values need not be known.
            loose = share > tol and most > STRETCH << k
            self.step("survey" if loose else "check", _blocks(left))
            left = left if loose else self.unfinished(left, tol, most)
            if not len(left):
                break
            share = TIGHT * tol * 0.5**k

    def unfinished(self, categories: Ints, tol: float, max_sweeps: int) -> Ints:
        """Return those of some categories that are not done."""
        return np.array([c for c in categories if not self.working[c].finished(tol, max_sweeps)], np.int64)

    def crowd(self) -> float:
        """Return the share of documents in the working sets."""
        return sum(len(part.rows) for part in self.working.values()) / max(self.documents * len(self.working), 1)

    def batches(self, categories: Ints) -> list[Ints]:
        """Group categories of similar work, the most work first: at most 16 each, and few where sets are large."""
        work = np.array([len(self.working[category].rows) for category in categories])
        order = np.argsort(-work, kind="stable")
        groups: list[list[int]] = []
        filled = 0
        for position, size in zip(order, work[order], strict=True):
            if not groups or filled + size > BATCH or len(groups[-1]) == LANES:
                groups.append([])
                filled = 0
            groups[-1].append(categories[position])
            filled += size
        return [np.array(group) for group in groups]


def _blocks(categories: Ints, size: int = LANES) -> list[Ints]:
    return [categories[k : k + size] for k in range(0, len(categories), size)]


class _Collected:
    """The solutions so far, in the documents' own order; a category that was not solved has β = 0 and no slack."""

    def __init__(self, order: Ints, shape: tuple[int, int]) -> None:
        self.order, self.shape = order.astype(np.int32), shape
        none = _Values(np.empty(0, np.int32), np.empty(0))
        self.beta, self.slack = [none] * shape[1], [none] * shape[1]
        self.bias, self.primal, self.dual = np.zeros(shape[1]), np.zeros(shape[1]), np.zeros(shape[1])
        self.sweeps = np.zeros(shape[1], np.int64)

    def add(self, category: int, part: Working) -> None:
        """Keep what belongs to a solution; where `out_of_core` holds, in a file."""
        own = self.order[part.rows]
        for kept, values, keep in ((self.beta, part.beta, part.beta != 0), (self.slack, part.slack, part.slack > 0)):
            kept[category] = _Values(stored(own[keep]), stored(values[keep]))
        self.bias[category], self.sweeps[category] = part.bias, part.sweeps
        self.primal[category], self.dual[category] = part.primal, part.dual

    def solution(self) -> Solution:
        """Return the solution of all categories."""
        beta, slack = (_matrix(kept, self.shape) for kept in (self.beta, self.slack))
        return Solution(beta, slack, bias=self.bias, primal=self.primal, dual=self.dual, sweeps=self.sweeps)


def _matrix(columns: list[_Values], shape: tuple[int, int]) -> sparse.csc_array:
    starts = np.concatenate([[0], np.cumsum([len(column.rows) for column in columns])])
    rows, values = empty(starts[-1], np.int32), empty(starts[-1], np.float64)
    for column, start in zip(columns, starts[:-1], strict=True):
        place = slice(start, start + len(column.rows))
        rows[place], values[place] = column
    return sparse.csc_array((values, rows, starts), shape=shape)


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
    threads: int,
    seed: int,
) -> Solution:
    """Solve these categories (columns of `labels`) to a relative duality gap of `tol`, or for `max_sweeps` sweeps.

    `weights` multiply the costs of documents; `costs` is 2 × categories (of negatives, of positives); `penalty` is the
    λ of ½λb²: 0 for a free bias, ∞ for none. Each category must have documents on both sides.
    """
    solver = BlockSolver(X, labels, weights=weights, costs=costs, penalty=penalty, seed=seed)
    falling = categories[np.argsort(-np.diff(solver.members.indptr)[categories], kind="stable")]
    size = max(TOGETHER // max(X.shape[0], 1) // 64, 1) * 64
    collected, shared = _Collected(solver.documents.order, labels.shape), Shared(solver)
    with _map(threads) as run:
        for group in _blocks(falling, size):
            solving = _Solving(shared, run, X.shape[0])
            solving.solve(group, Search(float(penalty), float(tol), max_sweeps, 0), large=X.nnz >= LARGE)
            for category, part in solving.working.items():
                collected.add(category, part)
    return collected.solution()


def _map(threads: int) -> Any:
    """Return a map over tasks: of the cluster that trainings are spread over, else on threads."""
    engine = spreading()
    if engine is None:
        return worker_map(threads)
    return nullcontext(lambda function, tasks: run_tasks(function, tasks, engine=engine))
