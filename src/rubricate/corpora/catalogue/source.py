"""What is known of a corpus before it is read: origin, digests, licence, and the counts to expect.

A corpus plug-in is one file whose `__all__` holds one name, its `Source`:

    from rubricate.corpora import DataFile, Expected, Source

    webkb = Source(
        name="webkb",
        title="WebKB, the four universities",
        licence="…",
        splits=("four", "seven"),                 # the first is the default
        files=(DataFile("webkb-data.gtar.gz", addresses=("https://…",), sha256="…"),),
        counts={"four": Expected(train=4199, test=0, categories=4)},
        read=_read,
    )

    def _read(files: Mapping[str, Path], split: str, *, option: int = 3) -> Corpus: ...

`read` gets the path of each file that the split needs, under the name the `DataFile` gives it (an archive may be
found unpacked, as a folder named like the archive without its endings: `members` reads both), and the split,
already checked. Its keyword-only arguments are the options of `load`, checked by name before the call.
A generated corpus has no files and says `synthetic=True`.
"""

from __future__ import annotations

import importlib.resources
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Corpus

__all__ = ["DataFile", "Expected", "Source", "digests"]


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
