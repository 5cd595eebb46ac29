"""Objects of other libraries as tables: scikit-learn's Bunch, datasets and their splits of Hugging Face's `datasets`.

None of these libraries is imported: an object is recognised by its attributes.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labels import column

__all__ = ["Tables", "tables_of"]

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
