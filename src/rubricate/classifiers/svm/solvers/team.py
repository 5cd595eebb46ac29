"""Threads that share a training: chains of tasks, none of which waits for another, and single tasks beside them.

A chain is a generator. It yields a list of tasks that may run at the same time, is sent their results in that order,
and then says what comes next. First steps go before second ones, so that similar tasks follow each other, and among
these the chain that was named first: if it has the most work, the short ones at the end fill the gaps. Which thread
takes which task changes no result.

A chain that yields None instead waits for what others find out: it is asked again when another chain has gone on. Some
chain must always go on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from threading import Condition, Lock
from typing import Any, TypeAlias

__all__ = ["ALONE", "Awaited", "Chain", "Team", "run_in_step", "team_of"]

Chain: TypeAlias = Generator[list[Any] | None, Any, None]


class Team:
    """The calling thread and its helpers, the threads of a pool."""

    def __init__(self, pool: ThreadPoolExecutor | None, threads: int) -> None:
        self._pool, self.threads = pool, threads

    def start(self, function: Callable[..., Any], *arguments: Any) -> Awaited:
        """Let a helper call a function; return what waits for its result, or calls it where no helper has begun."""
        call = partial(function, *arguments)
        return Awaited(call, None if self._pool is None else self._pool.submit(call))

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """Return the result of every task; helpers begin with the first, the calling thread with the last."""
        if self._pool is None:
            return [function(task) for task in tasks]
        waiting = [self.start(function, task) for task in tasks]
        for result in reversed(waiting):
            result()
        return [result() for result in waiting]

    def run(self, function: Callable[[Any], Any], chains: Sequence[Chain]) -> None:
        """Run chains to their ends; a task is done by calling the function with it."""
        if self._pool is None:
            run_in_step(lambda tasks: [function(task) for task in tasks], chains)
            return
        schedule = _Schedule(function, chains)
        try:
            schedule.begin(self._pool, self.threads - 1)
            schedule.work()
        finally:
            for helper in schedule.helpers:
                if not helper.cancel():
                    helper.result()


ALONE = Team(None, 1)
"""The calling thread without helpers."""


class Awaited:
    """A result that a helper may be at. A call returns it; the function is called once, whoever asks."""

    def __init__(self, function: Callable[[], Any], future: Future[Any] | None) -> None:
        self._function, self._future, self._lock = function, future, Lock()
        self._result: list[Any] = []

    def __call__(self) -> Any:
        """Return the result; wait for the helper that is at it, or call the function where none has begun."""
        with self._lock:
            if not self._result:
                own = self._future is None or self._future.cancel()
                self._result.append(self._function() if own or self._future is None else self._future.result())
        return self._result[0]


@contextmanager
def team_of(threads: int) -> Iterator[Team]:
    """Yield a team of this many threads, the calling one among them."""
    if threads == 1:
        yield ALONE
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        yield Team(pool, threads)


class _Schedule:
    """Tasks that can be done now, those of early steps and first chains first, and the results that chains wait for."""

    def __init__(self, function: Callable[[Any], Any], chains: Sequence[Chain]) -> None:
        self.function, self.chains = function, chains
        self.ready: list[tuple[int, int, int, Any]] = []
        self.steps = [0] * len(chains)
        self.results: list[list[Any]] = [[] for _ in chains]
        self.missing = [0] * len(chains)
        self.under_way, self.changed = len(chains), Condition()
        self.helpers: list[Future[None]] = []
        self.waiting: list[int] = []
        self.progress = 0

    def begin(self, pool: ThreadPoolExecutor, helpers: int) -> None:
        """Ask all chains for their first tasks; helpers join as soon as there is something for them."""
        self.pool, self.most = pool, helpers
        for number in range(len(self.chains)):
            self._go_on(number, None)

    def work(self) -> None:
        """Do tasks until no chain is left; where one fails, all threads stop after the task that they are at."""
        try:
            while (job := self._take()) is not None:
                _, chain, place, task = job
                self._put(chain, place, self.function(task))
        except BaseException:
            with self.changed:
                self.under_way = 0
                self.changed.notify_all()
            raise

    def _take(self) -> tuple[int, int, int, Any] | None:
        with self.changed:
            while self.under_way and not self.ready:
                self.changed.wait()
            return heappop(self.ready) if self.under_way else None

    def _put(self, chain: int, place: int, result: Any) -> None:
        with self.changed:
            self.results[chain][place] = result
            self.missing[chain] -= 1
            done = not self.missing[chain]
        if done:
            self._go_on(chain, self.results[chain])

    def _go_on(self, chain: int, results: list[Any] | None) -> None:
        """Ask a chain for its next tasks, outside the lock: nobody else is at this chain."""
        seen = self.progress
        tasks = _next_tasks(self.chains[chain], results)
        with self.changed:
            if tasks is None and seen == self.progress:
                self.waiting.append(chain)
                return
            again = [chain]
            if tasks is not None:
                again, self.waiting = self.waiting, []
                self._add(chain, tasks)
        for each in again:
            self._go_on(each, None)

    def _add(self, chain: int, tasks: list[Any]) -> None:
        self.progress += 1
        self.results[chain], self.missing[chain] = [None] * len(tasks), len(tasks)
        self.steps[chain] += 1
        for place, task in enumerate(tasks):
            heappush(self.ready, (self.steps[chain], chain, place, task))
        self.under_way -= bool(self.under_way and not tasks)
        self._hire()
        self.changed.notify_all()

    def _hire(self) -> None:
        """Let helpers join where more tasks are ready than have been at any time before."""
        while len(self.helpers) < min(self.most, len(self.ready) - 1):
            self.helpers.append(self.pool.submit(self.work))


def _next_tasks(chain: Chain, results: list[Any] | None) -> list[Any] | None:
    """Return the next tasks of a chain; none where it has ended, None where it waits for others."""
    try:
        while (tasks := chain.send(results)) is not None and not tasks:
            results = []
    except StopIteration:
        return []
    return tasks


def run_in_step(run: Callable[[list[Any]], list[Any]], chains: Sequence[Chain]) -> None:
    """Run chains by a map over tasks, such as that of a cluster: the next tasks of all chains together."""
    under_way = _asked([(chain, None) for chain in chains])
    while under_way:
        results = iter(run([task for _, tasks in under_way for task in tasks]))
        under_way = _asked([(chain, list(islice(results, len(tasks)))) for chain, tasks in under_way])


def _asked(sent: list[tuple[Chain, list[Any] | None]]) -> list[tuple[Chain, list[Any]]]:
    """Return the chains that have not ended, with their next tasks; those that wait are asked again after others."""
    first = [_next_tasks(chain, results) for chain, results in sent]
    second = [
        _next_tasks(chain, None) if tasks is None else tasks for (chain, _), tasks in zip(sent, first, strict=True)
    ]
    return [(chain, tasks or []) for (chain, _), tasks in zip(sent, second, strict=True) if tasks is None or tasks]
