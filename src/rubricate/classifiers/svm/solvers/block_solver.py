"""The steps of `linear` for one block of categories: guess, solve, check, and two for hard ones.

A block is up to sixteen categories, given by their columns. Its documents are the rows of the corpus in random order,
the most frequent terms first, so that the weights that are needed most lie together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.svm.solvers.solution import empty_cache
from rubricate.kernels.lane_code import lined
from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_checks import CheckedDocuments, Measures, PassRoom, check, survey
from rubricate.kernels.svm_fold import arrange_rows, fold_rows, term_frequencies
from rubricate.kernels.svm_joint import BAND, BIAS, COSTS, LaneBlock, WorkingLists, guess, label_bits
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_local import Dual, LaneDocuments, Search, WorkingSets, copy_rows, solve_block
from rubricate.kernels.svm_smo import Goal, KernelForm, KernelMatrix, expand, solve_smo
from rubricate.kernels.svm_whole import solve_whole
from rubricate.scratch import empty, rest
from rubricate.types import Floats, Ints, Sparse

__all__ = ["BlockSolver", "Task", "Working"]

SWEEPS = 6
"""Sweeps of the guess. On Reuters 3, 6 and 12 leave working sets of 340, 273 and 267 documents per category.
What the guess takes longer the solves save: the time of the whole is the same within a few percent."""
CACHE = 200.0
"""Megabytes of kernel rows for steps of two documents."""
LONELY = 0.15
"""Terms of a single document are folded where they hold this share of the stored values.
Not tuned: on WebKB it lies above the share of words and below that of word pairs."""
PIECE = 1 << 22
"""Stored values that are copied together."""
START = 1.05
"""The bias from which categories of less than a third of the documents start, negated; of more than two thirds, not."""
VACANT = -4.0
"""The bias of lanes without a category: no document is near their margin, so that they keep none from being skipped."""
STRETCH = 1 << 16
"""Documents that are checked together."""
SMALL = 50_000
"""Stored values below which nothing is folded: the small problem takes no time."""
NOTHING = np.empty(0)
"""The 1 − yf of working sets that no check has found: nobody asks for them."""
HOME = {"_single", "_corpus", "_measures", "_spare"}
"""Attributes that another process makes itself."""


@dataclass(frozen=True, eq=False)
class _Documents:
    """The documents in random order, the most frequent terms first; `features` are the terms that occur."""

    order: Ints
    rows: Rows
    squares: Floats
    features: int


@dataclass(eq=False)
class Working:
    """A category under way: its documents near the margin with their β and 1 − yf."""

    rows: NDArray[np.int32]
    beta: Floats
    bias: float
    slack: Floats
    primal: float = np.inf
    dual: float = -np.inf
    sweeps: int = 0
    stuck: bool = False
    """Whether the last solve ended because no sweep was left."""

    def finished(self, tol: float, max_sweeps: int) -> bool:
        """Tell whether the gap is within the tolerance, or no sweep is left."""
        return self.primal - self.dual <= tol * self.primal or self.sweeps >= max_sweeps


Task: TypeAlias = tuple[str, Ints, list[Working], tuple[Any, ...]]


def _arrange(X: Sparse, order: Ints, squares: Callable[[], Floats]) -> _Documents:
    frequency, given = np.zeros(X.shape[1], np.int64), Rows(X.indptr, X.indices, X.data)
    term_frequencies(X.indices, frequency)
    rank = np.empty(X.shape[1], np.uint32)
    # NumPy sorts numbers of 16 bits by radix.
    falling = (X.shape[0] - frequency).astype(np.uint16) if X.shape[0] < 1 << 16 else -frequency
    rank[np.argsort(falling, kind="stable")] = np.arange(X.shape[1], dtype=np.uint32)
    if X.nnz >= SMALL and np.count_nonzero(frequency == 1) >= LONELY * X.nnz:
        kept = int(np.count_nonzero(frequency > 1))
        rows = fold_rows(given, order, rank, kept)
        return _Documents(order, rows, squares()[order], kept + len(order))
    rows = Rows(np.empty(len(order) + 1, np.int64), empty(X.nnz, np.uint32), empty(X.nnz, X.dtype))
    arrange_rows(given, order, rank, rows)
    rest()
    return _Documents(order, rows, squares()[order], max(int(np.count_nonzero(frequency)), 1))


class BlockSolver:
    """The steps for a block of categories, given by their columns: a function of tasks that changes nothing.

    A task is the name of a step, a block, what is known of its categories, and what the step needs besides. Returned is
    what is known of the categories afterwards.
    """

    def __init__(
        self,
        X: Sparse,
        labels: Sparse,
        *,
        weights: Floats,
        costs: Floats,
        squares: Callable[[], Floats],
        penalty: float,
        seed: int,
    ) -> None:
        order = np.random.default_rng(seed).permutation(X.shape[0])
        self.documents, self.members = _arrange(X, order, squares), sparse.csc_array(labels[order])
        self.lists = Lists(self.members.indptr.astype(np.int64), self.members.indices.astype(np.int32))
        self.weights, self.costs, self.penalty, self.seed = weights[order], costs, penalty, seed
        self.scale = float(self.documents.squares.mean()) or 1.0

    def __getstate__(self) -> dict[str, Any]:
        """Leave at home what another process computes itself."""
        return {name: value for name, value in vars(self).items() if name not in HOME}

    def __call__(self, task: Task) -> list[Working]:
        """Take a step for a block."""
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

    @cached_property
    def _corpus(self) -> CheckedDocuments:
        """Return the documents as the passes over all of them take them."""
        return CheckedDocuments(self.documents.rows, self._single[0], self.weights, self.lists)

    @cached_property
    def _measures(self) -> Measures:
        """Return the numbers that a check needs."""
        starts, squares = self.documents.rows.starts, self.documents.squares
        longest, largest = int(np.diff(starts).max(initial=0)), float(squares.max(initial=0.0))
        return Measures(float(self.penalty), self.scale, longest, largest)

    @cached_property
    def _spare(self) -> list[PassRoom]:
        return []

    @contextmanager
    def _room(self) -> Iterator[PassRoom]:
        """Lend room for a pass to a thread; what one has given back is lent again."""
        features, n = self.documents.features, len(self.weights)
        try:
            room = self._spare.pop()
        except IndexError:
            W, single = (lined(features, kind, make=np.empty) for kind in (np.float64, np.float32))
            stretch = min(n, STRETCH)
            # The guess has the β of all documents there, in single precision.
            beta = lined(max(stretch + 1, -(-n // 2)), make=np.empty)
            room = PassRoom(W, single, beta, np.empty(stretch, np.int32))
        yield room
        self._spare.append(room)

    def bits(self, block: Ints) -> NDArray[np.uint16]:
        """Return the labels of the documents, a bit for every category of a block."""
        return np.asarray(label_bits(self.lists, np.asarray(block, np.int64), len(self.documents.order)))

    def lanes(self, values: Floats, block: Ints) -> Floats:
        """Return values of the categories, one lane each; the lanes left over are zero."""
        padded = np.zeros((*values.shape[:-1], LANES))
        padded[..., : len(block)] = values[..., block]
        return padded

    def _state(self, block: Ints, costs: Floats, bias: Any, kind: Any) -> Any:
        """Return the state of a block."""
        state = np.zeros((5, LANES), kind)
        state[BIAS], state[COSTS:] = VACANT, self.lanes(costs, block)
        state[BIAS, : len(block)] = bias
        return state

    def guess(self, block: Ints, parts: list[Working]) -> Iterator[Working]:
        """Sweep over all documents in single precision, from β = 0."""
        rows, inverse, weights = self._single
        n, kind, bias = len(weights), weights.dtype, np.zeros(len(block))
        if np.isfinite(self.penalty):
            share = np.diff(self.members.indptr)[block] / n
            bias = np.where(share < 1 / 3, -START, np.where(share > 2 / 3, START, 0.0))
        state = self._state(block, self.costs * self.scale, bias, kind)
        with self._room() as room:
            beta = room.beta.reshape(-1).view(kind)[: n * LANES].reshape(n, LANES)
            lanes = LaneBlock(self.bits(block), weights, room.single, beta, np.empty(n, np.uint16), state)
            found = guess(rows, lanes, inverse, float(self.penalty * self.scale), SWEEPS, self.scale)
        for lane in range(len(block)):
            yield Working(*_part(found, lane), float(state[BIAS, lane]), NOTHING)

    def _pack(self, block: Ints, parts: list[Working]) -> WorkingSets:
        """Return the working sets of a block end to end."""
        offsets, members, beta = _end_to_end(parts)
        return WorkingSets(
            offsets=offsets,
            members=members,
            beta=beta,
            bias=np.array([part.bias for part in parts]),
            seeds=np.asarray(self.seed + block, np.int64),
            w=np.zeros(self.documents.features),
        )

    def solve(self, block: Ints, parts: list[Working], tol: float, sweeps: int) -> Iterator[Working]:
        """Solve each category on its working set."""
        sets, labels, costs = self._pack(block, parts), self.bits(block), self.lanes(self.costs, block)
        documents = LaneDocuments(labels, self.weights, self.documents.squares, costs)
        done = solve_block(self.documents.rows, documents, sets, Search(self.penalty, tol, sweeps, self.seed))
        ends = pairwise(sets.offsets.tolist())
        for part, (first, last), bias, own in zip(parts, ends, sets.bias.tolist(), done.tolist(), strict=True):
            beta, total = sets.beta[first:last], part.sweeps + own
            yield Working(part.rows, beta, bias, part.slack, part.primal, part.dual, total, own >= sweeps)

    def polish(self, block: Ints, parts: list[Working], tol: float, sweeps: int) -> Iterator[Working]:
        """Solve a category on its working set by steps of two documents, for which near twins are no obstacle."""
        (category,), (part,), documents, penalty = block, parts, self.documents, self.penalty
        rows = copy_rows(documents.rows, part.rows)
        inside = np.isin(part.rows, self.members[:, [category]].indices)
        y, cap = np.where(inside, 1.0, -1.0), self.weights[part.rows] * self.costs[inside.astype(int), category]
        shift, cache = 1 / penalty if penalty > 0 else 0.0, empty_cache(len(y), CACHE)
        form = KernelForm(0, 1.0, 1.0, 0.0, shift)
        matrix = KernelMatrix(rows, documents.squares[part.rows], form, cache, np.zeros(documents.features))
        dual = expand(matrix, y, cap, part.beta.copy())
        _, steps = solve_smo(matrix, dual, Goal(penalty == 0, tol, sweeps * len(y)))
        bias = best_bias(dual.f, y, cap) if penalty == 0 else float(dual.beta.sum()) * shift
        yield replace(part, beta=dual.beta, sweeps=part.sweeps + -(-steps // len(y)), bias=bias)

    def solve_alone(self, block: Ints, parts: list[Working], search: Search) -> Iterator[Working]:
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
        yield Working(near, beta[near], float(dual.bias[0]), slack[near], *values)

    def survey(self, block: Ints, parts: list[Working]) -> Iterator[Working]:
        """Find the new working sets in single precision; the values stay unknown."""
        state = self._state(block, self.costs, [part.bias for part in parts], np.float32)
        with self._room() as room:
            found = survey(self._corpus, np.asarray(block, np.int64), _end_to_end(parts), state, room, self.scale)
        for lane, part in enumerate(parts):
            yield Working(*_part(found, lane), part.bias, NOTHING, sweeps=part.sweeps, stuck=part.stuck)

    def check(self, block: Ints, parts: list[Working]) -> Iterator[Working]:
        """Compute the exact values over all documents, and the new working sets."""
        state = self._state(block, self.costs, [part.bias for part in parts], np.float64)
        with self._room() as room:
            *found, slack, values = check(
                self._corpus, np.asarray(block, np.int64), _end_to_end(parts), state, room, self._measures
            )
        for lane, (part, primal, dual) in enumerate(zip(parts, *values.tolist(), strict=True)):
            own = slack[found[0][lane] : found[0][lane + 1]]
            yield Working(*_part(found, lane), part.bias, own, primal, dual, part.sweeps, part.stuck)


def _part(found: Any, lane: int) -> tuple[Any, Any]:
    """Return documents and β of a lane."""
    starts, documents, beta = found
    first, last = starts[lane], starts[lane + 1]
    return documents[first:last], beta[first:last]


def _end_to_end(parts: list[Working]) -> WorkingLists:
    """Return where each working set begins and the last ends, their documents, and their β."""
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.array([len(part.rows) for part in parts]), out=offsets[1:])
    rows, beta = (np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "beta"))
    return WorkingLists(offsets, rows, beta)
