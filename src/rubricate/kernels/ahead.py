"""Compile kernels in a second process while this one does something else, such as reading documents.

Numba compiles one function at a time in a process, so that a second core is of use to a second process only. Both keep
machine code in the same folder: when this process comes to a kernel that the other is at, it waits and takes the code.
The other process writes the names of the files it is done with, one line for each group. Whatever goes wrong over
there, the kernel is compiled here.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from threading import Lock

__all__ = ["start", "underway", "waited"]

PATIENCE = 120.0
"""Seconds after which a kernel is compiled here all the same."""

_compilers: dict[str, _Compiler] = {}


class _Compiler:
    """A process that compiles, and the files it has said to be done with."""

    def __init__(self, module: str) -> None:
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-m", module]
        self.process = subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet)  # noqa: S603
        assert self.process.stdout is not None
        self._pipe = self.process.stdout.fileno()
        self.done: set[str] = set()
        self._text, self._lock = b"", Lock()
        atexit.register(self.end)

    def wait(self, file: str) -> None:
        """Wait until a file is done, the process has ended, or patience has."""
        deadline = time.monotonic() + PATIENCE
        with self._lock:
            while file not in self.done and (left := deadline - time.monotonic()) > 0:
                if not select.select([self._pipe], [], [], left)[0] or not (read := os.read(self._pipe, 1 << 12)):
                    return
                *lines, self._text = (self._text + read).split(b"\n")
                self.done.update(name for line in lines for name in line.decode().split())

    def end(self) -> None:
        """End the process with this one; a file that it has not finished counts as missing."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def start(module: str, files: Iterable[str]) -> bool:
    """Run a module that compiles the kernels of these files (stems); return whether it could be started."""
    if (os.cpu_count() or 1) < 2:
        return False
    with contextlib.suppress(OSError):
        _compilers.update(dict.fromkeys(files, _Compiler(module)))
        return True
    return False


def underway(file: str) -> bool:
    """Tell whether a process was started for the kernels of a file and nobody has waited for it."""
    return file in _compilers


def waited(file: str) -> bool:
    """Wait for the process that compiles the kernels of a file; return whether there was one."""
    compiler = _compilers.pop(file, None)
    if compiler is None:
        return False
    with contextlib.suppress(OSError):  # where pipes cannot be waited for, the kernel is compiled here
        compiler.wait(file)
    return True
