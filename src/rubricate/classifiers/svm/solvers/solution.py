"""A map over tasks on threads, which label trees use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

__all__ = ["worker_map"]


@contextmanager
def worker_map(threads: int) -> Iterator[Callable[[Callable[[Any], Any], list[Any]], list[Any]]]:
    """Yield a map over tasks on this many threads; the results are in the order of the tasks."""
    if threads == 1:
        yield lambda function, tasks: [function(task) for task in tasks]
        return
    with ThreadPoolExecutor(threads) as pool:
        yield lambda function, tasks: list(pool.map(function, tasks))
