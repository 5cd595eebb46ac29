"""Load a corpus by name, or the user's own documents by path."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from rubricate import registry
from rubricate.corpora.catalogue.folders import locate
from rubricate.corpora.catalogue.source import Source
from rubricate.errors import UnknownName
from rubricate.types import Corpus

__all__ = ["load", "source"]


def source(name: str) -> Source:
    """Return what is known of a corpus: its files, digests, licence, splits and counts."""
    plugin = registry.load("corpora", name)
    if not isinstance(plugin, Source):
        raise TypeError(f"corpus plug-in {name!r} must export a Source, exports a {type(plugin).__name__}")
    return plugin


def load(name: str | Path, *, split: str | None = None, folder: str | Path | None = None, **options: Any) -> Corpus:
    """Load the corpus of this name, or the user's own documents at this path.

    A name takes precedence over a file of the same name; write `./name` for the file.

    Parameters
    ----------
    name
        A corpus (`rubricate corpus list` shows them), or the path of a file or folder, or the address of a database.
    split
        One of the corpus's splits, the first by default. For a path: the column that holds the split; "" reads none.
    folder
        Search here instead of in the usual places.
    options
        The options of the corpus; for a path, those of `rubricate.readers.read_files`.
    """
    if isinstance(name, str) and name in registry.names("corpora"):
        chosen = source(name)
        split = chosen.choose(split)
        return chosen.load(locate(chosen, split, folder), split, options)
    options = options if split is None else options | {"split": split}
    address = isinstance(name, str) and "://" in name
    return _own(name if address else Path(folder or "") / name, str(name), options)


def _own(path: str | Path, name: str, options: dict[str, Any]) -> Corpus:
    if not name or (isinstance(path, Path) and not path.exists() and path.name == name and not path.suffix):
        raise UnknownName("corpus", name, registry.names("corpora"))
    from rubricate.readers.user_files import read_files

    known = [option for option in inspect.signature(read_files).parameters if option != "path"]
    for option in options:
        if option not in known:
            raise UnknownName("option of a user's file", option, known)
    return read_files(path, **options)
