"""Which category each column of labels is."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Protocol

from rubricate.errors import InvalidInput

__all__ = ["Labelled", "column_names"]


class Labelled(Protocol):
    """A classifier that has seen labels and may have been given the names of their columns."""

    categories: Sequence[str] | None
    categories_: tuple[str, ...]
    classes_: Any
    multilabel_: bool


def column_names(classifier: Labelled) -> tuple[str, ...]:
    """Return the names of the label columns: `categories` where given, else those that y came with.

    A class that is a whole number is a place in `categories`.
    """
    if classifier.categories is None:
        return tuple(classifier.categories_)
    names, classes = tuple(classifier.categories), classifier.classes_
    if classifier.multilabel_:
        if len(names) != len(classes):
            raise InvalidInput(f"{len(names)} names in `categories` for {len(classes)} columns of labels")
        return names
    if all(isinstance(place, Integral) and 0 <= int(place) < len(names) for place in classes):
        return tuple(names[int(place)] for place in classes)
    return tuple(classifier.categories_)
