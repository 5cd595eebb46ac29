"""Run tasks on the Dask cluster of the current client, or on this machine's threads when there is no client."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rubricate.errors import MissingExtra

__all__ = ["dask"]


def dask(function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """Apply a function to every task, in order.

    A client that the caller has opened (`distributed.Client(...)`) is used and left open; without one, the tasks run
    on this machine's threads under Dask's scheduler. The tasks and the function (once per worker) are sent to the
    workers, so Dask must be able to serialise them.
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
    shared = client.scatter(_Wrapped(function), broadcast=True, hash=False)
    return list(client.gather(client.map(_call, list(tasks), wrapped=shared, pure=False)))


class _Wrapped:
    """A function wrapped in a value, because a worker that receives a bare function takes it for a task."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function


def _call(task: Any, wrapped: _Wrapped) -> Any:
    return wrapped.function(task)
