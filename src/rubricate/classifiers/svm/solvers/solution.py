"""Shared by the linear and the kernel solver: the form of a solution, threads, documents and kernel rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_smo import KernelCache
from rubricate.types import Floats, Ints

__all__ = ["Solution", "empty_cache", "full_cache", "kernel_rows", "worker_map"]


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimum of each category: signed dual variables β = yα and slacks ξ (documents × categories), and values."""

    beta: sparse.csc_array
    slack: sparse.csc_array
    bias: Floats
    primal: Floats
    dual: Floats
    sweeps: Ints


@contextmanager
def worker_map(threads: int) -> Iterator[Callable[[Callable[[Any], Any], list[Any]], list[Any]]]:
    """Yield a map over tasks on this many threads; the results are in the order of the tasks."""
    if threads == 1:
        yield lambda function, tasks: [function(task) for task in tasks]
        return
    with ThreadPoolExecutor(threads) as pool:
        yield lambda function, tasks: list(pool.map(function, tasks))


def empty_cache(documents: int, megabytes: float) -> KernelCache:
    """Return room for as many rows of a kernel matrix as fit, two at least."""
    rows = int(min(documents, max(2, megabytes * 2**20 / (8 * documents))))
    slots, owners = np.full(documents, -1, np.int64), np.full(rows, -1, np.int64)
    return KernelCache(np.empty((rows, documents)), slots, owners, np.zeros(rows + 1, np.int64))


def full_cache(matrix: Floats) -> KernelCache:
    """Return a whole kernel matrix as a cache in which every row has its place."""
    places = np.arange(len(matrix), dtype=np.int64)
    return KernelCache(matrix, places, places.copy(), np.zeros(len(matrix) + 1, np.int64))


def kernel_rows(X: Any) -> Rows:
    """Return a CSR matrix as the kernels of SVMs take it: int64 starts, uint32 terms."""
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data)
