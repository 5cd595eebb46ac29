"""Micro-batching: what waits for a model is answered together; long requests give way to short ones.

No request waits for others to arrive: a batch takes whatever waits when the model is free. A request of many documents
is answered in pieces, so that one of a single document never waits for ten thousand. A short document that comes alone
is answered on the spot where the model takes a few milliseconds: handing it to a thread and back costs as much.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from rubricate.io.batches import batched
from rubricate.io.reader import Record
from rubricate.service.models import ServedModel
from rubricate.service.responses import ClassifyOptions

__all__ = ["QueueFull", "RequestBatcher", "Spool"]

BATCH, PIECE, CHARACTERS = 1024, 256, 1 << 20
"""Most documents and characters of a batch, and most documents that one request adds to it."""
QUICK, SHORT = 0.01, 1 << 14
"""Seconds of the processor within which a model has answered a document of so many characters: it is quick."""


class QueueFull(Exception):
    """Too many documents wait for the models."""


@dataclass(eq=False)
class _Work:
    """A request on its way."""

    served: ServedModel
    documents: Sequence[Record]
    options: ClassifyOptions
    done: asyncio.Future[list[bytes]]
    rows: list[bytes] = field(default_factory=list)

    def joins(self, other: _Work) -> bool:
        return self.served is other.served and self.options == other.options and not self.served.whole

    def piece(self, size: int) -> Sequence[Record]:
        """Return the next documents, all of them where the model must see them together."""
        if self.served.whole:
            return self.documents
        begin = len(self.rows)
        return next(batched(self.documents[begin : begin + min(size, PIECE)], PIECE, CHARACTERS), [])


class RequestBatcher:
    """The requests that wait for one model name, answered one batch at a time in a pool of threads."""

    def __init__(self, pool: Executor, *, limit: int, observe: Callable[[int], None] = lambda size: None) -> None:
        self._pool, self._limit, self._observe = pool, limit, observe
        self._works: deque[_Work] = deque()
        self._task: asyncio.Task[None] | None = None
        self._quick: tuple[ServedModel | None, ClassifyOptions | None] = (None, None)
        self._arriving = 0

    @property
    def waiting(self) -> int:
        """Documents that wait."""
        return sum(len(work.documents) - len(work.rows) for work in self._works)

    async def rows(self, served: ServedModel, documents: Sequence[Record], options: ClassifyOptions) -> list[bytes]:
        """Return the rows of some documents. Cancelling the call drops what is not yet answered."""
        if not documents:
            return []
        if self._works and self.waiting + len(documents) > self._limit:
            raise QueueFull
        work = _Work(served, documents, options, asyncio.get_running_loop().create_future())
        self._works.append(work)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return await work.done

    async def at_once(
        self, served: ServedModel, documents: Sequence[Record], options: ClassifyOptions
    ) -> list[bytes] | None:
        """Return the row of one short document if nobody else waits and the model is known to be quick; else None."""
        if self._works or self._quick != (served, options) or not _is_short(documents):
            return None
        self._arriving += 1
        try:
            await asyncio.sleep(0)  # requests that came at the same time say so; together they are a batch
            if self._arriving > 1 or self._works:
                return None
            rows, seconds = _timed(served, documents, options)
        finally:
            self._arriving -= 1
        self._observe(1)
        self._note(served, options, seconds)
        return rows

    def _note(self, served: ServedModel, options: ClassifyOptions, seconds: float) -> None:
        self._quick = (served, options) if seconds <= QUICK else (None, None)

    async def _run(self) -> None:
        while self._works:
            await self._step()

    async def _step(self) -> None:
        works = self._next()
        pieces = []
        size = characters = 0
        for work in works:
            piece = work.piece(BATCH - size)
            size, characters = size + len(piece), characters + sum(len(document.text) for document in piece)
            pieces.append((work, piece))
            if size >= BATCH or characters >= CHARACTERS:
                break
        if not pieces:
            return
        await self._answer(pieces)
        taken = [work for work, _ in pieces]
        self._works = deque(work for work in self._works if work not in taken)
        self._works += [work for work in taken if not work.done.done()]  # long requests go to the end

    def _next(self) -> list[_Work]:
        """Return the works that can share a batch with the first that still wants an answer."""
        self._works = deque(work for work in self._works if not work.done.done())
        return [work for work in self._works if work.joins(self._works[0]) or work is self._works[0]]

    async def _answer(self, pieces: Sequence[tuple[_Work, Sequence[Record]]]) -> None:
        first = pieces[0][0]
        batch = [document for _, piece in pieces for document in piece]
        self._observe(len(batch))
        loop = asyncio.get_running_loop()
        try:
            rows, seconds = await loop.run_in_executor(self._pool, _timed, first.served, batch, first.options)
        except Exception as error:
            for work, _ in pieces:
                if not work.done.done():
                    work.done.set_exception(error)
            return
        if _is_short(batch):
            self._note(first.served, first.options, seconds)
        at = 0
        for work, piece in pieces:
            work.rows += rows[at : at + len(piece)]
            at += len(piece)
            if len(work.rows) == len(work.documents) and not work.done.done():
                work.done.set_result(work.rows)


def _is_short(documents: Sequence[Record]) -> bool:
    return len(documents) == 1 and len(documents[0].text) + len(documents[0].title or "") <= SHORT


def _timed(served: ServedModel, batch: Sequence[Record], options: ClassifyOptions) -> tuple[list[bytes], float]:
    """Return rows, and the seconds of the processor that they took: those of other processes do not count."""
    began = time.thread_time()
    rows = served.writer.rows(batch, options)
    return rows, time.thread_time() - began


IN_MEMORY = 1 << 20
CHUNK = 1 << 16


class Spool:
    """A queue of bytes with one writer and one reader."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._written = self._read = 0
        self._closed = False
        self._changed = asyncio.Event()
        self._error: BaseException | None = None

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._file.seek(self._written)
        self._file.write(data)
        self._written += len(data)
        self._changed.set()

    def close(self, error: BaseException | None = None) -> None:
        """End the queue; the reader gets the error after the last bytes."""
        self._closed, self._error = True, error
        self._changed.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes as they come, to the end."""
        try:
            while True:
                if self._read < self._written:
                    self._file.seek(self._read)
                    chunk = self._file.read(min(CHUNK, self._written - self._read))
                    self._read += len(chunk)
                    yield chunk
                elif self._closed:
                    break
                else:
                    self._changed.clear()
                    await self._changed.wait()
            if self._error is not None:
                raise self._error
        finally:
            self._file.close()
