"""CSV and TSV files as records, one row at a time.

Rows follow RFC 4180: cells may be quoted by `"`, a quote inside is doubled, a quoted cell may hold line breaks; TSV
differs only in the tab. The first row names the columns. A cell may have any length: Python's limit of 131,072
characters per cell is one number for the whole process, so it is raised only while a row is parsed, under a lock.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain
from threading import Lock
from typing import IO, Any

from rubricate.errors import InvalidInput
from rubricate.readers.input_file import InputFile
from rubricate.readers.reading import Reading
from rubricate.readers.record import Record

__all__ = ["delimited_records", "write_delimited"]

_LIMIT = 2**31 - 1
_limit_lock = Lock()


def delimited_records(file: InputFile, *, delimiter: str | None = None) -> Iterator[Record]:
    """Yield the records of a file; without any delimiter given, the header decides. Memory: one row."""
    lines = file.lines()
    first = next(lines, "")
    delimiter = file.reading.delimiter or delimiter or _delimiter(first)
    if len(delimiter) != 1 or delimiter in '\r\n"':
        raise InvalidInput(f"delimiter={delimiter!r}: one sign stands between cells; give ',', ';', '|' or a tab")
    rows = _rows(file, chain([first], lines), delimiter)
    _, header = next(rows, (1, []))
    if not header:
        file.fail("empty file", 1, "give a header that names the columns, and one row per document")
    places, width = _places(file, header, delimiter), len(header)
    for number, (line, row) in enumerate(rows, 1):
        if len(row) != width:
            remedy = f"quote cells that hold {delimiter!r} or line breaks"
            file.fail(f"{len(row)} cells, the header has {width}", line, remedy)
        yield file.record(number, line, {role: row[place] for role, place in places})


def _delimiter(header: str) -> str:
    """Return the comma, unless the header lacks one and has a semicolon (much of Europe), a tab or a bar instead."""
    return next((sign for sign in ",;\t|" if sign in header), ",")


def _places(file: InputFile, header: list[str], delimiter: str) -> list[tuple[str, int]]:
    """Return the position of the column in each role."""
    names = [name.strip() for name in header]
    if len(names) == 1 and (other := next((sign for sign in ";\t,|" if sign != delimiter and sign in names[0]), "")):
        file.fail(f"one column, {names[0][:80]!r}", 1, f"give delimiter={other!r}")
    pairs = file.roles(names).pairs()
    if double := next((name for _, name in pairs if names.count(name) > 1), ""):
        file.fail(f"two columns are named {double!r}", 1, "rename one of them")
    return [(role, names.index(name)) for role, name in pairs]


def _rows(file: InputFile, lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty, with the number of its first line."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = _next_row(reader)
        except csv.Error as error:
            file.fail(f"not a CSV row ({error})", line, _remedy(error))
        if row is None:
            return
        if row:
            yield line, row


def _remedy(error: csv.Error) -> str:
    if str(error).startswith("new-line character"):
        return "end lines with a line feed, not with a carriage return alone"
    return 'double each " inside a quoted cell and close the quotes'


def _next_row(reader: Any) -> list[str] | None:
    with _limit_lock:
        before = csv.field_size_limit(_LIMIT)
        try:
            return next(reader, None)
        finally:
            csv.field_size_limit(before)


def write_delimited(records: Iterable[Record], stream: IO[bytes], delimiter: str = ",") -> None:
    """Write a header and one row per document; the first document says whether there are titles and splits.

    Cells are written as they are, also those that a spreadsheet would take for a formula: they must come back as they
    were.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    columns: list[str] = []
    for record in records:
        cells = {"id": record.id, "title": record.title, "text": record.text, "labels": _joined(record)}
        cells["split"] = record.split
        if not columns:
            columns = [name for name, value in cells.items() if value is not None]
            writer.writerow(columns)
        if any((cells[name] is not None) != (name in columns) for name in ("title", "split")):
            raise InvalidInput(f"document {record.id!r}: all documents have a title and a split, or none has")
        writer.writerow([cells[name] for name in columns])
    text.detach()


def _joined(record: Record) -> str:
    if bad := next((label for label in record.labels if Reading.separator in label or label != label.strip()), None):
        raise InvalidInput(
            f"document {record.id!r}: the label {bad!r} cannot stand in a cell where {Reading.separator!r} separates "
            "labels; rename it, or write JSON lines"
        )
    return Reading.separator.join(record.labels)
