"""Where work runs: one map over tasks, in this thread, on threads, or on a cluster.

An engine is a function `(function, tasks) -> results in the order of the tasks`. Results never depend on the engine.
It may take two keywords: `address` (of a cluster), and `ahead`, with which it returns an iterator, takes tasks from
their source when they are needed, and has at most `ahead` of them per thread under way or waiting to be taken.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from itertools import islice
from threading import Event, Lock, Semaphore
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from rubricate import registry
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.types import Progress

__all__ = [
    "Engine",
    "Shared",
    "check_engine",
    "free_cores",
    "one_blas_thread",
    "pipeline",
    "run_counted",
    "run_on_threads",
    "run_tasks",
    "spread_over",
    "spreading",
    "stream_results",
    "stream_tasks",
    "take_share",
    "thread_pool",
]

Engine: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]
Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks per thread that are under way, or wait to be taken, while the next one is read."""

_lock = Lock()
_limits: list[Any] = []
_spreading: ContextVar[Engine | str | None] = ContextVar("spreading", default=None)
_share: ContextVar[int | None] = ContextVar("share", default=None)


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, engine: Engine | str = "serial"
) -> list[Result]:
    """Apply a function to every task; return the results in the order of the tasks.

    An engine is a function, a name, or a name with an address: "dask:tcp://127.0.0.1:8786".

    >>> run_tasks(abs, [-1, 2], engine="threads")
    [1, 2]
    """
    run, options = _chosen(engine)
    return run(function, tasks, **options)


def run_counted(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    engine: Engine | str = "serial",
    progress: Progress | None,
    text: str,
) -> list[Result]:
    """Do as `run_tasks` does, and tell `progress` of each task that is done; other processes cannot tell it."""
    if progress is None:
        return run_tasks(function, tasks, engine=engine)
    waiting = list(tasks)
    progress(total=len(waiting), text=text)

    def counted(task: Task) -> Result:
        result = function(task)
        progress(1)
        return result

    return run_tasks(counted, waiting, engine=engine)


@contextmanager
def thread_pool(threads: int) -> Iterator[Executor]:
    """Give a pool of threads to work that is no map over tasks; Ctrl-C ends compiled loops that run in it."""
    from rubricate.native.library import stopping

    with ThreadPoolExecutor(threads) as pool, stopping(pool):
        yield pool
        pool.shutdown()  # here, so that Ctrl-C counts while the last tasks run


def run_on_threads(function: Callable[[Any], Any], tasks: list[Any], threads: int | None) -> list[Any]:
    """Return the result of every task, in their order, with this many threads (None: one per free core)."""
    threads = threads or free_cores()
    if threads == 1 or len(tasks) <= 1:
        return run_tasks(function, tasks)
    context = copy_context()
    context.run(take_share, threads)
    return context.run(lambda: run_tasks(function, tasks, engine="threads"))


def stream_tasks(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    engine: Engine | str = "serial",
    ahead: int = AHEAD,
) -> Iterator[Result]:
    """Yield the result of every task, in the order of the tasks, in constant memory.

    Tasks are taken from their source as results are taken from here: at most `ahead` per thread of the engine are under
    way or wait. An engine without that notion gets so many tasks at a time.

    >>> list(stream_tasks(abs, iter([-1, 2, -3]), engine="threads"))
    [1, 2, 3]
    """
    run, options = _chosen(engine)
    if "ahead" in inspect.signature(run).parameters:
        yield from run(function, tasks, **options, ahead=ahead)
        return
    source = iter(tasks)
    while window := list(islice(source, ahead * (os.cpu_count() or 1))):
        yield from run(function, window, **options)


def pipeline(
    items: Iterable[Task],
    work: Callable[[Task], Result],
    write: Callable[[Result], None],
    *,
    threads: int | None = None,
    engine: str = "threads",
) -> None:
    """Read, work and write at the same time: write the result of every item, in the order of the items.

    Items are read in this thread, worked on by others (None: as many as there are cores), and written by one more, as
    soon as those before it are written. What was read before an error is written first; then the error of the earliest
    item is raised. With `threads=0` all is done in this thread. Another engine than threads works on the items where
    its workers are; they are read and written in this thread.

    >>> results = []
    >>> pipeline(range(5), abs, results.append)
    >>> results
    [0, 1, 2, 3, 4]
    """
    failures: list[BaseException] = []
    source = _until_error(items, failures)
    if threads == 0 or engine != "threads":
        for result in stream_tasks(work, source, engine="serial" if threads == 0 else engine):
            write(result)
    else:
        _overlap(source, work, write, threads=threads or os.cpu_count() or 1, failures=failures)
    if failures:
        raise failures[0]


