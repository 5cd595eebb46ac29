"""Run tasks one after the other, or on as many threads as there are free cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rubricate.engines import free_cores, one_blas_thread, stream_results, take_share, thread_pool
from rubricate.registry import engine

__all__ = ["serial", "threads"]


@engine("serial")
def serial(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None = None) -> Any:
    """Apply a function to every task, in order; with `ahead`, when its result is taken."""
    results = map(function, tasks)
    return list(results) if ahead is None else results


@engine("threads")
def threads(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None = None) -> Any:
    """Apply a function to every task; the first error cancels the tasks that have not started.

    With `ahead` the results are an iterator, and at most so many tasks per thread are under way or wait.

    BLAS is limited to one thread here rather than in the tasks: its threads would compete with them for the cores, and
    a limit set inside a task comes too late for threads that already wait for each other.
    """
    results = _results(function, tasks, ahead)
    return list(results) if ahead is None else results


def _results(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None) -> Iterator[Any]:
    cores = free_cores()
    waiting = list(tasks) if ahead is None else tasks
    count = len(waiting) if isinstance(waiting, list) else None
    room = max(1, (ahead or 1) * cores) if count is None else count + 1

    def work(numbered: tuple[int, Any]) -> Any:
        take_share(_share(numbered[0], count, cores))
        return function(numbered[1])

    with one_blas_thread(), thread_pool(cores) as pool:
        yield from stream_results(lambda task: pool.submit(work, task), enumerate(waiting), room)


def _share(number: int, count: int | None, cores: int) -> int:
    """Return how many cores a task has to itself: one, or more where the last tasks are fewer than the cores.

    >>> [_share(number, 5, 2) for number in range(5)]
    [1, 1, 1, 1, 2]
    """
    left = 0 if count is None else count % cores
    return cores // left if count is not None and number >= count - left else 1
