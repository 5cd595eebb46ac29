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
from collections.abc import Iterator
from typing import NamedTuple

from rubricate.errors import InvalidFile
from rubricate.readers.text_lines import Openable

__all__ = ["SUFFIXES", "SparseLine", "pairs_of", "sparse_lines"]

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
