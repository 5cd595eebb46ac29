"""Plug-ins: a decorator with a name registers each, in any module of its package.

    @measure("f1", "counts", "F1")
    def f1(counts, *, undefined="zero"): ...

A kind of plug-in has a decorator and a package (`KINDS`). To list names, and to find the module of one, the registry
reads the source files of the package and looks for the decorator, so nothing is imported until a plug-in is asked for.
Another package adds plug-ins by entry points in the group `rubricate.<kind>`; the decorators work there, too.

>>> "classifiers" in KINDS
True
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rubricate.errors import InvalidInput, UnknownName

__all__ = [
    "KINDS",
    "Kind",
    "classifier",
    "command",
    "engine",
    "find",
    "is_ours",
    "load",
    "names",
    "parse",
    "refresh",
    "register",
    "reproduction",
    "selection",
    "threshold",
]

T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """A kind of plug-in: what one of them is called, the decorator that marks it, and the package that holds them."""

    noun: str
    decorator: str
    package: str


KINDS = {
    "readers": Kind("format", "reader", "io"),
    "corpora": Kind("corpus", "corpus", "corpora"),
    "selection": Kind("selection", "selection", "text"),
    "classifiers": Kind("classifier", "classifier", "classifiers"),
    "thresholds": Kind("threshold", "threshold", "thresholds"),
    "measures": Kind("measure", "measure", "measures"),
    "significance": Kind("test", "significance_test", "significance"),
    "estimation": Kind("estimator", "estimator", "estimation"),
    "engines": Kind("engine", "engine", "engines"),
    "sections": Kind("section of the report", "section", "reports"),
    "cli": Kind("command", "command", "cli"),
    "papers": Kind("reproduction", "reproduction", "papers"),
}
"""Every kind of plug-in."""


class Registered(NamedTuple):
    """A plug-in that was imported, and the module that defines it."""

    plugin: Any
    home: str


_loaded: dict[str, dict[str, Registered]] = {kind: {} for kind in KINDS}


def register(kind: str, name: str, plugin: T, *, home: str | None = None) -> T:
    """Keep a plug-in under its name and return it; decorators call this. `home` is the module that defines it."""
    own = home or str(getattr(plugin, "__module__", ""))
    known = _loaded[kind].get(name)
    if known is not None and known.home != own and known.home.startswith("rubricate."):
        raise InvalidInput(f"{own}: {name!r} is the name of the {KINDS[kind].noun} in {known.home}; choose another")
    _loaded[kind][name] = Registered(plugin, own)
    return plugin


def classifier(name: str) -> Callable[[T], T]:
    """Register a classifier, a class derived from `Scorer`."""
    return partial(register, "classifiers", name)


def threshold(name: str) -> Callable[[T], T]:
    """Register a threshold, a class derived from `Threshold`."""
    return partial(register, "thresholds", name)


def selection(name: str) -> Callable[[T], T]:
    """Register a criterion that selects terms: a function of their occurrences."""
    return partial(register, "selection", name)


def engine(name: str) -> Callable[[T], T]:
    """Register an engine, a function `(function, tasks, ahead) -> results`."""
    return partial(register, "engines", name)


def command(name: str) -> Callable[[T], T]:
    """Register a command, a function with Typer annotations or a Typer group."""
    return partial(register, "cli", name)


def reproduction(name: str) -> Callable[[T], T]:
    """Register the function that recomputes a paper; a TOML file of the same name lies beside its module."""
    return partial(register, "papers", name)


@cache
def _entry_points(kind: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=f"rubricate.{kind}")}


@cache
def _homes(kind: str) -> dict[str, str]:
    """Map the name of each of our plug-ins of a kind to its module, found in the source; nothing is imported."""
    if kind not in KINDS:
        raise UnknownName("kind of plug-in", kind, KINDS)
    root = Path(__file__).parent
    homes: dict[str, str] = {}
    mark = re.compile(rf'^(?:@|\w+ = ){KINDS[kind].decorator}\(\s*"([\w-]+)"', re.MULTILINE)
    for path in sorted((root / KINDS[kind].package).rglob("*.py")):
        module = ".".join(("rubricate", *path.relative_to(root).with_suffix("").parts))
        homes |= dict.fromkeys(mark.findall(path.read_text(encoding="utf-8")), module.removesuffix(".__init__"))
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
        importlib.import_module(homes[name])
    elif name in _entry_points(kind):
        return _entry_points(kind)[name].load()
    if name not in _loaded[kind]:
        raise UnknownName(KINDS[kind].noun, name, names(kind))
    return _loaded[kind][name].plugin


def find(kind: str, plugin: Any) -> str | None:
    """Return the registered name of a plug-in object, or None if it is not registered."""
    found = next((name for name, each in _loaded[kind].items() if each.plugin is plugin), None)
    return found or next((name for name, point in _entry_points(kind).items() if point.load() is plugin), None)


def refresh() -> None:
    """Forget which plug-ins are installed, so that packages installed since then are seen."""
    _homes.cache_clear()
    _entry_points.cache_clear()


def parse(shorthand: str) -> tuple[str, str | None]:
    """Split a name from its optional argument after a colon.

    >>> parse("chi2:2415"), parse("svm")
    (('chi2', '2415'), ('svm', None))
    """
    name, colon, argument = shorthand.partition(":")
    return name.strip(), argument.strip() if colon else None
