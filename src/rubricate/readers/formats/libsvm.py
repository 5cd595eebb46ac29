"""LIBSVM: one document per line, its labels and then the values of its vector; no text.

    3 1:0.43 7:0.12                 one label
    12,7 0:0.31 5:0.8               several labels, as the Extreme Classification Repository has them
    4 6 20                          its first line: the numbers of documents, columns and categories

Columns are taken as they are, from 0 or from 1. What stands behind # is a comment. See `rubricate.files.xmc` for whole
matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.matrices import SparseRow
from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["LIBSVM"]

LARGEST = 2**31 - 2
REMEDY = "write 'label,label column:value column:value …'"


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; lines of white space are skipped, but for those of a first line's count."""
    shape: list[int] | None = None
    number = 0
    for line, text in enumerate(file.lines(), 1):
        bare = text.partition("#")[0].rstrip()
        if line == 1:
            shape = _header(bare)
            if shape is not None:
                continue
        if not bare and (shape is None or number >= shape[0]):
            continue
        number += 1
        first, _, rest = bare.partition(" ") if not bare.startswith(" ") else ("", "", bare)
        if ":" in first:
            first, rest = "", bare
        labels = [name for name in first.split(",") if name] if file.reading.labels else []
        record = file.record(number, line, {"text": "", "labels": labels})
        yield replace(record, fields={"vectors": _row(file, rest, line, shape)})
    if shape is not None and number != shape[0]:
        file.fail(f"{number:,} documents, the first line says {shape[0]:,}", None, "check that the file is whole")


def _header(line: str) -> list[int] | None:
    parts = line.split()
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 11 for part in parts):
        return None
    return list(map(int, parts))


def _row(file: InputFile, pairs: str, line: int, shape: list[int] | None) -> SparseRow:
    columns, values = [], []
    for pair in pairs.split():
        column, colon, value = pair.partition(":")
        if not (colon and column.isascii() and column.isdigit() and len(column) < 11):
            file.fail(f"{pair!r:.40} is not 'column:value' with a column from 0", line, REMEDY)
        columns.append(int(column))
        try:
            values.append(float(value))
        except ValueError:
            file.fail(f"{pair!r:.40} has no number behind the colon", line, REMEDY)
        if not math.isfinite(values[-1]):
            file.fail(f"{pair!r:.40} has a value that is not finite", line, "leave such values out")
    last = LARGEST if shape is None else shape[1] - 1
    if columns and max(columns) > last:
        file.fail(f"column {max(columns)} is above {last:,}", line, "check the first line, and columns from 0")
    return SparseRow.of(np.array(columns, np.int32), np.array(values))


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    for record in records:
        row = record.fields.get("vectors")
        if row is None or record.text or record.title:
            raise InvalidInput(
                f"document {record.id!r} has a text, which LIBSVM cannot hold; Fix: write_xmc(path, X, Y) of "
                "rubricate.files.xmc writes the vectors of texts"
            )
        bad = next((label for label in record.labels if {*label} & {*" \t,:#\r\n"}), None)
        if bad is not None:
            raise InvalidInput(
                f"document {record.id!r}: the label {bad!r} has a blank, comma, colon or #, which LIBSVM cannot write"
            )
        row = row if isinstance(row, SparseRow) else SparseRow.of_dense(np.asarray(row))
        pairs = zip(row.columns.tolist(), row.values.tolist(), strict=True)
        stream.write((",".join(record.labels) + "".join(f" {c}:{v!r}" for c, v in pairs) + "\n").encode())


LIBSVM = Reader(_records, suffixes=(".libsvm", ".svm", ".xmc"), write=_write, has_vectors=True)
