"""Standard input where a reader of files expects a path."""

from __future__ import annotations

import io
import sys
from typing import Any

__all__ = ["StandardInput"]


class _Unread(io.RawIOBase):
    """Standard input as bytes that a buffered reader can step back in, as far as its buffer goes."""

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
    """Standard input where a reader expects a path."""

    def __init__(self) -> None:
        self._stream = io.BufferedReader(_Unread(sys.stdin.buffer), 1 << 16)

    def starts_with(self, start: bytes) -> bool:
        """Whether the first bytes that are no white space are these; they stay to be read."""
        return self._stream.peek(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(start)

    def open(self, mode: str) -> Any:
        """The bytes, for any mode: they can only be read."""
        return self._stream

    def __fspath__(self) -> str:
        return "<stdin>"

    __str__ = __fspath__
