"""Parquet files. Needs the extra `frames` (pyarrow)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO

from rubricate.errors import MissingExtra
from rubricate.io.batches import documents_of
from rubricate.io.reader import InputFile, Record, reader
from rubricate.io.tables import parquet_columns, parquet_rows
from rubricate.types import Documents

__all__ = ["parquet"]

_GROUP = 8192
_OPTIONAL = ("title", "split")


def _batches(file: InputFile, batch: int, characters: int) -> Iterator[Documents]:
    """Yield the documents without labels, some rows at a time; long texts make smaller batches."""
    first = 1
    for cells in parquet_columns(file.path, lambda names: file.roles(names).pairs(), batch=batch):
        count = len(next(iter(cells.values())))
        for start, stop in _pieces(
            [len(text) for text in cells.get("text", ()) if isinstance(text, str)], count, characters
        ):
            numbers = range(first + start, first + stop)
            part = {role: values[start:stop] for role, values in cells.items()}
            yield documents_of(file, part, numbers=numbers, lines=numbers)
        first += count


def _pieces(lengths: list[int], count: int, characters: int) -> Iterator[tuple[int, int]]:
    """Yield where pieces of at most so many characters start and stop; one piece where lengths are not all known."""
    if sum(lengths) <= characters or len(lengths) < count:
        yield 0, count
        return
    start, size = 0, 0
    for i, length in enumerate(lengths):
        if i > start and size + length > characters:
            yield start, i
            start, size = i, 0
        size += length
    yield start, count


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    """Write groups of rows; the first document says whether there are titles and splits."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    rows = iter(records)
    first = list(islice(rows, _GROUP))
    optional = [name for name in _OPTIONAL if first and getattr(first[0], name) is not None]
    columns = ["id", "text", "labels", *optional]
    types = {"labels": pyarrow.list_(pyarrow.string())}
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in columns])
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        group = first
        while group:
            content = {name: [getattr(record, name) for record in group] for name in columns}
            writer.write_table(pyarrow.table(content, schema=schema))
            group = list(islice(rows, _GROUP))


@reader("parquet", suffixes=(".parquet", ".pq"), streams=False, write=_write, batches=_batches)
def parquet(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    for row, cells in parquet_rows(file.path, lambda names: file.roles(names).pairs()):
        yield file.record(row, row, cells)
