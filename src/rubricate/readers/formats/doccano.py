"""doccano: the JSONL of a project for text classification, `{"id": 1, "text": "…", "label": ["a"]}` per line.

Other fields of a line (its metadata) are read by name, as in JSON lines. See https://github.com/doccano/doccano.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO

from rubricate.readers.formats.jsonl import JSONL
from rubricate.readers.input_file import InputFile
from rubricate.readers.json_lists import write_json_lines
from rubricate.readers.reader import Reader
from rubricate.readers.reading import Reading
from rubricate.readers.record import Record

__all__ = ["DOCCANO"]


def _records(file: InputFile) -> Iterator[Record]:
    reading = file.reading
    if reading.labels == Reading.labels:
        reading = replace(reading, labels="label")
    return JSONL.records(replace(file, reading=reading))


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    write_json_lines(records, stream, labels="label")


DOCCANO = Reader(_records, write=_write)
