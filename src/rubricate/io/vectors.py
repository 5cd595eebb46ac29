"""Precomputed vectors: an .npy file, alone or beside the documents, or a column of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.io.reader import InputFile, Record
from rubricate.io.tables import parquet_rows

__all__ = ["bare_vectors", "parquet_vectors", "vectors_beside"]


def bare_vectors(path: Path) -> Iterator[Record]:
    """Yield the rows of an .npy file as documents without text, numbered from 1."""
    for number, row in enumerate(_npy(path), 1):
        yield Record(id=str(number), text="", fields={"vectors": row})


def vectors_beside(records: Iterator[Record], path: Path) -> Iterator[Record]:
    """Yield each document with its row of an .npy file."""
    rows = _npy(path)
    number = 0
    for number, record in enumerate(records, 1):
        if number > len(rows):
            raise InvalidFile(f"{len(rows)} rows for more documents", path=path, remedy="give one row per document")
        yield replace(record, fields={"vectors": rows[number - 1]})
    if number < len(rows):
        raise InvalidFile(f"{len(rows)} rows for {number} documents", path=path, remedy="give one row per document")


def parquet_vectors(file: InputFile, column: str) -> Iterator[Record]:
    """Yield the rows of a Parquet file with a column of vectors; the file needs no text column."""
    untexted = replace(file, reading=replace(file.reading, text=column, title=None))

    def choose(names: Any) -> list[tuple[str, str]]:
        others = [pair for pair in untexted.roles(names).pairs() if pair[0] != "text"]
        return [("vectors", column), *others]

    for row, cells in parquet_rows(file.path, choose):
        vector = cells.pop("vectors")
        if not isinstance(vector, list) or not all(isinstance(value, (int, float)) for value in vector):
            file.fail(f"column {column!r} holds something other than lists of numbers", row, "name the vector column")
        record = file.record(row, row, {"text": "", **cells})
        yield replace(record, fields={"vectors": np.asarray(vector, np.float64)})


def _npy(path: Path) -> Any:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidFile(f"not an array ({reason})", path=path, remedy="write one with numpy.save") from error
    if getattr(rows, "ndim", 0) != 2 or rows.dtype.kind not in "iuf":
        raise InvalidFile("expected numbers, documents × features", path=path, remedy="save a matrix of two axes")
    return rows
