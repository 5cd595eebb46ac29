"""Run tasks on as many threads as there are cores; kernels release the interpreter lock while they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rubricate.engines import one_blas_thread, stream_results

__all__ = ["threads"]


def threads(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None = None) -> Any:
    """Apply a function to every task; the first error cancels the tasks that have not started.

    With `ahead` the results are an iterator, and at most so many tasks per thread are under way or wait.

    BLAS is limited to one thread here rather than in the tasks: its threads would compete with them for the cores, and
    a limit set inside a task comes too late for threads that already wait for each other.
    """
    results = _results(function, tasks, ahead)
    return list(results) if ahead is None else results


def _results(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None) -> Iterator[Any]:
    cores = os.cpu_count() or 1
    waiting = list(tasks) if ahead is None else tasks
    room = len(waiting) + 1 if isinstance(waiting, list) else max(1, (ahead or 1) * cores)
    with one_blas_thread(), ThreadPoolExecutor(max_workers=cores) as pool:
        yield from stream_results(lambda task: pool.submit(function, task), waiting, room)
