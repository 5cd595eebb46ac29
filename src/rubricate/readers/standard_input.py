"""Standard input where a reader of files expects a path."""

from __future__ import annotations

import io
import sys
from typing import Any

__all__ = ["StandardInput"]


class _Unread(io.RawIOBase):
    """Standard input as bytes; reports itself seekable so that a buffered reader can step back within its buffer."""

    def __init__(self, source: Any) -> None:
        self._source, self._count = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._count

    def readinto(self, buffer: Any) -> int:
        data = self._source.read1(len(buffer))
        buffer[: len(data)] = data
        self._count += len(data)
        return len(data)


class StandardInput:
    """Standard input in place of a path; it can be read once."""

    def __init__(self) -> None:
        self._stream = io.BufferedReader(_Unread(sys.stdin.buffer), 1 << 16)

    def start(self) -> bytes:
        """Return the first bytes, without byte order mark and white space; they stay to be read."""
        return self._stream.peek(64).removeprefix(b"\xef\xbb\xbf").lstrip()

    def open(self, mode: str) -> Any:
        """Return the bytes, whatever the mode: they can only be read."""
        return self._stream

    def __fspath__(self) -> str:
        return "<stdin>"

    __str__ = __fspath__
