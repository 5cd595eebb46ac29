"""Where compiled kernels are kept between runs, and when they are compiled again.

Numba keeps machine code beside the file of a function and renews it when that file changes. A kernel that calls a
kernel of another file would then run the old code of the other one. Here the stamp of a kernel is a digest of its file,
of every file of `kernels/` that it imports directly or through others, and of the versions that shape machine code.
Part of the stamp is in the name of the file, so that code of another version is never opened: unpickling an index that
names a tuple which has been renamed since would fail before Numba compares stamps. A file that was cut short (a full
disk, a power cut) counts as missing.

Kept in `NUMBA_CACHE_DIR` where that is set, else beside the kernels, else (read-only installation) in the user's cache,
else in a private folder that goes with the process. Code that a read-only installation came with is copied, not
compiled again. Only files of this folder are concerned; other users of Numba in the process see no difference.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core import caching, config

from rubricate.kernels import ahead

__all__ = ["KernelIndex", "KernelLocator", "code_folder", "is_compiled", "register", "source_stamp"]

FOLDER = Path(__file__).parent
IMPORT = re.compile(rb"^\s*(?:from|import)\s+rubricate\.kernels(?:\.(\w+))?\b", re.MULTILINE)
SHARED_MEMORY = "/dev/shm"  # noqa: S108  # only the parent of a private folder


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


def _needed(path: Path) -> set[Path]:
    """Return the file and every kernel file that it imports, directly or through others."""
    needed, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file in needed or not file.is_file():
            continue
        needed.add(file)
        names = {name.decode() for name in IMPORT.findall(_content(file))}
        # `from rubricate.kernels import x` may spread over lines: it counts as all files.
        waiting += file.parent.glob("*.py") if "" in names else [file.with_name(f"{name}.py") for name in names]
    return needed


@cache
def source_stamp(path: Path) -> str:
    """Return the digest of everything that shapes the machine code of the kernels in a file."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, np.__version__, str(getattr(config, "BOUNDSCHECK", None)))
    for part in (*versions, *(text for file in sorted(_needed(path)) for text in (file.name, _content(file)))):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _user_folder(source: Path) -> Path:
    name = hashlib.sha256(str(source).encode()).hexdigest()[:16]
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "rubricate" / "kernels" / name


def _private_folder() -> Path | None:
    """Return a new folder that only this user can read and that goes with the process: cached code is executed."""
    for parent in (None, SHARED_MEMORY):
        with contextlib.suppress(OSError):
            folder = tempfile.mkdtemp(prefix="rubricate-", dir=parent)
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            return Path(folder)
    return None


@cache
def _folder(source: Path, given: str) -> Path:
    """Return where the machine code of the kernels in folder `source` is kept."""
    beside = source / "__pycache__"
    if given:
        return Path(given) / caching._CacheLocator.get_suitable_cache_subpath(str(source / "kernel.py"))
    for folder in (beside, _user_folder(source)):
        if _is_writable(folder):
            return folder
    return _private_folder() or beside


def code_folder() -> Path:
    """Return where the machine code of the kernels is kept."""
    return _folder(FOLDER, str(getattr(config, "CACHE_DIR", "")))


def is_compiled(file: str, function: str) -> bool:
    """Return whether machine code of a kernel, by its file's stem and its name, is kept for these versions."""
    stamp = source_stamp(FOLDER / f"{file}.py")[:12]
    pattern = f"{file}.{function}-*-{stamp}.py*.nbi"
    return any(next(folder.glob(pattern), None) for folder in {code_folder(), FOLDER / "__pycache__"})


class KernelLocator(caching._CacheLocator):
    """Tells Numba where the code of a kernel is kept and when it is stale."""

    def __init__(self, function: Any, file: Path) -> None:
        self._py_file = str(file)
        self._line = function.__code__.co_firstlineno
        self._name = f"{file.stem}.{function.__qualname__}"
        self._folder = _folder(file.parent, str(getattr(config, "CACHE_DIR", "")))
        beside = file.parent / "__pycache__"
        if self._folder != beside:
            _copy_code(beside, self._folder, f"{self._name}-{self.get_disambiguator()}.py*")

    def ensure_cache_path(self) -> None:
        """Create the folder; remove the code of other versions of this kernel. Called before new code is saved."""
        self._folder.mkdir(parents=True, exist_ok=True)
        current = f"{self._name}-{self.get_disambiguator()}."
        for file in self._folder.glob(f"{self._name}-*.nb[ic]"):
            if not file.name.startswith(current):
                with contextlib.suppress(OSError):
                    file.unlink()

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return the digest of the kernel's sources."""
        return source_stamp(Path(self._py_file))

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name, and versions of one function, apart."""
        return f"{self._line}-{self.get_source_stamp()[:12]}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> KernelLocator | None:
        """Return a locator for a kernel of ours, None for any other function."""
        file = Path(py_file)
        return cls(py_func, file) if file.parent == FOLDER else None


class KernelIndex(caching.IndexDataCacheFile):
    """The files of one kernel's code; those that cannot be read back are compiled again."""

    def load(self, key: Any) -> Any:
        """Return the code kept under a key, None where there is none; wait for the process that compiles it."""
        code = super().load(key)  # type: ignore[no-untyped-call]
        if code is None and isinstance(self._source_stamp, str) and ahead.waited(self._index_name.split(".")[0]):
            return super().load(key)  # type: ignore[no-untyped-call]
        return code

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:
            if not isinstance(self._source_stamp, str):  # not a kernel of ours
                raise
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)  # type: ignore[no-untyped-call]
        except Exception as error:
            if not isinstance(self._source_stamp, str):
                raise
            raise OSError(f"{name} cannot be read back") from error


def _copy_code(source: Path, target: Path, pattern: str) -> None:
    """Copy code that an installation came with."""
    with contextlib.suppress(OSError):
        files = list(source.glob(pattern))
        if files and not any(target.glob(pattern)):
            target.mkdir(parents=True, exist_ok=True)
            for file in files:
                part = target / f"{file.name}.{os.getpid()}.tmp"
                shutil.copyfile(file, part)
                part.replace(target / file.name)


def register() -> None:
    """Make Numba ask our locator first; without effect where its internals differ from those we know."""
    with contextlib.suppress(AttributeError):
        locators = caching.CacheImpl._locator_classes
        if KernelLocator not in locators:
            locators.insert(0, KernelLocator)
            caching.IndexDataCacheFile = KernelIndex  # type: ignore[misc]
