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
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidInput, UnknownName

__all__ = ["KINDS", "Kind", "find", "is_ours", "load", "names", "parse", "refresh"]


@dataclass(frozen=True)
class Kind:
    """A kind of plug-in: what one of them is called, and the folders of the package that hold them."""

    noun: str
    folders: tuple[str, ...]


KINDS = {
    "readers": Kind("format", ("readers.formats",)),
    "corpora": Kind("corpus", ("corpora",)),
    "selection": Kind("selection", ("text.selection",)),
    "classifiers": Kind(
        "classifier",
        ("classifiers", "classifiers.svm", "classifiers.hierarchical", "classifiers.rule_learners"),
    ),
    "thresholds": Kind("threshold", ("thresholds",)),
    "measures": Kind("measure", ("measures",)),
    "significance": Kind("test", ("significance",)),
    "estimation": Kind("estimator", ("estimation",)),
    "engines": Kind("engine", ("engines",)),
    "sections": Kind("section of the report", ("reports.page.sections",)),
    "cli": Kind("command", ("cli",)),
    "experiments.reproductions": Kind("reproduction", ("experiments.reproductions",)),
}
"""Every kind of plug-in. Folders below the listed ones hold machinery, not plug-ins."""


@cache
def _entry_points(kind: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=f"rubricate.{kind}")}


@cache
def _homes(kind: str) -> dict[str, str]:
    """Map the name of each plug-in file of a kind to its module; nothing is imported."""
    if kind not in KINDS:
        raise UnknownName("kind of plug-in", kind, KINDS)
    root = Path(__file__).parent
    homes = {}
    for folder in KINDS[kind].folders:
        for module in pkgutil.iter_modules([str(root.joinpath(*folder.split(".")))]):
            if not module.ispkg and not module.name.startswith("_"):
                homes[module.name] = f"rubricate.{folder}.{module.name}"
    return dict(sorted(homes.items()))


def names(kind: str) -> list[str]:
    """Return the names of the plug-ins of a kind, sorted; none of them is imported."""
    return sorted({*_homes(kind), *_entry_points(kind)})


def is_ours(kind: str, name: str) -> bool:
    """Return whether this package has the plug-in; packages outside are not looked at."""
    return name in _homes(kind)


def load(kind: str, name: str) -> Any:
    """Return the plug-in of this kind and name: a class, a function or a value."""
    homes = _homes(kind)
    if name in homes:
        module = importlib.import_module(homes[name])
        public = getattr(module, "__all__", [])
        if len(public) != 1:
            raise InvalidInput(f"plug-in file {module.__name__} must have exactly one name in __all__, has {public}")
        return getattr(module, public[0])
    if name in _entry_points(kind):
        return _entry_points(kind)[name].load()
    raise UnknownName(KINDS[kind].noun, name, names(kind))


def find(kind: str, plugin: Any) -> str | None:
    """Return the registered name of a plug-in object, or None where it is not registered."""
    module = getattr(plugin, "__module__", "")
    stem = module.rpartition(".")[2]
    if _homes(kind).get(stem) == module:
        return stem
    return next((name for name, point in _entry_points(kind).items() if point.load() is plugin), None)


def refresh() -> None:
    """Forget which plug-ins are installed, so that packages installed since then are seen."""
    _homes.cache_clear()
    _entry_points.cache_clear()


def parse(shorthand: str) -> tuple[str, str | None]:
    """Split a name from its optional argument behind a colon.

    >>> parse("chi2:2415"), parse("svm")
    (('chi2', '2415'), ('svm', None))
    """
    name, colon, argument = shorthand.partition(":")
    return name.strip(), argument.strip() if colon else None
