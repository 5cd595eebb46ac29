"""Run tasks on a Dask cluster: of a scheduler's address, of the current client, or on this machine's threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rubricate._version import __version__
from rubricate.errors import InvalidInput, MissingExtra

__all__ = ["dask"]

PATIENCE = 15
"""Seconds to wait for a scheduler, and for its first worker."""
_clients: dict[str, Any] = {}
"""Clients that were opened by address; they are used again, and closed when the process ends."""


def dask(function: Callable[[Any], Any], tasks: Iterable[Any], address: str | None = None) -> list[Any]:
    """Apply a function to every task, in order.

    With an address the tasks run on the cluster of that scheduler, whose workers must have the same version of
    Rubricate. A client that the caller has opened (`distributed.Client(...)`) is used and left open; without one, the
    tasks run on this machine's threads under Dask's scheduler. The tasks and the function (once per worker) are sent to
    the workers, so Dask must be able to serialise them. Tasks of a worker that dies are run again by another.
    """
    try:
        from dask import compute, delayed
        from distributed import get_client
    except ImportError:
        raise MissingExtra("dask", "Cluster runs") from None
    if address:
        client = _client(address)
    else:
        try:
            client = get_client()
        except ValueError:
            return list(compute(*(delayed(function, pure=False)(task) for task in tasks), scheduler="threads"))
    shared = client.scatter(_Wrapped(function), broadcast=True, hash=False)
    return list(client.gather(client.map(_call, list(tasks), wrapped=shared, pure=False)))


def _client(address: str) -> Any:
    """Return a client of the scheduler at this address, with at least one worker and all of our version."""
    from distributed import Client

    client = _clients.get(address)
    if client is None or client.status != "running":
        try:
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
            raise InvalidInput(
                f"no Dask scheduler answers at {address} ({type(error).__name__}). Fix: start 'dask scheduler' "
                "and give its address, such as dask:tcp://127.0.0.1:8786"
            ) from None
        _clients[address] = client
    _check_workers(client, address)
    return client


def _check_workers(client: Any, address: str) -> None:

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InvalidInput(
            f"the Dask scheduler at {address} has no workers. Fix: start some with 'dask worker {address}'"
        ) from None
    try:
        versions = client.run(_version)
    except Exception as error:  # whatever a worker without Rubricate says
        raise InvalidInput(
            f"a Dask worker of {address} cannot import Rubricate ({type(error).__name__}: {error}). "
            f"Fix: install rubricate {__version__} there"
        ) from None
    others = {worker: version for worker, version in versions.items() if version != __version__}
    if others:
        worker, version = next(iter(others.items()))
        raise InvalidInput(
            f"the Dask worker {worker} has Rubricate {version}, this is {__version__}: numbers may differ. "
            "Fix: install the same version"
        )


def _version() -> str:
    from rubricate._version import __version__ as own

    return own


class _Wrapped:
    """A function wrapped in a value, because a worker that receives a bare function takes it for a task."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function


def _call(task: Any, wrapped: _Wrapped) -> Any:
    return wrapped.function(task)
