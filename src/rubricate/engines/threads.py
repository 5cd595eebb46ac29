"""Run tasks on as many threads as there are cores; kernels release the interpreter lock while they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rubricate.engines import one_blas_thread

__all__ = ["threads"]


def threads(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """Apply a function to every task; the first error cancels the tasks that have not started.

    BLAS is limited to one thread here rather than in the tasks: its threads would compete with them for the cores, and
    a limit set inside a task comes too late for threads that already wait for each other.
    """
    with one_blas_thread(), ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        futures = [pool.submit(function, task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
