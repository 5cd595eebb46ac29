"""A folder per category: each file is a document, the path of its folder its label.

Nested folders give labels such as `news/sport`. Folders named after a split (`train`, `test`, …; see `SPLITS`) at the
top, when nothing else is there, are the split and not a category. Files and folders whose name starts with a dot are
skipped; links to folders are not followed. The order is that of the names, the same on every system.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from rubricate.readers.input_file import SPLITS, InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.text_lines import decode, opened

__all__ = ["FOLDER"]


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a folder; the id is the path from it. Memory: one file."""
    root, reading = Path(file.path), file.reading
    if not root.is_dir():
        file.fail("not a folder", None, "give the folder that holds one folder per category")
    splits = _has_split_folders(root)
    for path in _files(root):
        where = path.relative_to(root)
        parts = where.parts[1:-1] if splits else where.parts[:-1]
        if reading.labels and not parts:
            file.fail(f"{where} is outside the category folders", None, "put each document into its category's folder")
        with opened(path) as stream:
            text = decode(stream.read(), path, reading.encoding)
        yield Record(
            id=file.prefix + _name(where),
            text=text,
            labels=(_name(PurePath(*parts)),) if reading.labels else (),
            title="" if reading.title else None,
            split=SPLITS[where.parts[0].lower()] if splits else None,
        )


def _has_split_folders(root: Path) -> bool:
    """Return whether the folder holds one folder per split and nothing else, with both train and test."""
    entries = [entry for entry in root.iterdir() if not entry.name.startswith(".")]
    named = {SPLITS[entry.name.lower()] for entry in entries if entry.is_dir() and entry.name.lower() in SPLITS}
    return named == {"train", "test"} and all(e.is_dir() and e.name.lower() in SPLITS for e in entries)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and (path := Path(folder) / name).is_file():
                yield path


def _name(path: PurePath) -> str:
    """Return the path with `/` between folders; bytes that are not UTF-8 become U+FFFD."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


FOLDER = Reader(_records, streams=False)
