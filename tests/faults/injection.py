"""Fault injection: the n-th open, read, write, fsync, rename or allocation of an action fails.

Python's own functions are replaced, so that every reader and writer in the process is hit: `open` in all its forms (a
stream whose raw file counts and fails), `os.open`, `os.fsync`, `os.replace` and `os.rename`, and the functions of NumPy
that ask for memory.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

__all__ = ["KINDS", "Faults", "calls_of", "chosen", "injected"]

KINDS = {"open": errno.EMFILE, "read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.EACCES}
KINDS["allocation"] = errno.ENOMEM
ALLOCATING = ("empty", "zeros", "ones", "full", "array", "concatenate", "repeat", "arange", "frombuffer", "vstack")


class Faults:
    """Counts the calls of one kind and fails number `at` (from 0); at = -1 only counts."""

    def __init__(self, kind: str, at: int = -1) -> None:
        self.kind, self.at, self.calls = kind, at, 0
        self.real = io.open

    def check(self, kind: str) -> None:
        """Count a call; raise if it is the one to fail."""
        if kind != self.kind:
            return
        self.calls += 1
        if self.calls - 1 == self.at:
            if kind == "allocation":
                raise MemoryError
            raise OSError(KINDS[kind], os.strerror(KINDS[kind]))

    def before(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with a check in front."""

        def call(*arguments: Any, **options: Any) -> Any:
            self.check(kind)
            return function(*arguments, **options)

        return call

    def raw(self, file: Any, mode: str, **options: Any) -> io.FileIO:
        """Open a raw file whose reads and writes are checked."""
        check = self.check

        class Raw(io.FileIO):
            def readinto(self, buffer: Any) -> Any:
                check("read")
                return super().readinto(buffer)

            def readall(self) -> Any:
                check("read")
                return super().readall()

            def read(self, size: int = -1) -> Any:
                check("read")
                return super().read(size)

            def write(self, data: Any) -> Any:
                check("write")
                return super().write(data)

        return Raw(file, mode, **options)

    def open(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """Open a file as `open` does, over a checked raw file."""
        if not isinstance(file, int):
            self.check("open")
        plain = mode.replace("b", "").replace("t", "")
        raw = self.raw(file, plain, closefd=closefd, opener=opener)
        if buffering == 0:
            return raw
        reads, writes = "r" in plain or "+" in plain, plain != "r"
        kind = io.BufferedRandom if reads and writes else io.BufferedWriter if writes else io.BufferedReader
        buffered = kind(raw)
        if "b" in mode:
            return buffered
        text = io.TextIOWrapper(buffered, encoding, errors, newline)
        text.mode = mode
        return text


@contextmanager
def injected(kind: str, at: int = -1) -> Iterator[Faults]:
    """Replace the functions while the block runs."""
    faults = Faults(kind, at)
    with pytest.MonkeyPatch.context() as patch:
        for place in (builtins, io):
            patch.setattr(place, "open", faults.open)
        patch.setattr(os, "fdopen", lambda fd, *arguments, **options: faults.open(fd, *arguments, **options))
        patch.setattr(os, "open", faults.before("open", os.open))
        patch.setattr(os, "fsync", faults.before("fsync", os.fsync))
        for name in ("replace", "rename"):
            patch.setattr(os, name, faults.before("rename", getattr(os, name)))
        if kind == "allocation":
            for name in ALLOCATING:
                patch.setattr(np, name, faults.before("allocation", getattr(np, name)))
        yield faults


def calls_of(action: Callable[[], Any], kind: str) -> int:
    """Return how many calls of a kind an action makes."""
    with injected(kind) as faults, suppress(SystemExit):
        action()
    return faults.calls


def chosen(calls: int, most: int) -> list[int]:
    """Return the calls to fail: all, or where there are more than `most`, the first, the last and evenly between."""
    return sorted({*np.linspace(0, calls - 1, most).astype(int).tolist()}) if calls > most else list(range(calls))
