"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rubricate.errors import InvalidFile

__all__ = ["atomic"]


@contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file at `path` when the block ends well; else whatever was there stays.

    Written beside the target, flushed to the disk, then renamed, so that neither Ctrl-C nor a power cut leaves half a
    file under that name. A killed process may leave the hidden file `.NAME.….part`.
    """
    target = Path(path)
    part = target.parent / f".{target.name}.{secrets.token_hex(4)}.part"
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except OSError as error:
        _remove(part)
        problem = f"cannot be written ({error.strerror or error})"
        raise InvalidFile(problem, path=target, remedy="check the folder, its rights and the space left") from error
    except BaseException:
        _remove(part)
        raise
    _sync_folder(target.parent)


def _remove(part: Path) -> None:
    with contextlib.suppress(OSError):
        part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where folders can be flushed (not on Windows)."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