def _until_error(items: Iterable[Task], failures: list[BaseException]) -> Iterator[Task]:
    """Yield the items; an error of their reader ends them and is added to the failures, after those of the items."""
    try:
        yield from items
    except Exception as error:
        failures.append(error)


def _overlap(
    source: Iterator[Task],
    work: Callable[[Task], Result],
    write: Callable[[Result], None],
    *,
    threads: int,
    failures: list[BaseException],
) -> None:
    """Run the stages of a pipeline; add the first error of work or writing to the front of the failures."""
    buffer, broken = Semaphore(threads * AHEAD), Event()

    def finish(worked: Future[Result]) -> None:
        try:
            if not broken.is_set():
                write(worked.result())
        except BaseException as error:
            broken.set()
            failures.insert(0, error)
        finally:
            buffer.release()

    with thread_pool(threads) as workers, thread_pool(1) as writer:
        try:
            for item in source:
                buffer.acquire()
                if broken.is_set():
                    break
                writer.submit(finish, workers.submit(work, item))
        except BaseException:  # Ctrl-C: nothing more is written
            broken.set()
            workers.shutdown(wait=False, cancel_futures=True)
            raise


class Shared:
    """A function that is given to an engine several times and must not change in between: a cluster is sent it once."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.sent: dict[str, Any] = {}
        """What an engine knows of the workers that have the function."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Shared, (self.function,)

    def __call__(self, task: Any) -> Any:
        """Call the function."""
        return self.function(task)


@contextmanager
def spread_over(engine: Engine | str) -> Iterator[None]:
    """Let what is trained in this block use an engine, if it is a cluster, for partitions and blocks of categories.

    Counts of terms and classifiers that train category by category ask `spreading`. On one machine their own threads do
    better.
    """
    far = isinstance(engine, str) and "address" in inspect.signature(_chosen(engine)[0]).parameters
    token = _spreading.set(engine if far else None)
    try:
        yield
    finally:
        _spreading.reset(token)


def spreading() -> Engine | str | None:
    """Return the cluster that a training is spread over; None for none."""
    return _spreading.get()


def free_cores() -> int:
    """Return the cores that threads started here would have to themselves: all, or the share of a task among tasks."""
    return _share.get() or os.cpu_count() or 1


def take_share(cores: int) -> None:
    """Say, in a thread that runs tasks, how many cores each of them has."""
    _share.set(cores)


def check_engine(engine: Engine | str) -> None:
    """Refuse an unknown engine, and a cluster that is not there or has other versions, before any work."""
    run_tasks(str, [], engine=engine)


def stream_results(submit: Callable[[Task], Any], tasks: Iterable[Task], room: int) -> Iterator[Any]:
    """Yield the results of tasks in order: `submit` returns a future for each, and at most `room` are held.

    When the caller stops or a task fails, what has not started is cancelled.
    """
    held: deque[Any] = deque()
    try:
        for task in tasks:
            held.append(submit(task))
            while held and (len(held) >= room or held[0].done()):
                yield held.popleft().result()
        while held:
            yield held.popleft().result()
    finally:
        for future in held:
            future.cancel()


def _chosen(engine: Engine | str) -> tuple[Callable[..., Any], dict[str, str]]:
    """Return the function of an engine, and its address where there is one."""
    if not isinstance(engine, str):
        return engine, {}
    name, _, address = engine.partition(":")
    run = registry.load("engines", name)
    if not address:
        return run, {}
    if "address" not in inspect.signature(run).parameters:
        raise InvalidInput(f"the engine {name!r} takes no address, got {engine!r}; Fix: leave out {':' + address!r}")
    return run, {"address": address}


@lru_cache(maxsize=1)
def _blas(modules: int) -> Any:
    """Return the BLAS libraries of the process. Finding them takes 10 ms; an import may have loaded another one."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while the block runs; nested and concurrent blocks share one limit.

    Rounding then does not depend on the number of cores: with more threads OpenBLAS may split a sum elsewhere. On a
    busy machine, threads that wait for each other also cost far more than they gain on blocks of a few columns.
    """
    # The first block sets the limit, the last one lifts it: in between, the original limits must not be read again.
    with _lock:
        _limits.append(_limits[0] if _limits else _blas(len(sys.modules)).limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()
