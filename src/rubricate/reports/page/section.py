"""Sections of the report: plug-ins of the kind `sections`, one file in `sections/` each.

A section is a function from the results to its markup, or to None where there is nothing to show; `section` gives it
a heading and a place. A section from another package takes its data from `results.data.extras[name]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from rubricate import registry
from rubricate.reports.page.html import Html, data_script, tag
from rubricate.reports.results import ReportResults

__all__ = ["Section", "chart", "panels", "section", "sections"]


class Section(Protocol):
    """A function with a heading and a place; lower orders come first."""

    title: str
    order: int

    def __call__(self, results: ReportResults) -> Html | None:
        """Return the body of the section, or None to leave it out."""
        ...


def section(title: str, *, order: int) -> Callable[[Callable[[ReportResults], Html | None]], Section]:
    """Mark a function as a section."""

    def mark(function: Callable[[ReportResults], Html | None]) -> Section:
        marked = cast(Any, function)
        marked.title, marked.order = title, order
        return cast(Section, function)

    return mark


def sections() -> dict[str, Section]:
    """Return every section by its name, in the order of the page; equal orders are sorted by name."""
    known = {name: cast(Section, registry.load("sections", name)) for name in registry.names("sections")}
    return dict(sorted(known.items(), key=lambda item: (item[1].order, item[0])))


def chart(kind: str, data: Any, *, label: str, caption: str = "") -> Html:
    """Return a figure that the script of the page draws from its data: `lines`, `intervals`, `curves` or `confusion`.

    Screen readers use `label`. The comment above each drawing function describes its data.
    """
    note = tag("figcaption", caption) if caption else None
    missing = tag(
        "noscript", tag("p", f"{label}: drawn by the script of this page, which is switched off.", class_="note")
    )
    return tag("figure", data_script(data), missing, note, data_chart=kind, data_label=label)


def panels(label: str, parts: dict[str, Html]) -> Html:
    """Return alternatives of which the reader picks one from a list with this label; without scripts, all are shown."""
    shown = [tag("div", part, data_panel=name) for name, part in parts.items()]
    return tag("div", shown, data_panels=label)
