"""The rows of a Parquet file, a batch at a time. Needs the extra `frames` (pyarrow)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rubricate.errors import MissingExtra
from rubricate.readers.input_file import InputFile

__all__ = ["parquet_columns", "parquet_rows"]

_BATCH = 2048


def parquet_rows(
    file: InputFile, choose: Callable[[Sequence[str]], list[tuple[str, str]]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row as its number, which errors give as the line, and its cells by role. Memory: one batch of rows.

    `choose` gets the names of the columns and returns pairs (role, column) of those to read.
    """
    row = 0
    for columns in parquet_columns(file, choose, _BATCH):
        for position in range(len(next(iter(columns.values())))):
            row += 1
            yield row, {role: values[position] for role, values in columns.items()}


def parquet_columns(
    file: InputFile, choose: Callable[[Sequence[str]], list[tuple[str, str]]], batch: int
) -> Iterator[dict[str, list[Any]]]:
    """Yield the cells of some rows at a time, by role; `choose` is as for `parquet_rows`."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    try:
        with pyarrow.parquet.ParquetFile(file.path) as opened:
            pairs = choose(opened.schema_arrow.names)
            names = [name for _, name in pairs]
            for rows in opened.iter_batches(batch_size=batch, columns=names, use_threads=False):
                yield {role: rows.column(name).to_pylist() for role, name in pairs}
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        file.fail(f"not a Parquet file ({reason})", None, "make or fetch it again")
