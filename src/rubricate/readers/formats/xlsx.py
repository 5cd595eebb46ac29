"""Excel workbooks (.xlsx): the first sheet, whose first row names the columns. Read only."""

from __future__ import annotations

from collections.abc import Iterator

from rubricate.readers.delimited import table_records
from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.tables import workbook_table

__all__ = ["XLSX"]


def _records(file: InputFile) -> Iterator[Record]:
    yield from table_records(file, workbook_table(file.path, file.path))


XLSX = Reader(_records, suffixes=(".xlsx",), streams=False)
