"""The store: results by the hash of everything that determines them, one file each.

    STORE/ab/abcdef….zip        manifest.json (what was computed, versions, times), its digest, arrays/*.npy

A file appears whole or not at all (written beside its place, flushed, renamed), so a killed process loses what it
was computing and nothing else, and two processes on one store at worst compute the same thing twice. A file that
was damaged is noticed by its digests, reported, removed and computed again; a file that merely cannot be read now (too
many open files, no memory, a disk error) is an error and stays. Nothing in a file is ever run: no pickle.
docs/reference/store.md describes the format.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rubricate._version import __version__
from rubricate.errors import InvalidFile, UnreadableFile
from rubricate.io.container import read_container, write_container
from rubricate.storage import STORE_VARIABLE as VARIABLE
from rubricate.storage import user_store as user_folder
from rubricate.training.cache import Arrays, Entry, Make, canonical, digest

__all__ = ["VARIABLE", "DamagedEntry", "Store", "user_folder"]

FORMAT, VERSION = "rubricate-store", 1
LEFT_OVER = 24 * 3600
"""Seconds after which a half-written file of a killed process is removed."""


class DamagedEntry(UserWarning):
    """A file of the store was damaged and is computed again."""


@cache
def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"rubricate": __version__, "python": platform.python_version(), **packages}


class Store:
    """A folder of results: the one given, else that of `RUBRICATE_STORE`, else the user's.

    `fresh=True` overlooks what is there (and replaces it).
    """

    shared = True

    def __init__(self, folder: str | Path | None = None, *, fresh: bool = False) -> None:
        self.folder = Path(folder or os.environ.get(VARIABLE) or user_folder())
        self.fresh = fresh
        self._made: set[str] = set()
        self._tidy()

    def key(self, what: Mapping[str, Any]) -> str:
        """Return the hash of what determines a result; the version of Rubricate is always part of it."""
        return digest(canonical({"store": VERSION, "rubricate": __version__, **what}))

    def path(self, what: Mapping[str, Any]) -> Path:
        """Return where the result of `what` lies, or would."""
        key = self.key(what)
        return self.folder / key[:2] / f"{key}.zip"

    def has(self, what: Mapping[str, Any]) -> bool:
        """Return whether there is a file for it; `get` may still find it damaged."""
        return self._usable(what) and self.path(what).is_file()

    def get(self, what: Mapping[str, Any]) -> Entry | None:
        """Return what the store has; None where it has nothing, or nothing sound."""
        path = self.path(what)
        if not self._usable(what) or not path.is_file():
            return None
        try:
            return self._read(path, what)
        except UnreadableFile:  # not proved damaged: neither deleted nor computed again
            raise
        except InvalidFile as error:
            if not path.is_file():  # removed by another process since
                return None
            warnings.warn(f"{error} It is computed again.", DamagedEntry, stacklevel=2)
            with contextlib.suppress(OSError):
                path.unlink()
            return None

    def put(self, what: Mapping[str, Any], arrays: Arrays, *, seconds: float = 0.0, notes: Any = None) -> Entry:
        """Keep a result."""
        path = self.path(what)
        kept = dict(notes or {})
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "key": path.stem,
            "what": dict(what),
            "names": list(arrays),
            "notes": kept,
            "seconds": seconds,
            "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "versions": _versions(),
        }
        self._write(path, manifest, arrays)
        self._made.add(path.stem)
        return Entry(arrays, kept, seconds)

    def keep(self, what: Mapping[str, Any], entry: Entry) -> None:
        """Keep a result that was computed elsewhere."""
        self.put(what, entry.arrays, seconds=entry.seconds, notes=entry.notes)

    def remember(self, what: Mapping[str, Any], make: Make) -> Entry:
        """Return what the store has, else what `make` gives (arrays and notes), which the store then has."""
        entry = self.get(what)
        if entry is not None:
            return entry
        began = time.perf_counter()
        arrays, notes = make()
        return self.put(what, arrays, seconds=time.perf_counter() - began, notes=notes)

    def entries(self) -> Iterator[Path]:
        """Return the files of the store."""
        return (path for path in sorted(self.folder.glob("??/*.zip")) if not path.name.startswith("."))

    def _usable(self, what: Mapping[str, Any]) -> bool:
        return not self.fresh or self.key(what) in self._made

    def _read(self, path: Path, what: Mapping[str, Any]) -> Entry:
        manifest, arrays = read_container(path)
        names = manifest.get("names")
        if manifest.get("key") != path.stem or self.key(manifest.get("what", {})) != self.key(what):
            raise InvalidFile("the file is not the result it is named after", path=path)
        if not isinstance(names, list) or len(names) != len(arrays):
            raise InvalidFile("names and arrays differ in number", path=path)
        return Entry(dict(zip(names, arrays, strict=True)), manifest["notes"], float(manifest["seconds"]))

    def _write(self, path: Path, manifest: Mapping[str, Any], arrays: Arrays) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"the store cannot be made ({error.strerror or error})"
            raise InvalidFile(problem, path=self.folder, remedy=f"give --store, or set {VARIABLE}") from error
        try:
            write_container(path, manifest, [np.asarray(array) for array in arrays.values()])
        except InvalidFile:
            if not path.is_file():  # on Windows a file that another process reads cannot be replaced: it has the same
                raise

    def _tidy(self) -> None:
        """Remove what killed processes left half written."""
        for part in self.folder.glob("??/.*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > LEFT_OVER:
                    part.unlink()
