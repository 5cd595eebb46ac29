"""Sections of the report: plug-ins of the kind `sections`, one file in `sections/` each.

A section is a function from the results to its markup, or to None where there is nothing to show; `section` gives it
a heading and a place. A section from another package takes its data from `results.data.extras[name]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from rubricate import registry
from rubricate.experiments.figure import Chart, Figure, Intervals, Matrix
from rubricate.reports.cells import shown
from rubricate.reports.charts import NARROW, WIDE, draw, legend_key, places
from rubricate.reports.page.grid import grid
from rubricate.reports.page.html import Child, Html, data_script, isolated, join, tag
from rubricate.reports.results import ReportResults

__all__ = ["Section", "chart", "legend", "panels", "readout", "scripted", "section", "sections"]

WIDTHS = {"wide": WIDE, "narrow": NARROW}
"""The drawings of a chart: the class by which the style of the page shows one of them, and its width."""
SQUARE = 460
"""The width of a chart that is as high as wide and has one drawing for every window."""


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


def chart(figure: Chart, *, caption: str = "") -> Html:
    """Return a chart for the page: legend, drawing in two widths, numbers.

    The style shows the drawing that fits the window; the script of the page lets readers hide systems and read values.
    """
    note = tag("figcaption", caption) if caption else None
    if isinstance(figure, Matrix) or (isinstance(figure, Figure) and figure.kind == "points"):
        body = Html(draw(figure, width=SQUARE).inline("square"))
    elif isinstance(figure, Intervals):
        body = join([Html(draw(figure, width=width).inline(class_)) for class_, width in WIDTHS.items()])
    else:
        return tag("figure", legend(figure), _drawings(figure), _numbers(figure), note, data_label=figure.title)
    return tag("figure", tag("div", body), note, data_label=figure.title)


def _drawings(figure: Figure) -> Html:
    drawings = [
        Html(draw(figure, width=width, readable=True).inline(class_, focus=True)) for class_, width in WIDTHS.items()
    ]
    return join([tag("div", drawings), readout()])


def readout(note: str = "") -> Html:
    """Return the place where the script tells the values at the mouse or the keyboard."""
    return tag("p", note, class_="readout", aria_live="polite")


def legend(figure: Figure) -> Html | None:
    """Return a button for each series that shows or hides it; None for a single one."""
    if len(figure.series) < 2:
        return None
    keys = [Html(legend_key(figure, place).inline()) for place in range(len(figure.series))]
    buttons = [
        tag("button", key, isolated(series.name), type="button", aria_pressed="true")
        for key, series in zip(keys, figure.series, strict=True)
    ]
    return tag("div", buttons, class_="legend", role="group", aria_label="Show or hide")


def _numbers(figure: Figure) -> Html:
    """Return the values of a figure as a table, folded up: a row for each place, a column for each series."""
    known = [{x: y for x, y in zip(one.x, one.y, strict=True) if y == y} for one in figure.series]
    rows = [
        tag("tr", tag("th", words, scope="row"), [tag("td", shown(one.get(place), 3)) for one in known])
        for place, words in places(figure).items()
    ]
    heads = [figure.x_title, *(isolated(series.name, 24) for series in figure.series)]
    return tag(
        "details",
        tag("summary", "The numbers"),
        grid(heads, rows, numeric=[False, *[True] * len(known)], class_="numbers"),
    )


def scripted(kind: str, data: Any, *body: Child, label: str, caption: str = "") -> Html:
    """Return a figure that the script of the page fills from its data: `curves` or `categories`."""
    note = tag("figcaption", caption) if caption else None
    return tag("figure", body, data_script(data), note, data_chart=kind, data_label=label)


def panels(label: str, parts: dict[str, Html]) -> Html:
    """Return alternatives of which the reader picks one from a list with this label; without scripts, all are shown."""
    shown = [tag("div", part, data_panel=name) for name, part in parts.items()]
    return tag("div", shown, data_panels=label)
