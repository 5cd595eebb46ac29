"""All linear SVMs of a corpus at once: the order in which the kernels of `svm_joint` and `svm_local` run.

    guess   in blocks of sixteen categories of similar size, all documents are swept six times by float32 dual
            coordinate descent; what ends near the margin is the working set of the category
    solve   each category alone on its working set, in float64, at first loosely
    check   in blocks again, the exact primal and dual values over all documents and the new working sets;
            a category whose relative duality gap is within the tolerance is done, the others are solved again, tighter,
            from the fifth round on by steps of two documents (`svm_smo`), which ill-conditioned ones need

Where the guess finds most documents near the margins (few long documents, word pairs), working sets are of no use: each
category is solved on all documents instead (`svm_whole`), and only what that leaves unfinished goes the way above.
Where many stored values belong to terms of a single document, these are folded into one term per document first.

Blocks and categories share no state, so that neither the order nor the number of threads changes a bit of the result,
nor whether the blocks are worked on by threads or by the workers of a cluster (`engines.spreading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.svm.solvers.kernel import squared_lengths
from rubricate.classifiers.svm.solvers.solution import Solution, empty_cache, kernel_rows, worker_map
from rubricate.engines import Shared, run_tasks, spreading
from rubricate.folds import take_rows
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_fold import fold_rows
from rubricate.kernels.svm_joint import BAND, BIAS, COSTS, LaneBlock, check, guess
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_local import Dual, LaneDocuments, Search, WorkingSets, solve_block
from rubricate.kernels.svm_smo import Goal, KernelForm, KernelMatrix, expand, solve_smo
from rubricate.kernels.svm_whole import solve_whole
from rubricate.scratch import empty
from rubricate.types import Floats, Ints, Sparse

__all__ = ["solve_linear"]

SWEEPS = 6
"""Sweeps of the guess. On Reuters 3, 6 and 12 leave working sets of 340, 273 and 267 documents per category.

What the guess takes longer the solves save: the time of the whole is the same within a few percent."""
LOOSE, TIGHT = 0.03, 0.6
"""The relative gap of the first solve; the share of the tolerance asked of the second, halved in each further round.

The first solve only has to find the working set: on Reuters LOOSE from .003 to .03 takes the same time, .1 and .3 take
15 to 20 % more. The gap of a working set is below that of all documents, so that TIGHT = 1 would need another round;
.3 to .9 take the same time."""
ROUNDS = 40
"""Rounds after which a category is given up."""
STRETCH = 64
"""Sweeps before the first check, doubled in each further round.

It keeps a hard category from being solved on a working set that the check would change; 16 to 256 take the same time on
Reuters."""
PATIENCE = 4
"""Rounds of coordinate descent before steps of two documents take over, which near twins with opposite labels need."""
CACHE = 200.0
"""Megabytes of kernel rows for those."""
CROWDED, LARGE, LONGEST = 0.45, 50_000, 512
"""Categories are solved on all documents where this share of them is near the margins after the guess, and the
documents have so many stored values; after so many sweeps the working sets take over.

The share is that of an earlier prototype; here it was tried on WebKB (terms, word pairs) and OHSUMED (terms) only."""
LONELY = 0.15
"""Terms of a single document are folded where they hold this share of the stored values.

