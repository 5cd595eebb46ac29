"""Files that appear whole or not at all, and the folders where a user's things lie on this machine."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

from rubricate.errors import InvalidFile

__all__ = [
    "CONFIG_VARIABLE",
    "MODELS_VARIABLE",
    "STORE_VARIABLE",
    "atomic",
    "atomic_text",
    "cache_folder",
    "config_file",
    "data_folder",
    "models_folder",
    "remove_parts",
    "store_folder",
    "temporary",
    "user_store",
    "write_file",
]

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows opens files as text by default."""
_parts: set[Path] = set()
"""Files that are being written now, for a process that must end at once."""


@contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a stream whose bytes become the file at `path` when the block succeeds; otherwise the old file stays.

    The bytes are written beside the target, flushed to the disk, then renamed, so that neither Ctrl-C nor a power cut
    leaves half a file under that name. A killed process (SIGKILL) may leave the hidden file `.NAME.….part`. Links are
    followed: the file they point to is replaced, the link stays. Mode and owner of an existing file are kept. A path
    that is not a regular file (a named pipe, a device) or is the standard output is written directly.
    """
    target = Path(path)
    try:
        special = _special(target)
        if special is not None:
            with special as stream:
                yield stream
            return
        target = _followed(target)
    except OSError as error:
        raise _refusal(target, error) from error
    yield from _replaced(target)


def _followed(target: Path) -> Path:
    """Return the file that a link points to, which need not exist."""
    real = Path(os.path.realpath(target))
    if real.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return real


def _replaced(target: Path) -> Iterator[IO[bytes]]:
    """Yield a stream to a new file beside the target, then rename it to the target."""
    part = target.parent / f".{target.name}.{os.urandom(4).hex()}.part"
    try:
        old = target.stat() if target.exists() else None
        with temporary(part):
            # An existing file may be private: its new content must not be readable by others for a moment.
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600 if old else 0o666)
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                if old is not None:
                    _keep_owner_and_mode(part, old)
                os.fsync(stream.fileno())
            part.replace(target)
    except OSError as error:
        raise _refusal(target, error) from error
    _sync_folder(target.parent)


def _special(target: Path) -> IO[bytes] | None:
    """Open what must be written directly: the standard output or error, a pipe, a device; None for all else."""
    if not target.exists() or target.is_dir():
        return None
    status = target.stat()
    for handle in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(status, os.fstat(handle)):
                # A new handle on the same open file: opening it by name would truncate what `>>` appends to.
                return os.fdopen(os.dup(handle), "wb")
    return None if stat.S_ISREG(status.st_mode) else target.open("wb")


def _keep_owner_and_mode(part: Path, old: os.stat_result) -> None:
    """Give the new file the owner, group and mode of the old one; only root may give files away."""
    mode = stat.S_IMODE(old.st_mode)
    with contextlib.suppress(AttributeError):  # Windows has no owners
        if (part.stat().st_uid, part.stat().st_gid) != (old.st_uid, old.st_gid):
            try:
                os.chown(part, old.st_uid, old.st_gid)
            except PermissionError:
                mode &= ~(stat.S_ISUID | stat.S_ISGID)  # these bits were meant for another owner
    part.chmod(mode)


def _refusal(target: Path, error: OSError) -> InvalidFile:
    problem = f"cannot be written ({error.strerror or error})"
    return InvalidFile(problem, path=target, remedy="check the folder, its permissions and the disk space")


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


@contextmanager
def temporary(part: Path) -> Iterator[Path]:
    """Remove a file when the block ends, unless it was renamed; `remove_parts` removes it as well."""
    _parts.add(part)
    try:
        yield part
    finally:
        _remove(part)
        _parts.discard(part)


def remove_parts() -> None:
    """Remove the files that are being written, in a process that ends without leaving its blocks."""
    for part in list(_parts):
        _remove(part)


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


CONFIG_VARIABLE = "RUBRICATE_CONFIG"
STORE_VARIABLE = "RUBRICATE_STORE"
MODELS_VARIABLE = "RUBRICATE_MODELS"


def data_folder() -> Path:
    """Return where the system keeps this user's data of Rubricate."""
    return _older("Application Support") or _folders().user_data_path


def cache_folder() -> Path:
    """Return the user's cache of corpora, where the system keeps caches; it need not exist."""
    return (_older("Caches") or _folders().user_cache_path) / "corpora"


def config_file() -> Path:
    """Return the file of defaults, the one that RUBRICATE_CONFIG names or else the user's; it need not exist."""
    if named := os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    return (_older("Application Support") or _folders(roaming=True).user_config_path) / "config.toml"


def user_store() -> Path:
    """Return the user's store, whatever the environment says."""
    return data_folder() / "store"


def store_folder() -> Path:
    """Return the store: the folder that RUBRICATE_STORE names, else the user's."""
    named = os.environ.get(STORE_VARIABLE)
    return Path(named) if named else user_store()


def models_folder() -> Path:
    """Return where fetched encoders are: the folder that RUBRICATE_MODELS names, else the user's."""
    named = os.environ.get(MODELS_VARIABLE)
    return Path(named) if named else data_folder() / "models"


def _folders(*, roaming: bool = False) -> platformdirs.PlatformDirs:
    # On Windows the file of defaults roams with the user, data does not; caches have no folder "Cache" of their own.
    return platformdirs.PlatformDirs("rubricate", appauthor=False, roaming=roaming, opinion=False)


def _older(kind: str) -> Path | None:
    """Return the folder that Rubricate 0.2 had on macOS whatever XDG_…_HOME was, if it is there."""
    folder = Path.home() / "Library" / kind / "rubricate"
    return folder if sys.platform == "darwin" and folder.is_dir() else None
