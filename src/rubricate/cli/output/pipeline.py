"""Read, work and write at the same time: three stages over a stream of items, in constant memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Generic, TypeVar

__all__ = ["pipeline"]

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 2
"""Items per thread that are worked on, or wait to be written, while the next one is read."""


def pipeline(
    items: Iterable[Item],
    work: Callable[[Item], Result],
    write: Callable[[Result], None],
    *,
    threads: int | None = None,
    engine: str = "threads",
) -> None:
    """Write the result of every item, in the order of the items; results do not depend on the number of threads.

    Items are read in this thread, worked on by others (None: as many as there are cores), and written by one more, as
    soon as those before it are written. What was read before an error is written first; then the error of the earliest
    item is raised. With `threads=0` all is done in this thread. Another engine than threads works on the items where
    its workers are; they are read and written in this thread.

    >>> results = []
    >>> pipeline(range(5), abs, results.append)
    >>> results
    [0, 1, 2, 3, 4]
    """
    if threads == 0:
        for item in items:
            write(work(item))
        return
    if engine != "threads":
        _through(items, work, write, engine)
        return
    threads = threads or os.cpu_count() or 1
    writer = _Writer(write, room=threads * AHEAD)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                writer.wait()
                if writer.failure is not None:
                    break
                writer.add(pool.submit(work, item))
        except Exception as error:
            writer.finish()
            raise writer.failure or error from None
        except BaseException as interrupt:  # Ctrl-C: nothing more is written
            writer.failure = interrupt
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            writer.finish()
    if writer.failure is not None:
        raise writer.failure


def _through(
    items: Iterable[Item], work: Callable[[Item], Result], write: Callable[[Result], None], engine: str
) -> None:
    """Write the results of an engine; an error of the reader is raised after what was read before it is written."""
    from rubricate.engines import stream_tasks

    failures: list[Exception] = []

    def read() -> Iterator[Item]:
        try:
            yield from items
        except Exception as error:
            failures.append(error)

    for result in stream_tasks(work, read(), engine=engine):
        write(result)
    if failures:
        raise failures[0]


class _Writer(Generic[Result]):
    """A thread that writes results in order, until the first failure; at most `room` items are on their way to it."""

    def __init__(self, write: Callable[[Result], None], *, room: int) -> None:
        self.failure: BaseException | None = None
        self._write = write
        self._queue: SimpleQueue[Future[Result] | None] = SimpleQueue()
        self._room = Semaphore(room)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until there is room for one more item."""
        self._room.acquire()

    def add(self, future: Future[Result]) -> None:
        """Write a result when its turn comes."""
        self._queue.put(future)

    def finish(self) -> None:
        """Wait until all is written; may be called again."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (future := self._queue.get()) is not None:
            try:
                if self.failure is None:
                    self._write(future.result())
            except BaseException as error:
                self.failure = self.failure or error
            finally:
                self._room.release()
