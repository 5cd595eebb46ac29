"""LIBSVM: one document per line, its labels and then the values of its vector; no text. See `readers.sparse_lines`.

Columns are taken as they are, from 0 or from 1. See `rubricate.files.xmc` for whole matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.matrices import SparseRow
from rubricate.readers.input_file import InputFile
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.sparse_lines import REMEDY, SUFFIXES, pairs_of, sparse_lines

__all__ = ["LIBSVM"]


def _records(file: InputFile) -> Iterator[Record]:
    numbers, documents = sparse_lines(file.lines(), file.path)
    if len(numbers) == 2:
        file.fail("a file of scores (two numbers in its first line), not of vectors", 1, REMEDY)
    width = numbers[1:2]
    for number, document in enumerate(documents, 1):
        labels = document.labels if file.reading.labels else []
        record = file.record(number, document.line, {"text": "", "labels": labels})
        columns, values = pairs_of(document, file.path, *width)
        yield replace(record, fields={"vectors": SparseRow.of(np.array(columns, np.int32), np.array(values))})


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


LIBSVM = Reader(_records, suffixes=SUFFIXES, write=_write, has_vectors=True)
