"""A lock between processes: two fetches of one file take turns, and the second finds the file of the first."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["locked"]

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a target while the block runs; wait for it if another process or thread has it.

    The lock is a hidden empty file beside the target. It ends with the process, however that ends.
    """
    path = target.with_name(f".{target.name}.lock")
    handle = _acquired(path)
    try:
        yield
    finally:
        if sys.platform != "win32":  # an open file cannot be removed there
            path.unlink(missing_ok=True)
        os.close(handle)


def _acquired(path: Path) -> int:
    """Return a locked handle of the file that has this name now: its last owner removes it before unlocking."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass  # removed between the two calls
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
