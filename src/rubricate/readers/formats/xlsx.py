"""Excel workbooks (.xlsx): the first sheet, whose first row names the columns. Read only."""

from __future__ import annotations

from collections.abc import Iterator

from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.workbook import workbook_rows

__all__ = ["XLSX"]


def _records(file: InputFile) -> Iterator[Record]:
    rows = workbook_rows(file)
    _, header = next(rows, (1, []))
    if not header:
        file.fail("an empty sheet", 1, "put a row with the names of the columns first")
    names = [name.strip() for name in header]
    places = [(role, names.index(name)) for role, name in file.roles(names).pairs()]
    for number, (line, row) in enumerate(rows, 1):
        yield file.record(number, line, {role: row[place] if place < len(row) else "" for role, place in places})


XLSX = Reader(_records, suffixes=(".xlsx",), streams=False)
