"""Load a corpus by name, or the user's own documents by path."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from rubricate import registry
from rubricate.corpora.fetching import verify
from rubricate.corpora.sources import Source, locate
from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Corpus

__all__ = ["load", "source", "verified"]

_SOUND: set[tuple[Path, int, int, int, int]] = set()
"""Files that this process has checked, by what changes when a file does."""


def source(name: str) -> Source:
    """Return what is known of a corpus: its files, digests, licence, splits and counts."""
    plugin = registry.load("corpora", name)
    if not isinstance(plugin, Source):
        raise TypeError(f"corpus plug-in {name!r} must export a Source, exports a {type(plugin).__name__}")
    return plugin


def load(name: Any, *, split: str | None = None, folder: str | Path | None = None, **options: Any) -> Corpus:
    """Load the corpus of this name, or the user's own documents at this path.

    Files of a corpus with digests on record are checked against them before they are read: DigestMismatch.

    A name takes precedence over a file of the same name; write `./name` for the file.

    Parameters
    ----------
    name
        A corpus (`rubricate corpus list` shows them), the path of a file or folder, the address of a database, or a
        table in memory: a pandas or polars frame, an Arrow table, a mapping from names to columns, a dataset (or its
        splits) of Hugging Face's `datasets`, a `Bunch` of scikit-learn.
    split
        One of the corpus's splits, the first by default. For a path: the column that holds the split; "" reads none.
    folder
        Search here instead of in the usual places.
    options
        The options of the corpus; for a path, those of `rubricate.io.read_files`.
    """
    if not isinstance(name, (str, Path)):
        return _frame(name, options if split is None else options | {"split": split})
    if isinstance(name, str) and name in registry.names("corpora"):
        chosen = source(name)
        split = chosen.choose(split)
        return chosen.load(verified(chosen, split, locate(chosen, split, folder)), split, options)
    options = options if split is None else options | {"split": split}
    address = isinstance(name, str) and "://" in name
    return _own(name if address else Path(folder or "") / name, str(name), options)


def verified(corpus: Source, split: str, paths: dict[str, Path]) -> dict[str, Path]:
    """Return the paths after checking each file that has digests on record; once per process for an unchanged file."""
    for file in corpus.needs(split):
        if file.name in paths and (file.sha256 or file.members):
            status = paths[file.name].stat()
            state = paths[file.name], status.st_ino, status.st_size, status.st_mtime_ns, id(file)
            if state not in _SOUND:
                verify(paths[file.name], file, whole=False)
                _SOUND.add(state)
    return paths


def _frame(table: Any, options: dict[str, Any]) -> Corpus:
    from rubricate.io.frames import is_frame, read_frame, tables_of

    if not is_frame(table):
        raise InvalidInput(
            f"load takes the name of a corpus, a path, or a table with named columns; got {type(table).__name__}"
            + (". Fix: for texts and labels in lists, {'text': texts, 'labels': labels}" if _is_list(table) else "")
        )
    _check(options, read_frame, given="frame", noun="option of a frame")
    table, test = tables_of(table)
    return read_frame(table, **(options if test is None else {"test": test} | options))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or type(value).__name__ in ("ndarray", "Series")


def _check(options: dict[str, Any], function: Any, *, given: str, noun: str) -> None:
    """Refuse options that a function does not take."""
    known = [option for option in inspect.signature(function).parameters if option != given]
    for option in options:
        if option not in known:
            raise UnknownName(noun, option, known)


def _own(path: str | Path, name: str, options: dict[str, Any]) -> Corpus:
    if not name or (isinstance(path, Path) and not path.exists() and path.name == name and not path.suffix):
        raise UnknownName("corpus", name, registry.names("corpora"))
    from rubricate.io.user_files import read_files

    _check(options, read_files, given="path", noun="option of a user's file")
    return read_files(path, **options)
