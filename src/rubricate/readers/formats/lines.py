"""Plain text, one document per line, without labels."""

from __future__ import annotations

from collections.abc import Iterator

from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["LINES"]


def _records(file: InputFile) -> Iterator[Record]:
    for number, line in enumerate(file.lines(), 1):
        yield Record(id=f"{file.prefix}{number}", text=line.rstrip("\r\n"), line=number)


LINES = Reader(_records)
