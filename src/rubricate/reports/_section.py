"""Sections of the report: one file in `sections/` each, found by itself.

A section is a function from the results to its markup, or to None where there is nothing to show; `section` gives it
its heading and its place. Sections of later parts take their data from `results.data.extras[stem]`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, Protocol, cast

from rubricate.errors import InvalidInput
from rubricate.reports._html import Html, data_script, tag
from rubricate.reports.results import Results

__all__ = ["Section", "chart", "panels", "section", "sections"]


class Section(Protocol):
    """A function with a heading and a place; lower orders come first."""

    title: str
    order: int

    def __call__(self, results: Results) -> Html | None:
        """The body of the section, or None to leave it out."""
        ...


def section(title: str, *, order: int) -> Callable[[Callable[[Results], Html | None]], Section]:
    """Mark a function as a section."""

    def mark(function: Callable[[Results], Html | None]) -> Section:
        marked = cast(Any, function)
        marked.title, marked.order = title, order
        return cast(Section, function)

    return mark


def sections() -> dict[str, Section]:
    """Every section by its stem, in the order of the page; of equal orders by name."""
    package = importlib.import_module("rubricate.reports.sections")
    stems = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    found = {stem: _load(stem) for stem in stems}
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def _load(stem: str) -> Section:
    module = importlib.import_module(f"rubricate.reports.sections.{stem}")
    public = getattr(module, "__all__", [])
    if len(public) != 1:
        raise InvalidInput(f"section file {module.__name__} must have exactly one name in __all__, has {public}")
    return cast(Section, getattr(module, public[0]))


def chart(kind: str, data: Any, *, label: str, caption: str = "") -> Html:
    """A figure drawn by the page's script from its data: `lines`, `intervals`, `curves` or `confusion`.

    `label` is what a screen reader says; what the data must hold is written above each drawing function.
    """
    note = tag("figcaption", caption) if caption else None
    missing = tag(
        "noscript", tag("p", f"{label}: drawn by the script of this page, which is switched off.", class_="note")
    )
    return tag("figure", data_script(data), missing, note, data_chart=kind, data_label=label)


def panels(label: str, parts: dict[str, Html]) -> Html:
    """Alternatives of which the reader sees one, chosen by a list with this label; all of them without scripts."""
    shown = [tag("div", part, data_panel=name) for name, part in parts.items()]
    return tag("div", shown, data_panels=label)