Not tuned: on WebKB it lies above the share of words and below that of word pairs."""
BATCH = 4000
"""Documents in the working sets of the categories that are solved as one task, so that tasks are of similar length."""
PIECE = 1 << 22
"""Stored values that are copied together."""
START = 1.05
"""The bias from which categories of less than a third of the documents start, negated; of more than two thirds, not."""


@dataclass(frozen=True, eq=False)
class _Documents:
    """The documents in random order, the most frequent terms first; `features` are the terms that occur."""

    order: Ints
    rows: Rows
    squares: Floats
    features: int


@dataclass(eq=False)
class _Working:
    """A category under way: its documents near the margin with their β and 1 − yf."""

    rows: NDArray[np.int32]
    beta: Floats
    bias: float
    slack: Floats
    primal: float = np.inf
    dual: float = -np.inf
    sweeps: int = 0

    def finished(self, tol: float, max_sweeps: int) -> bool:
        return self.primal - self.dual <= tol * self.primal or self.sweeps >= max_sweeps


_Task: TypeAlias = tuple[str, Ints, list[_Working], tuple[Any, ...]]


def _arrange(X: Sparse, seed: int) -> _Documents:
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    rank = np.empty(X.shape[1], np.uint32)
    # NumPy sorts numbers of 16 bits by radix.
    falling = (X.shape[0] - frequency).astype(np.uint16) if X.shape[0] < 1 << 16 else -frequency
    rank[np.argsort(falling, kind="stable")] = np.arange(X.shape[1], dtype=np.uint32)
    order = np.random.default_rng(seed).permutation(X.shape[0])
    if X.nnz >= LARGE and np.count_nonzero(frequency == 1) >= LONELY * X.nnz:
        kept = int(np.count_nonzero(frequency > 1))
        rows = fold_rows(Rows(X.indptr, X.indices, X.data), order, rank, kept)
        return _Documents(order, rows, squared_lengths(X)[order], kept + len(order))
    mixed = take_rows(X, order)
    terms = empty(mixed.nnz, np.uint32)
    for start in range(0, mixed.nnz, PIECE):
        terms[start : start + PIECE] = rank[mixed.indices[start : start + PIECE]]
    rows = Rows(mixed.indptr.astype(np.int64), terms, mixed.data)
    return _Documents(order, rows, squared_lengths(mixed), max(int(np.count_nonzero(frequency)), 1))


class _Solver:
    """The steps for a block of categories, given by their columns: a function of tasks that changes nothing.

    A task is the name of a step, a block, what is known of its categories, and what the step needs besides. Returned is
    what is known of the categories afterwards.
    """

    def __init__(self, X: Sparse, labels: Sparse, *, weights: Floats, costs: Floats, penalty: float, seed: int) -> None:
        self.documents = _arrange(X, seed)
        self.members = sparse.csc_array(labels[self.documents.order])
        self.weights, self.costs, self.penalty, self.seed = weights[self.documents.order], costs, penalty, seed
        self.scale = float(self.documents.squares.mean()) or 1.0

    def __getstate__(self) -> dict[str, Any]:
        """Leave at home what another process computes itself."""
        return {name: value for name, value in vars(self).items() if name != "_single"}

    def __call__(self, task: _Task) -> list[_Working]:
        step, block, parts, options = task
        return list(getattr(self, step)(block, parts, *options))

    @cached_property
    def _single(self) -> tuple[Rows, Any, Any]:
        """Return documents, inverse squares and weights for the guess, scaled to a mean square length of 1."""
        starts, terms, values = self.documents.rows
        squares = self.documents.squares / self.scale
        inverse = np.where(squares > 1e-12, 1 / np.maximum(squares, 1e-12), 1e12)
        single, root = empty(len(values), np.float32), np.sqrt(self.scale)
        for start in range(0, len(values), PIECE):
            single[start : start + PIECE] = values[start : start + PIECE] / root
        rows = Rows(starts, terms, single)
        return rows, inverse.astype(np.float32), self.weights.astype(np.float32)

    def bits(self, block: Ints) -> NDArray[np.uint16]:
        bits = np.zeros(len(self.documents.order), np.uint16)
        for lane, category in enumerate(block):
            rows = self.members.indices[self.members.indptr[category] : self.members.indptr[category + 1]]
            bits[rows] |= np.uint16(1 << lane)
        return bits

    def lanes(self, values: Floats, block: Ints) -> Floats:
        """Return values of the categories, one lane each; the lanes left over are zero."""
        padded = np.zeros((*values.shape[:-1], LANES))
        padded[..., : len(block)] = values[..., block]
        return padded

    def _block(self, block: Ints, weights: Any, costs: Floats) -> LaneBlock:
        """Return room for a block, with its labels and costs, in the precision of the weights."""
        n, kind = len(self.documents.order), weights.dtype
        W, beta = np.zeros((self.documents.features, LANES), kind), np.zeros((n, LANES), kind)
        state = np.zeros((5, LANES), kind)
        state[COSTS:] = self.lanes(costs, block)
        return LaneBlock(self.bits(block), weights, W, beta, np.zeros(n, np.uint16), state)

    def guess(self, block: Ints, parts: list[_Working]) -> Iterator[_Working]:
        rows, inverse, weights = self._single
        room = self._block(block, weights, self.costs * self.scale)
        if np.isfinite(self.penalty):
            share = np.diff(self.members.indptr)[block] / len(weights)
            room.state[BIAS, : len(block)] = np.where(share < 1 / 3, -START, np.where(share > 2 / 3, START, 0.0))
        guess(rows, room, inverse, float(self.penalty * self.scale), SWEEPS)
        for lane, near in enumerate(_rows_of(room.near, len(block))):
            own = room.beta[near, lane].astype(np.float64) / self.scale
            yield _Working(near, own, float(room.state[BIAS, lane]), own[:0])

    def _pack(self, block: Ints, parts: list[_Working]) -> WorkingSets:
        """Return the working sets of a block end to end."""
        return WorkingSets(
            offsets=np.concatenate([[0], np.cumsum([len(part.rows) for part in parts])]),
            members=np.concatenate([part.rows for part in parts]),
            beta=np.concatenate([part.beta for part in parts]),
            bias=np.array([part.bias for part in parts]),
            seeds=np.asarray(self.seed + block, np.int64),
            place=np.full(self.documents.features, -1, np.int32),
        )

    def solve(self, block: Ints, parts: list[_Working], tol: float, sweeps: int) -> Iterator[_Working]:
        sets, labels, costs = self._pack(block, parts), self.bits(block), self.lanes(self.costs, block)
        documents = LaneDocuments(labels, self.weights, self.documents.squares, costs)
        done = solve_block(self.documents.rows, documents, sets, Search(self.penalty, tol, sweeps, self.seed))
        for lane, part in enumerate(parts):
            beta, sweeps = sets.beta[sets.offsets[lane] : sets.offsets[lane + 1]], part.sweeps + int(done[lane])
            yield replace(part, beta=beta, bias=float(sets.bias[lane]), sweeps=sweeps)

    def polish(self, block: Ints, parts: list[_Working], tol: float, sweeps: int) -> Iterator[_Working]:
        """Solve a category on its working set by steps of two documents, for which near twins are no obstacle."""
        (category,), (part,), documents, penalty = block, parts, self.documents, self.penalty
        starts, terms, values = documents.rows
        X = sparse.csr_array((values, terms, starts), shape=(len(documents.order), documents.features))[part.rows]
        inside = np.isin(part.rows, self.members[:, [category]].indices)
        y, cap = np.where(inside, 1.0, -1.0), self.weights[part.rows] * self.costs[inside.astype(int), category]
        shift, cache = 1 / penalty if penalty > 0 else 0.0, empty_cache(len(y), CACHE)
        form = KernelForm(0, 1.0, 1.0, 0.0, shift)
        matrix = KernelMatrix(kernel_rows(X), documents.squares[part.rows], form, cache, np.zeros(documents.features))
        dual = expand(matrix, y, cap, part.beta.copy())
        _, steps = solve_smo(matrix, dual, Goal(penalty == 0, tol, sweeps * len(y)))
        bias = best_bias(dual.f, y, cap) if penalty == 0 else float(dual.beta.sum()) * shift
        yield replace(part, beta=dual.beta, sweeps=part.sweeps + -(-steps // len(y)), bias=bias)

    def solve_alone(self, block: Ints, parts: list[_Working], search: Search) -> Iterator[_Working]:
        """Solve a category on all documents, from its guess."""
        (category,), (part,), documents, n = block, parts, self.documents, len(self.documents.order)
        y, positive = (
            np.full(n, -1.0),
            self.members.indices[self.members.indptr[category] : self.members.indptr[category + 1]],
        )
        y[positive] = 1.0
        cap = self.weights * np.where(y > 0, self.costs[1, category], self.costs[0, category])
        beta, scores = np.zeros(n), np.empty(n)
        beta[part.rows] = part.beta
        # The guess is in single precision: its β may lie outside the bounds by a rounding.
        beta = y * np.clip(y * beta, 0.0, cap)
        dual = Dual(y, cap, documents.squares, beta, np.zeros(documents.features), np.array([part.bias]))
        primal, value, done = solve_whole(documents.rows, dual, search._replace(seed=self.seed + int(category)), scores)
        slack = 1 - y * scores
        near = np.flatnonzero((beta != 0) | (slack > -BAND)).astype(np.int32)
        values = float(primal), float(value), part.sweeps + int(done)
        yield _Working(near, beta[near], float(dual.bias[0]), slack[near], *values)

    def check(self, block: Ints, parts: list[_Working]) -> Iterator[_Working]:
        penalty, room = self.penalty, self._block(block, self.weights, self.costs)
        for lane, part in enumerate(parts):
            room.beta[part.rows, lane], room.state[BIAS, lane] = part.beta, part.bias
            room.near[part.rows[part.beta != 0]] = 1
        margins, norms, losses = check(self.documents.rows, room)
        tied = 0 < penalty < np.inf
        for lane, (part, rows) in enumerate(zip(parts, _rows_of(room.near, len(block)), strict=True)):
            half, sums = 0.5 * norms[lane], float(part.beta.sum())
            primal = float(half + losses[lane]) + (0.5 * penalty * part.bias**2 if tied else 0.0)
            dual = float(np.abs(part.beta).sum() - half) - (sums**2 / (2 * penalty) if tied else 0.0)
            slack = 1 - margins[rows, lane]
            yield _Working(rows, room.beta[rows, lane], part.bias, slack, primal, dual, part.sweeps)


class _Solving:
    """The categories under way: each step is worked on in blocks by `run`, a map over tasks of the solver."""

    def __init__(self, solver: _Solver, run: Callable[[Callable[[Any], Any], list[Any]], list[Any]]) -> None:
        self.solver, self.run = Shared(solver), run
        self.working: dict[int, _Working] = {}
        self.documents = len(solver.documents.order)

    def step(self, name: str, blocks: list[Ints], *options: Any) -> None:
        """Work on blocks of categories."""
        tasks: list[_Task] = [
            (name, block, [self.working[c] for c in block if c in self.working], options) for block in blocks
        ]
        for block, parts in zip(blocks, self.run(self.solver, tasks), strict=True):
            self.working.update(zip(block.tolist(), parts, strict=True))

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


def _rows_of(near: NDArray[np.uint16], lanes: int) -> list[NDArray[np.int32]]:
    """Return the documents of each lane, from one bit per lane."""
    some = np.flatnonzero(near).astype(np.int32)
    bits = near[some]
    return [some[(bits >> lane) & 1 == 1] for lane in range(lanes)]


def _blocks(categories: Ints, size: int = LANES) -> list[Ints]:
    return [categories[k : k + size] for k in range(0, len(categories), size)]


def _collect(working: dict[int, _Working], order: Ints, shape: tuple[int, int]) -> Solution:
    """Return the solutions in the documents' own order; a category that was not solved has β = 0 and no slack."""
    none = _Working(np.empty(0, np.int32), np.empty(0), 0.0, np.empty(0), 0.0, 0.0)
    parts = [working.get(category, none) for category in range(shape[1])]

    def matrix(kept: list[Any], values: list[Floats]) -> sparse.csc_array:
        rows = [order[part.rows[keep]] for part, keep in zip(parts, kept, strict=True)]
        data = [value[keep] for value, keep in zip(values, kept, strict=True)]
        starts = np.concatenate([[0], np.cumsum([len(keep) for keep in data])])
        return sparse.csc_array((np.concatenate(data), np.concatenate(rows), starts), shape=shape)

    return Solution(
        beta=matrix([part.beta != 0 for part in parts], [part.beta for part in parts]),
        slack=matrix([part.slack > 0 for part in parts], [part.slack for part in parts]),
        bias=np.array([part.bias for part in parts]),
        primal=np.array([part.primal for part in parts]),
        dual=np.array([part.dual for part in parts]),
        sweeps=np.array([part.sweeps for part in parts]),
    )


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
    solver = _Solver(X, labels, weights=weights, costs=costs, penalty=penalty, seed=seed)
    left = categories[np.argsort(-np.diff(solver.members.indptr)[categories], kind="stable")]
    with _map(threads) as run:
        solving = _Solving(solver, run)
        solving.step("guess", _blocks(left))
        if X.nnz >= LARGE and solving.crowd() >= CROWDED:
            search = Search(float(penalty), float(tol), min(max_sweeps, LONGEST), 0)
            solving.step("solve_alone", _blocks(left, 1), search)
            left = solving.unfinished(left, tol, max_sweeps)
        share = max(LOOSE, TIGHT * tol)
        for k in range(ROUNDS if len(left) else 0):
            if k < PATIENCE:
                solving.step("solve", solving.batches(left), share, min(max_sweeps, STRETCH << k))
            else:
                solving.step("polish", _blocks(left, 1), share, max_sweeps)
            solving.step("check", _blocks(left))
            left = solving.unfinished(left, tol, max_sweeps)
            if not len(left):
                break
            share = TIGHT * tol * 0.5**k
    return _collect(solving.working, solver.documents.order, labels.shape)


def _map(threads: int) -> Any:
    """Return a map over tasks: of the cluster that trainings are spread over, else on threads."""
    engine = spreading()
    if engine is None:
        return worker_map(threads)
    return nullcontext(lambda function, tasks: run_tasks(function, tasks, engine=engine))
