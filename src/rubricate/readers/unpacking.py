"""Unpack gzipped files with a limit, so that a small file cannot fill the memory."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import IO, Any

from rubricate.errors import UnsafeArchive

__all__ = ["MOST_TIMES", "RATIO_FROM", "unpacked"]

MOST_TIMES = 200
"""Most times its own size that a file may unpack to; texts reach 3 to 20, repeated lines up to about 1,000."""
RATIO_FROM = 64 << 20
"""Bytes below which the ratio does not count: a small file of equal lines packs well and floods nothing."""


def unpacked(raw: IO[bytes], path: Any) -> io.BufferedReader:
    """Return the unpacked bytes of an open gzipped file; UnsafeArchive past the limit."""
    size = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    return io.BufferedReader(_Limited(gzip.GzipFile(fileobj=raw), max(RATIO_FROM, MOST_TIMES * size), path), 1 << 18)


class _Limited(io.RawIOBase):
    """Bytes that come out of a gzipped file, counted."""

    def __init__(self, stream: gzip.GzipFile, most: int, path: Any) -> None:
        super().__init__()
        self._stream, self._most, self._left, self._path = stream, most, most, path

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer and return how many bytes came out."""
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            problem = f"unpacks to more than {self._most:,} bytes, {MOST_TIMES} times its size or more"
            raise UnsafeArchive(problem, path=Path(str(self._path)), remedy="unpack it yourself if you trust it")
        return count
