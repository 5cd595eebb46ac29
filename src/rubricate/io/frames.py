"""A table in memory as a corpus: a pandas or polars frame, an Arrow table, or a mapping from names to columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.io.assembly import assemble
from rubricate.io.reader import InputFile, Record
from rubricate.io.reading import Reading, takes_reading
from rubricate.labels import column
from rubricate.types import Corpus

__all__ = ["Tables", "is_frame", "read_frame", "tables_of"]

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


Tables = tuple[Any, Any]
"""A table of training documents and one of test documents, None where there are none."""

TRAIN, TEST = ("train", "training"), ("test", "testing")


def tables_of(value: Any) -> Tables:
    """Return the tables in an object: its splits where it has several, else all of it for training.

    >>> tables_of({"data": ["wheat", "oil"], "target": [1, 0], "target_names": ["fuel", "grain"]})
    ({'text': ['wheat', 'oil'], 'labels': ['grain', 'fuel']}, None)
    """
    if isinstance(value, Mapping):
        if value and all(hasattr(part, "column_names") for part in value.values()):
            return _splits(value)
        if {"data", "target"} <= value.keys() and "text" not in value:
            return _bunch(value), None
    return _named(value), None


def _splits(parts: Mapping[str, Any]) -> Tables:
    """Return the training and the test part; any other is left out with a warning."""
    chosen = {kind: next((name for name in kind if name in parts), None) for kind in (TRAIN, TEST)}
    train, test = chosen[TRAIN], chosen[TEST]
    if train is None:
        names = ", ".join(map(repr, parts))
        raise InvalidInput(
            f"none of the splits {names} is 'train'. Fix: load one of them: splits[{next(iter(parts))!r}]"
        )
    left = [name for name in parts if name not in (train, test)]
    if left:
        warnings.warn(f"splits that are not read: {', '.join(left)}", UserWarning, stacklevel=4)
    return _named(parts[train]), None if test is None else _named(parts[test])


def _bunch(bunch: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return texts and the names of their classes, or of the columns where the target is a matrix."""
    texts = bunch["data"]
    if hasattr(texts, "shape") and len(texts.shape) > 1:
        raise InvalidInput(
            "the Bunch holds vectors, not texts. Fix: Categorizer(weights='precomputed').fit(bunch.data, bunch.target)"
        )
    names, target = bunch.get("target_names"), bunch["target"]
    if hasattr(target, "toarray") or np.ndim(target) == 2:
        rows = np.asarray(target.toarray() if hasattr(target, "toarray") else target)
        sets = [np.flatnonzero(row) for row in rows]
        return {"text": column(texts), "labels": [[_name(names, c) for c in each] for each in sets]}
    return {"text": column(texts), "labels": [_name(names, c) for c in column(target)]}


def _name(names: Sequence[str] | None, number: Any) -> str:
    if names is None or not len(names) or isinstance(number, str):
        return str(number)
    if not 0 <= int(number) < len(names):
        raise InvalidInput(f"class {number} has no name: there are {len(names)} names")
    return str(names[int(number)])


def _named(table: Any) -> Any:
    """Return a table whose class numbers are names, where its features say them."""
    features = getattr(table, "features", None)
    if not isinstance(features, Mapping):
        return table
    known = {name: _class_names(feature) for name, feature in features.items()}
    if not any(known.values()):
        return table
    return {
        name: column(table[name]) if names is None else [_renamed(names, cell) for cell in column(table[name])]
        for name, names in known.items()
    }


def _class_names(feature: Any) -> list[str] | None:
    """Return the names behind a feature's numbers, also where each cell is a list of numbers."""
    inner = feature[0] if isinstance(feature, list) and feature else getattr(feature, "feature", feature)
    names = getattr(inner, "names", None)
    return list(names) if names is not None and hasattr(inner, "int2str") else None


def _renamed(names: list[str], cell: Any) -> Any:
    """Return a cell with names for numbers; -1 stands for no label there."""
    if isinstance(cell, (list, tuple, np.ndarray)):
        return [_name(names, number) for number in cell]
    return None if cell is None or int(cell) < 0 else _name(names, cell)
