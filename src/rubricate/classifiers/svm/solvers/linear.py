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

A block takes its steps without waiting for others (`team`). What a check leaves unfinished is solved at once, and then
checked together with what is left of other blocks, while the weights of the finished categories are summed (`weights`).
Blocks and categories share no state, so that neither the order nor the number of threads changes a bit of the result,
nor whether the blocks are worked on by threads or by the workers of a cluster (`engines.spreading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.block_solver import BlockSolver, Task, Working
from rubricate.classifiers.svm.solvers.solution import Solution
from rubricate.classifiers.svm.solvers.team import Chain, Team, run_in_step
from rubricate.classifiers.svm.solvers.weights import WeightSums
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


_NONE = _Values(np.empty(0, np.int32), np.empty(0))


class _Solving:
    """The categories under way: `run` runs chains of tasks, which are steps of the solver for blocks of categories."""

    def __init__(self, run: Callable[[list[Chain]], None], search: Search, n: int, *, batch: float = BATCH) -> None:
        self.run, self.search, self.documents, self.batch = run, search, n, batch
        self.working: dict[int, Working] = {}
        self.left: set[int] = set()
        """Categories that the last check found not to be done."""
        self.expected, self.large = 0, False
        self.crowded: bool | None = None

    def solve(self, left: Ints, *, large: bool) -> Iterator[Ints]:
        """Solve categories, those of the most documents first; yield those that are done, while others are not."""
        self.expected, self.large = len(left), large
        self.run([self.guessed(block) for block in _blocks(left)])
        if self.is_crowded():
            alone = self.search._replace(sweeps=min(self.search.sweeps, LONGEST))
            self.run([self.step("solve_alone", [block], alone) for block in _blocks(left, 1)])
            every, left = left, self.unfinished(left)
            yield np.setdiff1d(every, left)
            self.run([self.begun(block) for block in _blocks(left)])
        for k in range(self.is_loose(), ROUNDS):
            if k > self.is_loose():
                # What is left of all blocks is put into new ones: a check costs the same for one lane as for all.
                self.left.clear()
                self.run([self.checked(block, k) for block in _blocks(left)])
            done = np.array([category not in self.left for category in left.tolist()], bool)
            yield left[done]
            left = left[~done]
            if not len(left):
                return
        yield left

    def guessed(self, block: Ints) -> Chain:
        """Guess a block; begin it as soon as it is certain that working sets will do."""
        yield from self.step("guess", [block])
        while self.is_crowded() is None:
            yield None
        if not self.is_crowded():
            yield from self.begun(block)

    def begun(self, block: Ints) -> Chain:
        """Solve a block for the first time, where that is loose once more from the working sets found; check it."""
        yield from self.solved(block, 0)
        if self.is_loose():
            yield from self.step("survey", [block])
            yield from self.solved(block, 1)
        yield from self.checked(block, int(self.is_loose()))

    def solved(self, block: Ints, k: int) -> Chain:
        """Solve the categories of a block for round k."""
        most, share = self.search.sweeps, self.share(k)
        stuck = np.array([k >= PATIENCE and self.working[c].stuck for c in block.tolist()], bool)
        solves = self.tasks("solve", self.batches(block[~stuck]), share, min(most, STRETCH << k))
        yield from self.done(solves + self.tasks("polish", _blocks(block[stuck], 1), share, most))

    def checked(self, block: Ints, k: int) -> Chain:
        """Check a block after round k; solve what is not done for the next round, before others are checked."""
        yield from self.step("check", [block])
        left = self.unfinished(block)
        self.left.update(left.tolist())
        if k + 1 < ROUNDS:
            yield from self.solved(left, k + 1)

    def share(self, k: int) -> float:
        """Return the relative gap that is asked of the solves of a round."""
        tight = TIGHT * self.search.tol
        return tight * 0.5 ** (k - 1) if k else max(LOOSE, tight)

    def is_loose(self) -> bool:
        """Tell whether nothing is done after the first round: its values need not be known."""
        return self.share(0) > self.search.tol and self.search.sweeps > STRETCH

    def tasks(self, name: str, blocks: list[Ints], *options: Any) -> list[Task]:
        """Return a step for each of some blocks, with what is known of their categories."""
        known = self.working
        return [(name, block, [known[c] for c in block.tolist() if c in known], options) for block in blocks]

    def done(self, tasks: list[Task]) -> Chain:
        """Let tasks be done, and keep what they return."""
        for (_, block, _, _), parts in zip(tasks, (yield tasks), strict=True):
            self.working.update(zip(block.tolist(), parts, strict=True))

    def step(self, name: str, blocks: list[Ints], *options: Any) -> Chain:
        """Take a step for some blocks."""
        yield from self.done(self.tasks(name, blocks, *options))

    def unfinished(self, categories: Ints) -> Ints:
        """Return those of some categories that are not done."""
        _, tol, most, _ = self.search
        return np.array([c for c in categories.tolist() if not self.working[c].finished(tol, most)], np.int64)

    def is_crowded(self) -> bool | None:
        """Tell whether categories are to be solved on all documents; None while the guesses under way may decide it."""
        if self.crowded is None:
            known = list(self.working.values())
            near, every = sum(len(part.rows) for part in known), self.documents * self.expected
            most = near + self.documents * (self.expected - len(known))
            if not (self.large and every) or most < CROWDED * every:
                self.crowded = False
            elif len(known) == self.expected:
                self.crowded = True
        return self.crowded

    def batches(self, categories: Ints) -> list[Ints]:
        """Group categories of similar work, the most work first: at most 16 each, and few where sets are large."""
        work = {category: len(self.working[category].rows) for category in categories.tolist()}
        groups: list[list[int]] = []
        filled = 0
        for category in sorted(work, key=work.__getitem__, reverse=True):
            if not groups or filled + work[category] > self.batch or len(groups[-1]) == LANES:
                groups.append([])
                filled = 0
            groups[-1].append(category)
            filled += work[category]
        return [np.array(group) for group in groups]


def _blocks(categories: Ints, size: int = LANES) -> list[Ints]:
    return [categories[k : k + size] for k in range(0, len(categories), size)]


class _Collected:
    """The solutions so far, in the documents' own order; a category that was not solved has β = 0 and no slack."""

    def __init__(self, order: Ints, shape: tuple[int, int]) -> None:
        self.order, self.shape = order.astype(np.int32), shape
        self.beta, self.slack = [_NONE] * shape[1], [_NONE] * shape[1]
        self.bias, self.primal, self.dual = np.zeros(shape[1]), np.zeros(shape[1]), np.zeros(shape[1])
        self.sweeps = np.zeros(shape[1], np.int64)

    def add(self, block: list[int], working: Mapping[int, Working]) -> None:
        """Keep what belongs to the solutions of some categories; where `out_of_core` holds, in files."""
        parts = [working[category] for category in block]
        own = self.order[np.concatenate([part.rows for part in parts])]
        ends = np.cumsum([len(part.rows) for part in parts])
        beta, slack = (np.concatenate([getattr(part, name) for part in parts]) for name in ("beta", "slack"))
        for kept, values, keep in ((self.beta, beta, beta != 0), (self.slack, slack, slack > 0)):
            some = np.flatnonzero(keep)
            rows, values = stored(own[some]), stored(values[some])
            for category, (first, last) in zip(block, pairwise([0, *np.searchsorted(some, ends)]), strict=True):
                kept[category] = _Values(rows[first:last], values[first:last])
        for name in ("bias", "primal", "dual", "sweeps"):
            getattr(self, name)[block] = [getattr(part, name) for part in parts]

    def beta_of(self, categories: Ints) -> sparse.csc_array:
        """Return the β of some categories, documents × all categories."""
        columns = [_NONE] * self.shape[1]
        for category in categories.tolist():
            columns[category] = self.beta[category]
        return _matrix(columns, self.shape)

    def solution(self) -> Solution:
        """Return the solution of all categories."""
        beta, slack = (_matrix(kept, self.shape) for kept in (self.beta, self.slack))
        return Solution(beta, slack, bias=self.bias, primal=self.primal, dual=self.dual, sweeps=self.sweeps)


def _matrix(columns: list[_Values], shape: tuple[int, int]) -> sparse.csc_array:
    starts = np.concatenate([[0], np.cumsum([len(column.rows) for column in columns])])
    rows, values = empty(starts[-1], np.int32), empty(starts[-1], np.float64)
    np.concatenate([column.rows for column in columns], out=rows)
    np.concatenate([column.values for column in columns], out=values)
    return sparse.csc_array((values, rows, starts), shape=shape)


def solve_linear(
    X: Sparse,
    labels: Sparse,
    categories: Ints,
    *,
    weights: Floats,
    costs: Floats,
    squares: Callable[[], Floats],
    penalty: float,
    tol: float,
    max_sweeps: int,
    seed: int,
    coef: WeightSums,
) -> Solution:
    """Solve these categories (columns of `labels`) to a relative duality gap of `tol`, or for `max_sweeps` sweeps.

    `weights` multiply the costs of documents; `costs` is 2 × categories (of negatives, of positives); `squares` returns
    the squared lengths of the rows; `penalty` is the λ of ½λb²: 0 for a free bias, ∞ for none. Each category must have
    documents on both sides. To `coef` the weights of these categories are added, in part after the return; its team
    does the work.
    """
    coef.make_room()
    given: dict[str, Any] = {"weights": weights, "costs": costs, "squares": squares, "penalty": penalty, "seed": seed}
    solver = BlockSolver(X, labels, **given)
    falling = categories[np.argsort(-np.diff(solver.members.indptr)[categories], kind="stable")]
    size = max(TOGETHER // max(X.shape[0], 1) // 64, 1) * 64
    collected, run = _Collected(solver.documents.order, labels.shape), _runner(solver, coef.team)
    alone = coef.team.threads == 1 and spreading() is None
    for group in _blocks(falling, size):
        search = Search(float(penalty), float(tol), max_sweeps, 0)
        solving = _Solving(run, search, X.shape[0], batch=np.inf if alone else BATCH)
        _settle(solving.solve(group, large=X.nnz >= LARGE), solving.working, collected, coef)
    return collected.solution()


def _settle(waves: Iterator[Ints], working: Mapping[int, Working], collected: _Collected, coef: WeightSums) -> None:
    """Collect categories as they are done, and begin to add their weights: those of the first wave beside others."""

    def settle(done: Ints) -> None:
        for block in _blocks(done):
            collected.add(block.tolist(), working)
        coef.add(collected.beta_of(done))

    first = next(waves)
    begun = coef.team.start(settle, first) if coef.team.threads > 1 else None
    rest = np.concatenate([first[:0] if begun else first, *waves])
    if begun:
        begun()
    if len(rest):
        settle(rest)


def _runner(solver: BlockSolver, team: Team) -> Callable[[list[Chain]], None]:
    """Return what runs chains of tasks: the cluster that trainings are spread over, else a team of threads."""
    engine, shared = spreading(), Shared(solver)
    if engine is None:
        return lambda chains: team.run(solver, chains)
    return lambda chains: run_in_step(lambda tasks: run_tasks(shared, tasks, engine=engine), chains)
