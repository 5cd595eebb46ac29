"""Where work runs: one map over tasks, in this thread, on threads, or on a cluster.

An engine is a function `(function, tasks) -> results in the order of the tasks`. Results never depend on the engine.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from rubricate import registry
from rubricate.errors import InvalidInput

__all__ = ["Engine", "one_blas_thread", "run_tasks"]

Engine: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]
Task = TypeVar("Task")
Result = TypeVar("Result")

_lock = Lock()
_limits: list[Any] = []


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, engine: Engine | str = "serial"
) -> list[Result]:
    """Apply a function to every task; return the results in the order of the tasks.

    An engine is a function, a name, or a name with an address: "dask:tcp://127.0.0.1:8786".

    >>> run_tasks(abs, [-1, 2], engine="threads")
    [1, 2]
    """
    if not isinstance(engine, str):
        return engine(function, tasks)
    name, _, address = engine.partition(":")
    chosen = registry.load("engines", name)
    if not address:
        return chosen(function, tasks)
    if "address" not in inspect.signature(chosen).parameters:
        raise InvalidInput(f"the engine {name!r} takes no address, got {engine!r}; Fix: leave out {':' + address!r}")
    return chosen(function, tasks, address=address)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while the block runs; nested and concurrent blocks share one limit.

    Rounding then does not depend on the number of cores: with more threads OpenBLAS may split a sum elsewhere. On a
    busy machine, threads that wait for each other also cost far more than they gain on blocks of a few columns.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # The first block sets the limit, the last one lifts it: in between, the original limits must not be read again.
    with _lock:
        _limits.append(_limits[0] if _limits else threadpool_limits(1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()
