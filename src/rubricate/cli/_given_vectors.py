"""Vectors of the user's own: an .npy file, alone or beside the documents, or a column of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubricate.errors import InvalidFile, MissingExtra

if TYPE_CHECKING:
    from rubricate.readers.record import Record

__all__ = ["bare_vectors", "parquet_vectors", "vectors_beside"]

ROWS = 1024


def _npy(path: Path) -> Any:
    import numpy as np

    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidFile(f"no array ({reason})", path=path, remedy="write one with numpy.save") from error
    if getattr(found, "ndim", 0) != 2 or found.dtype.kind not in "iuf":
        raise InvalidFile("expected numbers, documents × features", path=path, remedy="save a matrix of two axes")
    return found


def bare_vectors(path: Path) -> Iterator[Record]:
    """The rows of an .npy file as documents, numbered from 1."""
    from rubricate.readers.record import Record

    for number, row in enumerate(_npy(path), 1):
        yield Record(id=str(number), text="", fields={"vectors": row})


def vectors_beside(found: Iterator[Record], path: Path) -> Iterator[Record]:
    """The documents, each with its row of an .npy file."""
    rows = _npy(path)
    number = 0
    for number, record in enumerate(found, 1):
        if number > len(rows):
            raise InvalidFile(f"{len(rows)} rows for more documents", path=path, remedy="give one row a document")
        yield replace(record, fields={"vectors": rows[number - 1]})
    if number < len(rows):
        raise InvalidFile(f"{len(rows)} rows for {number} documents", path=path, remedy="give one row a document")


def parquet_vectors(columns: Any, name: str) -> Iterator[Record]:
    """The rows of a Parquet file with a column of vectors; a text column is not needed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("frames", "Parquet files") from error
    try:
        with pyarrow.parquet.ParquetFile(columns.path) as file:
            yield from _parquet_rows(file, columns, name)
    except (pyarrow.ArrowException, OSError) as error:
        columns.fail(f"no Parquet file ({str(error).splitlines()[0]})", None, "give a Parquet file, or vectors in .npy")


def _parquet_rows(file: Any, columns: Any, name: str) -> Iterator[Record]:
    import numpy as np

    pairs = [(role, at) for role, at in columns.roles(file.schema_arrow.names).pairs() if role != "text"]
    row = 0
    for batch in file.iter_batches(batch_size=ROWS, columns=[name, *(at for _, at in pairs)], use_threads=False):
        cells = {role: batch.column(at).to_pylist() for role, at in pairs}
        for position, vector in enumerate(batch.column(name).to_pylist()):
            row += 1
            if not isinstance(vector, list) or not all(isinstance(value, (int, float)) for value in vector):
                columns.fail(f"column {name!r} holds no list of numbers", row, "name the column of the vectors")
            record = columns.record(row, row, {"text": ""} | {role: found[position] for role, found in cells.items()})
            yield replace(record, fields={"vectors": np.asarray(vector, np.float64)})
