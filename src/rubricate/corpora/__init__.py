"""Sources → Corpus: one file a corpus, and the readers of the user's own files.

A corpus is found by name in the folder that `RUBRICATE_DATA` names, then in the user's cache (`_folders`); what
a corpus file exports is a `Source` (`_source`), and archives are read without unpacking them (`_archive`).
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from rubricate import registry
from rubricate.corpora._duplicates import find_duplicates
from rubricate.corpora._fetch import fetch
from rubricate.corpora._folders import locate, missing
from rubricate.corpora._source import Source
from rubricate.corpora._statistics import describe
from rubricate.corpora._summary import summary
from rubricate.errors import UnknownName
from rubricate.types import Corpus

__all__ = ["describe", "fetch", "find_duplicates", "load", "missing", "source", "summary"]


def source(name: str) -> Source:
    """What is known of a corpus: its files, digests, licence, splits and counts."""
    found = registry.load("corpora", name)
    if not isinstance(found, Source):
        raise TypeError(f"corpus plug-in {name!r} must export a Source, exports a {type(found).__name__}")
    return found


def load(name: str | Path, *, split: str | None = None, folder: str | Path | None = None, **options: Any) -> Corpus:
    """The corpus of this name, or the user's own documents at this path.

    `split` is one of the corpus's splits (the first by default); of a path, the column that says it, where "" leaves
    a column named split alone. `folder` is searched instead of the usual places.
    `options` are those of the corpus (`rubricate corpus list` names them) or of `read_files` for a path.
    A name wins over a file of the same name; write `./name` for the file.
    """
    if isinstance(name, str) and name in registry.names("corpora"):
        chosen = source(name)
        split = chosen.choose(split)
        return chosen.load(locate(chosen, split, folder), split, options)
    return _own(Path(folder or "") / name, str(name), split, options)


def _own(path: Path, name: str, split: str | None, options: dict[str, Any]) -> Corpus:
    if not name or (not path.exists() and path.name == name and not path.suffix):
        raise UnknownName("corpus", name, registry.names("corpora"))
    from rubricate.readers.user_files import read_files

    known = [option for option in inspect.signature(read_files).parameters if option != "path"]
    for option in options:
        if option not in known:
            raise UnknownName("option of a user's file", option, known)
    return read_files(path, **options) if split is None else read_files(path, split=split, **options)
