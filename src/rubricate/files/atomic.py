"""Files that appear whole or not at all. Everything that Rubricate writes for its users passes through here."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rubricate.errors import InvalidFile

__all__ = ["atomic", "atomic_text", "write_file"]


@contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a stream whose bytes become the file at `path` when the block succeeds; otherwise the old file stays.

    The bytes are written beside the target, flushed to the disk, then renamed, so that neither Ctrl-C nor a power cut
    leaves half a file under that name. A killed process may leave the hidden file `.NAME.….part`. A path that is
    not a regular file, such as `/dev/stdout` or a named pipe, is written directly.
    """
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as stream:
            yield stream
        return
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
        raise InvalidFile(
            problem, path=target, remedy="check the folder, its permissions and the disk space"
        ) from error
    except BaseException:
        _remove(part)
        raise
    _sync_folder(target.parent)


@contextmanager
def atomic_text(path: str | Path) -> Iterator[IO[str]]:
    """Open an `atomic` stream for UTF-8 text; line ends are written as they are."""
    with atomic(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def write_file(path: Path, content: bytes) -> Path:
    """Write the content in one step and return the path; missing folders are created."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be created ({error.strerror or error})"
        raise InvalidFile(problem, path=path.parent, remedy="choose a folder that you may write to") from None
    with atomic(path) as stream:
        stream.write(content)
    return path


def _remove(part: Path) -> None:
    with contextlib.suppress(OSError):
        part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be flushed (not on Windows)."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
