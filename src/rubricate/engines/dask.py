"""On a Dask cluster: the current client's, or processes on this machine when there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rubricate.errors import MissingExtra

__all__ = ["dask"]


def dask(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """`function` of every task, in order.

    A client that the caller has opened (`distributed.Client(...)`) is used and left open; without one, the tasks run
    on this machine's threads under Dask's scheduler. Function and tasks travel to the workers, the function once to
    each, so they must be serialisable by Dask.
    """
    try:
        from dask import compute, delayed
        from distributed import get_client
    except ImportError:
        raise MissingExtra("dask", "Cluster runs") from None
    try:
        client = get_client()
    except ValueError:
        return list(compute(*(delayed(function, pure=False)(task) for task in tasks), scheduler="threads"))
    there = client.scatter(_Called(function), broadcast=True, hash=False)
    return list(client.gather(client.map(_call, list(tasks), there=there, pure=False)))


class _Called:
    """A function as a value: a worker that is sent a bare function takes it for a task."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function


def _call(task: Any, there: _Called) -> Any:
    return there.function(task)
