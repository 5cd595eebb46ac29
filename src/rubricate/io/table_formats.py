"""Tables as records, one row at a time: CSV, TSV and Excel workbooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO

from rubricate.errors import InvalidInput
from rubricate.io.reader import InputFile, Record, reader
from rubricate.io.reading import Reading
from rubricate.io.tables import DELIMITERS, InputTable, delimited_table, workbook_table

__all__ = ["csv_documents", "delimited_records", "table_records", "tsv_documents", "write_delimited", "xlsx"]


def delimited_records(file: InputFile, *, delimiter: str | None = None) -> Iterator[Record]:
    """Yield the records of a file; without any delimiter given, the header decides. Memory: one row."""
    table = delimited_table(file.lines(), file.path, delimiter=file.reading.delimiter or delimiter)
    signs = (sign for sign in DELIMITERS if sign != table.delimiter and sign in table.names[0])
    if len(table.names) == 1 and (other := next(signs, "")):
        file.fail(f"one column, {table.names[0][:80]!r}", table.line, f"give delimiter={other!r}")
    yield from table_records(file, table)


def table_records(file: InputFile, table: InputTable) -> Iterator[Record]:
    """Yield the rows of a table as records."""
    pairs = file.roles(table.names, table.line).pairs()
    if double := next((name for _, name in pairs if table.names.count(name) > 1), ""):
        file.fail(f"two columns are named {double!r}", table.line, "rename one of them")
    places = [(role, table.names.index(name)) for role, name in pairs]
    for number, (line, row) in enumerate(table.rows, 1):
        yield file.record(number, line, {role: row[place] for role, place in places})


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


@reader("csv", suffixes=(".csv",), write=write_delimited)
def csv_documents(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a CSV file, one at a time."""
    return delimited_records(file)


@reader("tsv", suffixes=(".tsv", ".tab"), write=partial(write_delimited, delimiter="\t"))
def tsv_documents(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file of values between tabs, one at a time."""
    return delimited_records(file, delimiter="\t")


@reader("xlsx", suffixes=(".xlsx",), streams=False)
def xlsx(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    yield from table_records(file, workbook_table(file.path, file.path))
