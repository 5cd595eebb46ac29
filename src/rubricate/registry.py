"""Plug-ins: one file in a folder, its stem is its name, the one name in its `__all__` is the plug-in.

A kind is a folder of the package (`classifiers`, `thresholds`, `measures`, …). Files that start with `_` are
private. A package outside adds plug-ins by entry points in the group `rubricate.<kind>`.

>>> "classifiers" in KINDS
True
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from functools import cache
from typing import Any

from rubricate.errors import InvalidInput, UnknownName

__all__ = ["KINDS", "find", "load", "names", "parse"]

KINDS = {
    "corpora": "corpus",
    "selection": "selection",
    "classifiers": "classifier",
    "thresholds": "threshold",
    "measures": "measure",
    "significance": "test",
    "estimation": "estimator",
    "engines": "engine",
    "cli": "command",
    "experiments.reproductions": "reproduction",
}
"""Each folder of plug-ins and what one of its members is called."""


@cache
def _entry_points(kind: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=f"rubricate.{kind}")}


@cache
def _files(kind: str) -> tuple[str, ...]:
    if kind not in KINDS:
        raise UnknownName("kind of plug-in", kind, KINDS)
    package = importlib.import_module(f"rubricate.{kind}")
    return tuple(sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")))


def names(kind: str) -> list[str]:
    """The plug-ins of a kind, sorted; none of them is imported."""
    return sorted({*_files(kind), *_entry_points(kind)})


def load(kind: str, name: str) -> Any:
    """The plug-in of this kind and name: a class, a function or a value."""
    if name in _files(kind):
        module = importlib.import_module(f"rubricate.{kind}.{name}")
        public = getattr(module, "__all__", [])
        if len(public) != 1:
            raise InvalidInput(f"plug-in file {module.__name__} must have exactly one name in __all__, has {public}")
        return getattr(module, public[0])
    if name in _entry_points(kind):
        return _entry_points(kind)[name].load()
    raise UnknownName(KINDS[kind], name, names(kind))


def find(kind: str, plugin: Any) -> str | None:
    """The registered name of a plug-in object, or None when it is not one of ours."""
    module, _, stem = getattr(plugin, "__module__", "").rpartition(".")
    if module == f"rubricate.{kind}" and stem in _files(kind):
        return stem
    return next((name for name, point in _entry_points(kind).items() if point.load() is plugin), None)


def parse(shorthand: str) -> tuple[str, str | None]:
    """A name with an optional argument behind a colon.

    >>> parse("chi2:2415"), parse("svm")
    (('chi2', '2415'), ('svm', None))
    """
    name, colon, argument = shorthand.partition(":")
    return name.strip(), argument.strip() if colon else None
