"""Formats of plain text: fastText, a folder per category, and one document per line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import IO

from rubricate.errors import InvalidInput
from rubricate.io.reader import SPLITS, InputFile, Record, reader
from rubricate.io.text_files import decode, opened

__all__ = ["fasttext", "folder", "lines"]

_MARK = "__label__"
_BLANK = " \t\v\f\r\n"
_LABEL = re.compile(rf"[{_BLANK}]*{_MARK}([^{_BLANK}]+)(?=[{_BLANK}]|$)")


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    for record in records:
        labels = [_marked(label, record) for label in record.labels]
        text = re.sub(r"[\t\v\f\r\n]+", " ", f"{record.title}\n{record.text}" if record.title else record.text).strip(
            " "
        )
        if text.startswith(_MARK):
            raise InvalidInput(f"document {record.id!r}: a text that starts with {_MARK} would be read as a label")
        if not labels and not text:
            raise InvalidInput(f"document {record.id!r}: fastText has no line for a document without text and labels")
        stream.write((" ".join([*labels, text]).rstrip(" ") + "\n").encode())


def _marked(label: str, record: Record) -> str:
    if any(sign in label for sign in _BLANK):
        raise InvalidInput(
            f"document {record.id!r}: the label {label!r} has a blank, which fastText cannot write; rename it, e.g. "
            f"{re.sub(rf'[{_BLANK}]+', '-', label)!r}"
        )
    return _MARK + label


@reader("fasttext", suffixes=(".fasttext", ".ft"), sniff=lambda start: start.startswith(b"__label__"), write=_write)
def fasttext(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; empty lines are skipped. Memory: one line."""
    number = 0
    for line, text in enumerate(file.lines(), 1):
        if not text.strip(_BLANK):
            continue
        number += 1
        labels, end = [], 0
        while match := _LABEL.match(text, end):
            labels.append(match[1])
            end = match.end()
        body = text[end:].strip(_BLANK)
        yield file.record(number, line, {"text": body, "labels": labels if file.reading.labels else None})


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


@reader("folder", streams=False)
def folder(file: InputFile) -> Iterator[Record]:
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


@reader("lines")
def lines(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    for number, line in enumerate(file.lines(), 1):
        yield Record(id=f"{file.prefix}{number}", text=line.rstrip("\r\n"), line=number)
