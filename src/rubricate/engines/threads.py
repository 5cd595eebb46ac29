"""On as many threads as there are cores: kernels let go of the interpreter's lock while they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rubricate.engines._blas import one_blas_thread

__all__ = ["threads"]


def threads(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """`function` of every task, in order; the first error ends the rest.

    BLAS is held to one thread meanwhile, from here: its own threads would fight the tasks for the cores, and a limit
    that a task sets comes too late for threads that are already waiting for each other.
    """
    with one_blas_thread(), ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        futures = [pool.submit(function, task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
