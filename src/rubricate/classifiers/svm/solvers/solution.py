"""What the linear and the kernel solver of SVMs share: the form of a solution, threads, and room for kernel rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Ints

__all__ = ["Solution", "empty_cache", "worker_map"]


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimum of each category: signed dual variables β = yα and slacks (documents × categories), and values."""

    beta: sparse.csc_array
    slack: sparse.csc_array
    bias: Floats
    primal: Floats
    dual: Floats
    sweeps: Ints


@contextmanager
def worker_map(threads: int) -> Iterator[Callable[[Callable[[Any], Any], list[Any]], list[Any]]]:
    """A map over tasks on this many threads; the results are in the order of the tasks."""
    if threads == 1:
        yield lambda function, tasks: [function(task) for task in tasks]
        return
    with ThreadPoolExecutor(threads) as pool:
        yield lambda function, tasks: list(pool.map(function, tasks))


def empty_cache(documents: int, megabytes: float) -> tuple[Any, Any, Any, Any]:
    """Room for as many rows of a kernel matrix as fit, for `solve_smo`: rows, slots, owners, clock."""
    rows = int(min(documents, max(2, megabytes * 2**20 / (8 * documents))))
    slots, owners = np.full(documents, -1, np.int64), np.full(rows, -1, np.int64)
    return np.empty((rows, documents)), slots, owners, np.zeros(rows + 1, np.int64)
