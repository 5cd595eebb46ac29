"""Rows that a client has not fetched yet, on disk when there are many.

Many clients send all of a stream before they read any of the answer. Holding the answer in memory would break the
promise of constant memory, and waiting for the client would wait forever.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator

__all__ = ["Spool"]

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
