"""Where corpora are on this machine: the folder that `RUBRICATE_DATA` names, then the user's cache.

Both have one layout: each file under the name that its `DataFile` gives it. An archive may also be there unpacked,
as a folder with the archive's name without its endings (`reuters21578.tar.gz` → `reuters21578/`).
"""

from __future__ import annotations

import importlib.resources
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rubricate import registry
from rubricate.errors import CorpusMissing, InvalidInput, UnknownName
from rubricate.storage import cache_folder
from rubricate.types import Corpus

__all__ = [
    "DATA_VARIABLE",
    "DataFile",
    "Expected",
    "Source",
    "corpus",
    "digests",
    "find",
    "locate",
    "missing",
    "search_path",
    "stem",
]

DATA_VARIABLE = "RUBRICATE_DATA"
_ENDINGS = (".tar.gz", ".gtar.gz", ".tgz", ".tar", ".zip", ".gz")


def search_path(folder: str | Path | None = None) -> list[Path]:
    """Return the folders to search, in order; a folder that is given is the only one."""
    if folder is not None:
        return [Path(folder)]
    named = os.environ.get(DATA_VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]


def stem(name: str) -> str:
    """Return the name of an archive without its endings.

    >>> stem("webkb-data.gtar.gz"), stem("rcv1/rcv1.topics.hier.orig")
    ('webkb-data', 'rcv1/rcv1.topics.hier.orig')
    """
    return next((name[: -len(ending)] for ending in _ENDINGS if name.endswith(ending)), name)


def find(file: DataFile, folders: list[Path]) -> Path | None:
    """Return the path of a file, or of what it unpacks to; None when no folder has it."""
    for folder in folders:
        if (path := folder / file.name).exists():
            return path
        if (unpacked := folder / stem(file.name)).exists():
            return unpacked
    return None


def missing(source: Source, split: str | None = None, folder: str | Path | None = None) -> list[str]:
    """Return the files of a split (of all splits by default) that no folder has."""
    folders = search_path(folder)
    return [file.name for file in (source.files if split is None else source.needs(split)) if not find(file, folders)]


def locate(source: Source, split: str, folder: str | Path | None = None) -> dict[str, Path]:
    """Return the path of each file that a split needs; CorpusMissing says what to do when one is missing."""
    folders = search_path(folder)
    if absent := missing(source, split, folder):
        looked = ", ".join(str(each) for each in folders)
        command = f"rubricate corpus fetch {source.name}" + (f" --split {split}" if split != source.splits[0] else "")
        raise CorpusMissing(
            f"corpus {source.name!r} is not here: no {', '.join(absent)} in {looked}. Run '{command}' to download it, "
            f"'{command} --from PATH' if you have the file, or set {DATA_VARIABLE} to the folder that holds it."
        )
    paths = ((file.name, find(file, folders)) for file in source.needs(split))
    return {name: path for name, path in paths if path is not None}


def digests(file: str) -> dict[str, str]:
    """Read the sha256 of each member from a file in `corpora/`, in the format of `sha256sum`."""
    text = importlib.resources.files("rubricate.corpora").joinpath(file).read_text("utf-8")
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in text.splitlines())}


def _fits(value: Any, kind: Any) -> bool:
    """Return whether an option's value has its annotated type, as far as a class, a union or a Literal says."""
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(kind))
    if get_origin(kind) is Literal:
        return isinstance(value, str)  # the reader names the nearest known one
    if kind is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return not isinstance(kind, type) or isinstance(value, kind)


def _kinds(read: Callable[..., Corpus]) -> dict[str, Any]:
    try:
        return get_type_hints(read)
    except NameError:  # annotations that only a type checker can resolve
        return {}


def _shown(kind: Any) -> str:
    names = {int: "a whole number", bool: "true or false", type(None): "left out"}
    return " or ".join(names.get(part, "a string") for part in get_args(kind) or (kind,))


@dataclass(frozen=True)
class DataFile:
    """A file of a corpus.

    Parameters
    ----------
    name
        Its place in the data folder, `/` between folders (`rcv1/rcv1.topics.hier.orig`).
    addresses
        Where it can be downloaded, by HTTPS.
    sha256
        The digest of the file itself.
    members
        The digests of files inside an archive, by base name, which hold however the archive was packed: a file is
        accepted when its own digest matches or all of these do.
    splits
        The splits that need it; empty means all.
    unverified
        Why there is no digest on record, for a file that has addresses and none; such a file is trusted as far as its
        server is.
    """

    name: str
    addresses: tuple[str, ...] = ()
    sha256: str = ""
    members: Mapping[str, str] = field(default_factory=dict)
    splits: tuple[str, ...] = ()
    unverified: str = ""


@dataclass(frozen=True)
class Expected:
    """The counts of a split, and the published ones (`note` says where, and why they differ)."""

    train: int
    test: int
    categories: int
    published: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, eq=False)
class Source:
    """A corpus that can be loaded by name."""

    name: str
    title: str
    licence: str
    splits: tuple[str, ...]
    read: Callable[..., Corpus]
    files: tuple[DataFile, ...] = ()
    counts: Mapping[str, Expected] = field(default_factory=dict)
    synthetic: bool = False

    def needs(self, split: str) -> tuple[DataFile, ...]:
        """Return the files that a split is read from."""
        return tuple(file for file in self.files if not file.splits or split in file.splits)

    def choose(self, split: str | None) -> str:
        """Check the name of a split; None is the first one."""
        if split is None:
            return self.splits[0]
        if split not in self.splits:
            raise UnknownName(f"split of {self.name}", split, self.splits)
        return split

    def options(self) -> tuple[str, ...]:
        """Return the names of the reader's options."""
        parameters = inspect.signature(self.read).parameters.values()
        return tuple(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)

    def load(self, files: Mapping[str, Path], split: str, options: Mapping[str, Any]) -> Corpus:
        """Read the corpus from its files, after checking the options."""
        kinds = _kinds(self.read)
        for name, value in options.items():
            if name not in self.options():
                raise UnknownName(f"option of {self.name}", name, self.options())
            if not _fits(value, kinds.get(name, Any)):
                raise InvalidInput(f"option {name} of {self.name} must be {_shown(kinds[name])}, got {value!r}")
        if missing := [file.name for file in self.needs(split) if file.name not in files]:
            raise InvalidInput(f"corpus {self.name!r}, split {split!r}: no path given for {', '.join(missing)}")
        return self.read(files, split, **options)


def corpus(
    name: str,
    *,
    title: str,
    licence: str,
    splits: tuple[str, ...],
    files: tuple[DataFile, ...] = (),
    counts: Mapping[str, Expected] | None = None,
    synthetic: bool = False,
) -> Callable[[Callable[..., Corpus]], Source]:
    """Register a corpus under a name; the function reads one of its splits from its files. See `Source`."""

    def mark(read: Callable[..., Corpus]) -> Source:
        made = Source(name, title, licence, splits, read, files, counts or {}, synthetic)
        return registry.register("corpora", name, made, home=read.__module__)

    return mark
