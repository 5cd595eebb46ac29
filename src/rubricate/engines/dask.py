"""Run tasks on a Dask cluster: of a scheduler's address, of the current client, or on this machine's threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from rubricate._version import __version__
from rubricate.engines import Shared, stream_results
from rubricate.errors import InvalidInput, MissingExtra
from rubricate.registry import engine

__all__ = ["dask"]

PATIENCE = 15
"""Seconds to wait for a scheduler, and for its first worker."""
LOSSES = 5
"""Times that a task is started again after the cluster has lost what was sent to it."""
_clients: dict[str, Any] = {}
"""Clients that were opened by address; they are used again, and closed when the process ends."""


@engine("dask")
def dask(
    function: Callable[[Any], Any], tasks: Iterable[Any], address: str | None = None, ahead: int | None = None
) -> Any:
    """Apply a function to every task, in order; with `ahead` lazily, at most so many tasks per thread of the cluster.

    With an address the tasks run on the cluster of that scheduler, whose workers must have the same version of
    Rubricate. A client that the caller has opened (`distributed.Client(...)`) is used and left open; without one, the
    tasks run on this machine's threads under Dask's scheduler. The tasks and the function (once per worker) are sent to
    the workers, so Dask must be able to serialise them. Tasks of a worker that dies are run again by another.
    """
    try:
        from distributed import get_client
    except ImportError:
        raise MissingExtra("dask", "Cluster runs") from None
    if address:
        client = _client(address)
    else:
        try:
            client = get_client()
        except ValueError:
            return _on_threads(function, tasks, ahead)
    results = _results(_cluster(client, function), tasks, ahead)
    return list(results) if ahead is None else results


def _on_threads(function: Callable[[Any], Any], tasks: Iterable[Any], ahead: int | None) -> Any:
    """Run tasks on this machine's threads: all of them, or as many at a time as may be ahead."""
    from dask import compute, delayed

    def run(some: Iterable[Any]) -> list[Any]:
        return list(compute(*(delayed(function, pure=False)(task) for task in some), scheduler="threads"))

    if ahead is None:
        return run(tasks)
    source, size = iter(tasks), ahead * (os.cpu_count() or 1)
    windows = iter(lambda: list(islice(source, size)), [])
    return (result for window in windows for result in run(window))


def _results(cluster: _Cluster, tasks: Iterable[Any], ahead: int | None) -> Iterator[Any]:
    waiting = list(tasks) if ahead is None else tasks
    room = len(waiting) + 1 if isinstance(waiting, list) else max(2, (ahead or 1) * cluster.threads())
    return stream_results(cluster.submit, waiting, room)


def _cluster(client: Any, function: Callable[[Any], Any]) -> _Cluster:
    """Return the function at a client's workers; a `Shared` one is there already if it was sent before."""
    if not isinstance(function, Shared):
        return _Cluster(client, function)
    if client.id not in function.sent:
        function.sent[client.id] = _Cluster(client, function)
    return function.sent[client.id]


class _Cluster:
    """A client, and the function that all tasks call: it is sent to every worker once."""

    def __init__(self, client: Any, function: Callable[[Any], Any]) -> None:
        self.client, self.function = client, _Wrapped(function)
        self.send()

    def send(self) -> None:
        """Send the function to every worker; a worker that joins later gets it from another one."""
        self.sent = self.client.scatter(self.function, broadcast=True, hash=False)

    def threads(self) -> int:
        return sum(self.client.nthreads().values())

    def submit(self, task: Any) -> _Pending:
        return _Pending(self, task)

    def start(self, task: Any) -> Any:
        from dask import config

        # A task is a batch of documents, of some megabytes; Dask would warn of "large graphs".
        with config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}):
            return self.client.submit(_call, task, self.sent, pure=False)


class _Pending:
    """A task on a cluster; it is kept until its result is there, since a cluster may lose what it was sent."""

    def __init__(self, cluster: _Cluster, task: Any) -> None:
        self.cluster, self.task = cluster, task
        self.sent, self.future = cluster.sent, cluster.start(task)

    def done(self) -> bool:
        return bool(self.future.done())

    def cancel(self) -> None:
        self.future.cancel()

    def result(self) -> Any:
        """Wait for the result. If the last worker that had the function dies, it is sent once more to new ones."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        for _ in range(LOSSES):
            try:
                return self.future.result()
            except KilledWorker:
                break
            except CancelledError:
                self._start_again()
        raise InvalidInput(
            "a task on the Dask cluster ended with its worker several times; the log of 'dask worker' says why. "
            "Fix: give workers more memory (--memory-limit), or fewer threads each"
        )

    def _start_again(self) -> None:
        client = self.cluster.client
        if client.status != "running":
            raise InvalidInput("the Dask scheduler has gone away. Fix: start it and its workers, and run this again")
        _check_workers(client, client.scheduler.address)
        if self.sent is self.cluster.sent:
            self.cluster.send()
        self.sent, self.future = self.cluster.sent, self.cluster.start(self.task)


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
        self.function, self.version = function, __version__


def _call(task: Any, wrapped: _Wrapped) -> Any:
    if wrapped.version != __version__:  # a worker that joined after the others were asked
        raise InvalidInput(f"a Dask worker has Rubricate {__version__}, not {wrapped.version}. Fix: install the same")
    return wrapped.function(task)
