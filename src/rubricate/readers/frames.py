"""A table in memory as a corpus: a pandas or polars frame, an Arrow table, or a mapping from names to columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.labels import column
from rubricate.readers.assembly import assemble
from rubricate.readers.input_file import InputFile
from rubricate.readers.reading import Reading, takes_reading
from rubricate.readers.record import Record
from rubricate.types import Corpus

__all__ = ["is_frame", "read_frame"]

IN_MEMORY = Path("(frame)")
"""What errors name as the file."""


def is_frame(value: Any) -> bool:
    """Return whether a value has named columns: a frame of pandas or polars, an Arrow table, a mapping.

    >>> is_frame({"text": ["a"], "labels": ["b"]}), is_frame("news.csv")
    (True, False)
    """
    return isinstance(value, Mapping) or hasattr(value, "columns") or hasattr(value, "column_names")


@takes_reading
def read_frame(
    frame: Any,
    reading: Reading | None = None,
    *,
    test: Any = None,
    seed: int = 0,
    **options: Any,
) -> Corpus:
    """Read the rows of a frame into a corpus.

    Parameters
    ----------
    frame
        A pandas or polars frame, an Arrow table, or a mapping from names to columns of the same length.
    reading, options
        As for files: the columns text, labels, id, title and split, and what separates the labels of a cell. A cell
        may also hold a list of labels. A missing value is an empty text, or no label.
    test
        Another frame of test documents, or a share of the documents such as 0.2, drawn by `seed`.
    seed
        Draws the share of test documents.

    >>> read_frame({"text": ["wheat and corn", "crude oil"], "labels": ["grain", "fuel"]}).categories
    ('fuel', 'grain')
    """
    file = InputFile(IN_MEMORY, Reading.of(reading, options))
    share = test if isinstance(test, (int, float)) else None
    records = _records(frame, file, unsplit=test is not None)
    if test is not None and share is None:
        if not is_frame(test):
            raise InvalidInput(f"test must be a frame or a share such as 0.2, got {type(test).__name__}")
        second = replace(file, prefix="test-")
        records = chain(records, (replace(each, split="test") for each in _records(test, second, unsplit=True)))
    corpus = assemble(records, name="frame", split="", path=IN_MEMORY, test=share, seed=seed)
    if test is None:
        split = "column" if len(corpus.test) else "none"
    else:
        split = "files" if share is None else f"random-{share:g}-seed-{seed}"
    return replace(corpus, split=split)


def _records(frame: Any, file: InputFile, *, unsplit: bool) -> Iterator[Record]:
    """Yield the rows; `unsplit` where the test documents are told otherwise, and a column must not."""
    names = getattr(frame, "column_names", None)
    names = [str(name) for name in (frame if isinstance(frame, Mapping) else names or frame.columns)]
    pairs = file.roles(names).pairs()
    if unsplit and any(role == "split" for role, _ in pairs):
        file.fail("the frame has a split and test= is given", None, "leave out test=, or do not read it: split=''")
    cells = {role: _cells(frame[name], role) for role, name in pairs}
    lengths = {role: len(values) for role, values in cells.items()}
    if len(set(lengths.values())) > 1:
        file.fail(f"columns of different lengths: {lengths}", None, "give each document one value in every column")
    for row in range(lengths["text"]):
        yield file.record(row + 1, row + 1, {role: values[row] for role, values in cells.items()})


def _cells(values: Any, role: str) -> list[Any]:
    """Return the cells of a column; what pandas writes for a missing value as None, arrays of labels as lists."""
    return [_cell(value, role) for value in column(values)]


def _cell(value: Any, role: str) -> Any:
    if isinstance(value, float) and value != value:
        return None
    if type(value).__name__ == "NAType":
        return None
    return (
        column(value) if role == "labels" and hasattr(value, "__array__") and getattr(value, "ndim", 0) == 1 else value
    )
