"""Files of the Extreme Classification Repository as matrices of vectors and labels; see `readers.sparse_lines`."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.atomic import atomic_text
from rubricate.errors import InvalidFile
from rubricate.readers.sparse_lines import SparseLine, pairs_of, sparse_lines
from rubricate.readers.text_lines import text_lines
from rubricate.types import Sparse

__all__ = ["read_xmc", "write_xmc"]


def read_xmc(path: str | Path) -> tuple[Sparse, Sparse]:
    """Return vectors (float64) and labels (bool) of a file, plain or gzipped. Memory: what they take."""
    path = Path(path)
    numbers, documents = sparse_lines(text_lines(path), path)
    if len(numbers) != 3:
        problem = "the first line must hold the numbers of documents, columns and categories"
        raise InvalidFile(problem, path=path, line=1, remedy="write it as the Extreme Classification Repository does")
    labels, columns, values = array("i"), array("i"), array("d")
    starts, label_starts = array("q", [0]), array("q", [0])
    for document in documents:
        own = pairs_of(document, path, numbers[1])
        columns.extend(own[0])
        values.extend(own[1])
        labels.extend(_categories(document, path, numbers[2]))
        starts.append(len(columns))
        label_starts.append(len(labels))
    X = _matrix(np.array(values, np.float64), columns, starts, width=numbers[1])
    Y = _matrix(np.ones(len(labels), bool), labels, label_starts, width=numbers[2])
    return X, Y


def _categories(document: SparseLine, path: Path, width: int) -> list[int]:
    """Return the labels as numbers below `width`."""
    for name in document.labels:
        if not (name.isascii() and name.isdigit() and len(name) < 11 and int(name) < width):
            problem, remedy = f"label {name:.20} of {width:,}", "labels are numbers from 0; check the first line"
            raise InvalidFile(problem, path=path, line=document.line, remedy=remedy)
    return list(map(int, document.labels))


def _matrix(data: Any, indices: array[int], starts: array[int], *, width: int) -> Sparse:
    shape = (len(starts) - 1, width)
    matrix = sparse.csr_array((data, np.array(indices, np.int32), np.array(starts, np.int64)), shape=shape)
    matrix.sum_duplicates()
    return matrix


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
