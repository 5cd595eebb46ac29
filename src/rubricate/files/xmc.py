"""Files of the Extreme Classification Repository: vectors and labels in LIBSVM's form, with lists of labels.

    documents columns categories
    12,7 0:0.31 5:0.8            labels, a blank, then column:value pairs; no label is an empty list

See http://manikvarma.org/downloads/XC/XMLRepository.html.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.atomic import atomic_text
from rubricate.errors import InvalidFile
from rubricate.readers.text_lines import text_lines
from rubricate.types import Sparse

__all__ = ["read_xmc", "write_xmc"]

LARGEST = 2**31 - 1


def read_xmc(path: str | Path) -> tuple[Sparse, Sparse]:
    """Return vectors (float64) and labels (bool) of a file, plain or gzipped. Memory: what they take."""
    path = Path(path)
    lines = text_lines(path)
    shape = _header(path, next(lines, ""))
    labels, columns, values = array("i"), array("i"), array("d")
    starts, label_starts = array("q", [0]), array("q", [0])
    for number, line in enumerate(lines, 2):
        if not line.strip() and len(starts) > shape[0]:
            continue
        names, _, rest = line.rstrip("\r\n").partition(" ")
        if ":" in names:
            names, rest = "", line
        try:
            labels.extend(int(name) for name in names.split(",") if name.strip())
            for pair in rest.split():
                column, _, value = pair.partition(":")
                columns.append(int(column))
                values.append(float(value))
        except (ValueError, OverflowError) as error:
            raise _wrong(path, number, f"not 'labels column:value …' ({error})") from error
        starts.append(len(columns))
        label_starts.append(len(labels))
        if len(starts) - 1 > shape[0]:
            raise _wrong(path, number, f"more than the {shape[0]:,} documents of the first line")
    if len(starts) - 1 != shape[0]:
        raise _wrong(path, None, f"{len(starts) - 1:,} documents, the first line says {shape[0]:,}")
    data = np.frombuffer(values, np.float64) if len(values) else np.empty(0)
    if not np.isfinite(data).all():
        raise _wrong(path, None, "a value that is not finite")
    X = _matrix(path, data, columns, starts, width=shape[1], noun="column")
    Y = _matrix(path, np.ones(len(labels), bool), labels, label_starts, width=shape[2], noun="label")
    return X, Y


def write_xmc(path: str | Path, X: Any, Y: Any) -> None:
    """Write vectors and labels, whole or not at all; values come back as they were."""
    X, Y = sparse.csr_array(X), sparse.csr_array(Y)
    with atomic_text(path) as stream:
        stream.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for row in range(X.shape[0]):
            names = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist()))
            part = slice(X.indptr[row], X.indptr[row + 1])
            pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            stream.write(names + "".join(f" {column}:{value!r}" for column, value in pairs) + "\n")


def _header(path: Path, line: str) -> tuple[int, int, int]:
    parts = line.split()
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 11 for part in parts):
        raise _wrong(path, 1, "the first line must hold the numbers of documents, columns and categories")
    documents, columns, categories = map(int, parts)
    if max(documents, columns, categories) > LARGEST:
        raise _wrong(path, 1, f"more than {LARGEST:,} of something")
    return documents, columns, categories


def _matrix(path: Path, data: Any, indices: array[int], starts: array[int], *, width: int, noun: str) -> Sparse:
    where = np.frombuffer(indices, np.int32) if len(indices) else np.empty(0, np.int32)
    if len(where) and not (where.min() >= 0 and where.max() < width):
        bad = int(np.flatnonzero((where < 0) | (where >= width))[0])
        line = int(np.searchsorted(np.frombuffer(starts, np.int64), bad, side="right")) + 1
        raise _wrong(path, line, f"{noun} {where[bad]} of {width:,}; they count from 0")
    matrix = sparse.csr_array(
        (data, where.copy(), np.frombuffer(starts, np.int64).copy()), shape=(len(starts) - 1, width)
    )
    matrix.sum_duplicates()
    return matrix


def _wrong(path: Path, line: int | None, problem: str) -> InvalidFile:
    return InvalidFile(problem, path=path, line=line, remedy="write it as the Extreme Classification Repository does")
