"""CSV and TSV files as records, one row at a time.

Rows follow RFC 4180: cells may be quoted by `"`, a quote inside is doubled, a quoted cell may hold line breaks; TSV
differs by the tab alone. The first row names the columns. A cell may have any length: Python's limit of 131,072
characters a cell is one number for the whole process, so it is raised only while a row is parsed, under a lock.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from threading import Lock
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.readers.columns import Columns
from rubricate.readers.record import Record
from rubricate.readers.text_lines import text_lines

__all__ = ["csv_records"]

_LIMIT = 2**31 - 1
_limit_lock = Lock()


def csv_records(columns: Columns, *, delimiter: str | None = None, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of a CSV file; without a delimiter, the one of its header. Memory: one row."""
    delimiter = delimiter or _delimiter(columns, encoding)
    if len(delimiter) != 1 or delimiter in '\r\n"':
        raise InvalidInput(f"delimiter={delimiter!r}: one sign stands between cells; give ',', ';', '|' or a tab")
    rows = _rows(columns, delimiter, encoding)
    _, header = next(rows, (1, []))
    if not header:
        columns.fail("empty file", 1, "give a header that names the columns, and one row a document")
    places, width = _places(columns, header, delimiter), len(header)
    for number, (line, row) in enumerate(rows, 1):
        if len(row) != width:
            remedy = f"quote cells that hold {delimiter!r} or line breaks"
            columns.fail(f"{len(row)} cells, the header has {width}", line, remedy)
        yield columns.record(number, line, {role: row[place] for role, place in places})


def _delimiter(columns: Columns, encoding: str) -> str:
    """Comma, unless the header has none and has a semicolon (spreadsheets of much of Europe), a tab or a bar."""
    header = next(text_lines(columns.path, encoding), "")
    return next((sign for sign in ",;\t|" if sign in header), ",")


def _places(columns: Columns, header: list[str], delimiter: str) -> list[tuple[str, int]]:
    """The position of the column in each role."""
    names = [name.strip() for name in header]
    if len(names) == 1 and (other := next((sign for sign in ";\t,|" if sign != delimiter and sign in names[0]), "")):
        columns.fail(f"one column, {names[0][:80]!r}", 1, f"give delimiter={other!r}")
    pairs = columns.roles(names).pairs()
    if double := next((name for _, name in pairs if names.count(name) > 1), ""):
        columns.fail(f"two columns are named {double!r}", 1, "rename one of them")
    return [(role, names.index(name)) for role, name in pairs]


def _rows(columns: Columns, delimiter: str, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with the number of its first line."""
    reader = csv.reader(text_lines(columns.path, encoding), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = _next_row(reader)
        except csv.Error as error:
            columns.fail(f"no CSV row ({error})", line, _remedy(error))
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
