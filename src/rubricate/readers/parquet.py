"""Parquet files as records, a few thousand rows at a time. Needs the extra `frames` (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubricate.errors import MissingExtra
from rubricate.readers.columns import Columns
from rubricate.readers.record import Record

__all__ = ["parquet_records"]

_ROWS = 2048


def parquet_records(columns: Columns) -> Iterator[Record]:
    """The records of a Parquet file; errors count rows from 1 as their line. Memory: a batch of rows."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    try:
        with pyarrow.parquet.ParquetFile(columns.path) as file:
            yield from _rows(columns, file)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        columns.fail(f"no Parquet file ({reason})", None, "make or fetch it again")


def _rows(columns: Columns, file: Any) -> Iterator[Record]:
    pairs = columns.roles(file.schema_arrow.names).pairs()
    row = 0
    for batch in file.iter_batches(batch_size=_ROWS, columns=[name for _, name in pairs], use_threads=False):
        cells = {role: batch.column(name).to_pylist() for role, name in pairs}
        for position in range(batch.num_rows):
            row += 1
            yield columns.record(row, row, {role: values[position] for role, values in cells.items()})
