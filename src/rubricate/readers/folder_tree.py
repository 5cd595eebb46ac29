"""A folder per category as records: each file is a document, the path of its folder its label.

Nested folders give labels such as `news/sport`. Folders named after a split (`train`, `test`, …; see `SPLITS`) at the
top, when nothing else lies there, are the split and no category. Files and folders whose name starts with a dot are
passed over; links to folders are not followed. The order is that of the names, on every system the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from rubricate.readers.columns import SPLITS, Columns
from rubricate.readers.record import Record
from rubricate.readers.text_lines import decode, opened

__all__ = ["folder_records", "split_folders"]


def folder_records(columns: Columns, *, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of a folder; the id is the path from it. Memory: one file."""
    splits = split_folders(columns.path)
    for file in _files(columns.path):
        where = file.relative_to(columns.path)
        parts = where.parts[1:-1] if splits else where.parts[:-1]
        if columns.labels and not parts:
            columns.fail(f"{where} lies in no category", None, "put each document in the folder of its category")
        with opened(file) as stream:
            text = decode(stream.read(), file, encoding)
        yield Record(
            id=columns.prefix + _name(where),
            text=text,
            labels=(_name(PurePath(*parts)),) if columns.labels else (),
            title="" if columns.title else None,
            split=SPLITS[where.parts[0].lower()] if splits else None,
        )


def split_folders(path: Path) -> bool:
    """Whether the folder holds one folder a split, and both train and test."""
    entries = [entry for entry in path.iterdir() if not entry.name.startswith(".")]
    named = {SPLITS[entry.name.lower()] for entry in entries if entry.is_dir() and entry.name.lower() in SPLITS}
    return named == {"train", "test"} and all(e.is_dir() and e.name.lower() in SPLITS for e in entries)


def _files(path: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and (file := Path(folder) / name).is_file():
                yield file


def _name(path: PurePath) -> str:
    """The path with `/` between folders; bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")
