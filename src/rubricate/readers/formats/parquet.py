"""Parquet files. Needs the extra `frames` (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator

from rubricate.readers.input_file import InputFile
from rubricate.readers.parquet_rows import parquet_rows
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["PARQUET"]


def _records(file: InputFile) -> Iterator[Record]:
    for row, cells in parquet_rows(file, lambda names: file.roles(names).pairs()):
        yield file.record(row, row, cells)


PARQUET = Reader(_records, suffixes=(".parquet", ".pq"), streams=False)
