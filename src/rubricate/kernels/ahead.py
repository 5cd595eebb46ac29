"""Compile kernels in a second process while this one does something else, such as reading documents.

Numba compiles one function at a time in a process, so that a second core is of use to a second process only. Both keep
machine code in the same folder: when this process comes to a kernel that the other is at, it waits and takes the code.
Whatever goes wrong over there, the kernel is compiled here.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable

__all__ = ["start", "waited"]

PATIENCE = 120.0
"""Seconds after which a kernel is compiled here all the same."""

_processes: dict[str, subprocess.Popen[bytes]] = {}


def start(module: str, files: Iterable[str]) -> bool:
    """Run a module that compiles the kernels of these files (stems); return whether it could be started."""
    if (os.cpu_count() or 1) < 2:
        return False
    with contextlib.suppress(OSError):
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([sys.executable, "-m", module], stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603
        atexit.register(_end, process)
        _processes.update(dict.fromkeys(files, process))
        return True
    return False


def waited(file: str) -> bool:
    """Wait for the process that compiles the kernels of a file; return whether there was one."""
    process = _processes.pop(file, None)
    if process is None:
        return False
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with this one; a file that it has not finished counts as missing."""
    if process.poll() is None:
        process.kill()
        process.wait()
