"""Learned values as flat attributes of a classifier.

A model file holds the attributes of an estimator whose names end in `_`: numbers, strings, arrays, tuples of them and
estimators, never objects of other classes. So a value with several parts, such as a table of rules, is kept part by
part and put together again where it is used.
"""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["Keeping"]

T = TypeVar("T")


class Keeping:
    """Mixin of a classifier that keeps named tuples and dataclasses: field `starts` becomes attribute `starts_`."""

    def _keep(self, *values: Any) -> None:
        """Keep the fields of each value."""
        for value in values:
            for name in value.__match_args__:
                setattr(self, f"{name}_", getattr(value, name))

    def _recall(self, kind: type[T]) -> T:
        """Return the value of this class that was kept."""
        names: tuple[str, ...] = kind.__match_args__  # type: ignore[attr-defined]  # of dataclasses and named tuples
        return kind(*(getattr(self, f"{name}_") for name in names))
