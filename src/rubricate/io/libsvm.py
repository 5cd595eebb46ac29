"""Lines of LIBSVM and of the Extreme Classification Repository: the one parser of vectors, labels and scores.

    3 1:0.43 7:0.12          one label, then column:value pairs
    12,7 0:0.31 5:0.8        several labels; a line that starts with a blank or a pair has none
    4 6 20                   a first line of three numbers: documents, columns and categories
    4 20                     a first line of two numbers: documents and categories; each line is label:score pairs

What follows # is a comment. Below a first line of numbers an empty line is a document; else it is skipped. See
http://manikvarma.org/downloads/XC/XMLRepository.html.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.reader import InputFile, Record, reader
from rubricate.io.text_files import Openable, text_lines
from rubricate.matrices import SparseRow
from rubricate.storage import atomic_text
from rubricate.types import Sparse

__all__ = ["SUFFIXES", "SparseLine", "libsvm", "pairs_of", "read_xmc", "sparse_lines", "write_xmc"]

SUFFIXES = (".libsvm", ".svm", ".xmc")
LARGEST = 2**31 - 1
REMEDY = "write 'label,label column:value column:value …'"


class SparseLine(NamedTuple):
    """A document: its line, its labels, and its pairs as they are written."""

    line: int
    labels: list[str]
    pairs: list[str]


def sparse_lines(lines: Iterator[str], path: Openable) -> tuple[tuple[int, ...], Iterator[SparseLine]]:
    """Return the numbers of the first line, () where it is a document, and the documents. Memory: one line.

    A file with more or fewer documents than its first line says is an error.
    """
    first = next(lines, "")
    fields = _bare(first).split()
    if len(fields) not in (2, 3) or not all(field.isascii() and field.isdigit() for field in fields):
        return (), _documents(_numbered(lines, first), path, None)
    numbers = tuple(int(field[:11]) for field in fields)
    if max(numbers) > LARGEST:
        raise InvalidFile(f"more than {LARGEST:,} of something", path=path, line=1, remedy="correct the first line")
    return numbers, _documents(_numbered(lines), path, numbers[0])


def _numbered(lines: Iterator[str], first: str | None = None) -> Iterator[tuple[int, str]]:
    if first is not None:
        yield 1, first
    yield from enumerate(lines, 2)


def _bare(line: str) -> str:
    return line.partition("#")[0].rstrip()


def _documents(lines: Iterator[tuple[int, str]], path: Openable, expected: int | None) -> Iterator[SparseLine]:
    count = 0
    for number, line in lines:
        bare = _bare(line)
        if not bare and (expected is None or count >= expected):
            continue
        count += 1
        if expected is not None and count > expected:
            problem = f"more than the {expected:,} documents of the first line"
            raise InvalidFile(problem, path=path, line=number, remedy="correct the first line, or remove the others")
        fields = bare.split()
        labelled = bool(fields) and not bare[0].isspace() and ":" not in fields[0]
        labels = [name for name in fields[0].split(",") if name] if labelled else []
        yield SparseLine(number, labels, fields[labelled:])
    if expected is not None and count != expected:
        problem = f"{count:,} documents, the first line says {expected:,}"
        raise InvalidFile(problem, path=path, remedy="check that the file is whole")


def pairs_of(document: SparseLine, path: Openable, width: int = LARGEST) -> tuple[list[int], list[float]]:
    """Return the columns and values of a document, whose columns are below `width`."""
    columns, values = [], []
    for pair in document.pairs:
        column, colon, value = pair.partition(":")
        if not (colon and column.isascii() and column.isdigit() and len(column) < 11):
            raise _wrong(f"{pair!r:.40} is not 'column:value' with a column from 0", path, document.line)
        columns.append(int(column))
        try:
            values.append(float(value))
        except ValueError:
            raise _wrong(f"{pair!r:.40} has no number after the colon", path, document.line) from None
        if not math.isfinite(values[-1]):
            problem = f"{pair!r:.40} has a value that is not finite"
            raise InvalidFile(problem, path=path, line=document.line, remedy="leave such values out")
    if columns and max(columns) >= width:
        problem, remedy = f"column {max(columns)} is above {width - 1:,}", "check the first line, and columns from 0"
        raise InvalidFile(problem, path=path, line=document.line, remedy=remedy)
    return columns, values


def _wrong(problem: str, path: Openable, line: int) -> InvalidFile:
    return InvalidFile(problem, path=path, line=line, remedy=REMEDY)


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    for record in records:
        row = record.fields.get("vectors")
        if row is None or record.text or record.title:
            raise InvalidInput(
                f"document {record.id!r} has a text, which LIBSVM cannot hold; Fix: write_xmc(path, X, Y) of "
                "rubricate.io.libsvm writes the vectors of texts"
            )
        bad = next((label for label in record.labels if {*label} & {*" \t,:#\r\n"}), None)
        if bad is not None:
            raise InvalidInput(
                f"document {record.id!r}: the label {bad!r} has a blank, comma, colon or #, which LIBSVM cannot write"
            )
        row = row if isinstance(row, SparseRow) else SparseRow.of_dense(np.asarray(row))
        pairs = zip(row.columns.tolist(), row.values.tolist(), strict=True)
        stream.write((",".join(record.labels) + "".join(f" {c}:{v!r}" for c, v in pairs) + "\n").encode())


@reader("libsvm", suffixes=SUFFIXES, write=_write, has_vectors=True)
def libsvm(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    numbers, documents = sparse_lines(file.lines(), file.path)
    if len(numbers) == 2:
        file.fail("a file of scores (two numbers in its first line), not of vectors", 1, REMEDY)
    width = numbers[1:2]
    for number, document in enumerate(documents, 1):
        labels = document.labels if file.reading.labels else []
        record = file.record(number, document.line, {"text": "", "labels": labels})
        columns, values = pairs_of(document, file.path, *width)
        yield replace(record, fields={"vectors": SparseRow.of(np.array(columns, np.int32), np.array(values))})


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
