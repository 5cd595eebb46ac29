"""Sections of the report: plug-ins of the kind `sections`, in the modules `…_sections`, and the page that holds them.

A section is a function from the results to its markup, or to None where there is nothing to show; `section` gives it
a heading and a place. A section from another package takes its data from `results.data.extras[name]`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Protocol, cast

from rubricate import registry
from rubricate._version import __version__
from rubricate.papers.figures import Chart, Figure, Intervals, Matrix
from rubricate.reports.charts import NARROW, WIDE, draw, legend_key, places
from rubricate.reports.html import Child, Html, data_script, escape, grid, isolated, join, tag
from rubricate.reports.results import ReportResults
from rubricate.reports.tables import shown
from rubricate.svg import tokens_css

__all__ = [
    "Section",
    "chart",
    "legend",
    "panels",
    "readout",
    "render_document",
    "render_page",
    "scripted",
    "section",
    "sections",
]

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


def section(name: str, title: str, *, order: int) -> Callable[[Callable[[ReportResults], Html | None]], Section]:
    """Register a function as a section under a name."""

    def mark(function: Callable[[ReportResults], Html | None]) -> Section:
        marked = cast(Any, function)
        marked.title, marked.order = title, order
        return cast(Section, registry.register("sections", name, function))

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


def _template(folder: str, suffix: str) -> str:
    """Join all templates of a folder with this suffix, in the order of their names."""
    place = files("rubricate.reports").joinpath("templates", *folder.split("/"))
    parts = sorted(
        (template for template in place.iterdir() if template.name.endswith(suffix)), key=lambda template: template.name
    )
    return "\n".join(template.read_text(encoding="utf-8") for template in parts)


def _policy(style: str, script: str) -> str:
    """Return the security policy: only this style and script may run, nothing may be fetched. Escaping comes first.

    Images may be shown where the page itself holds them.
    """
    style_hash, script_hash = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def render_page(results: ReportResults) -> str:
    """Render the page: every section that has something to show, in its order."""
    bodies = {stem: (function, function(results)) for stem, function in sections().items()}
    shown = {stem: (function.title, body) for stem, (function, body) in bodies.items() if body is not None}
    return render_document(results.data.title, shown, note=results.data.corpus_note)


def render_document(title: str, shown: Mapping[str, tuple[str, Html]], *, note: str = "") -> str:
    """Render a page from its sections: by identifier a heading and a body; `note` stands below the title."""
    contents = [tag("li", tag("a", heading, href=f"#{stem}")) for stem, (heading, _) in shown.items()]
    blocks = [
        tag("section", tag("h2", heading, id=f"{stem}-title"), body, id=stem, aria_labelledby=f"{stem}-title")
        for stem, (heading, body) in shown.items()
    ]
    nav = tag("nav", tag("ol", contents), class_="contents", aria_label="Contents")
    columns = tag("div", nav, tag("main", blocks, id="main"), class_="columns")
    body = tag("div", _header(title, note), columns, _footer(), class_="page")
    return "<!doctype html>\n" + tag("html", _head(title), _body(body), lang="en") + "\n"


def _head(title: str) -> Html:
    style, script = tokens_css() + _template("", ".css"), _script()
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"Rubricate {__version__}"),
        tag("title", title),
        tag("style", Html(style)),
    )


def _script() -> str:
    return f'"use strict";\n(() => {{\n{_template("script", ".js")}\n}})();\n'


def _body(page: Html) -> Html:
    skip = tag("a", "Skip to the findings", href="#main", class_="skip")
    return tag("body", skip, page, tag("script", Html(_script())))


def _header(title: str, note: str) -> Html:
    button = tag("button", "Light or dark", type="button", class_="theme", hidden=True)
    below = tag("p", escape(note)) if note else None
    return tag("header", tag("div", tag("h1", tag("bdi", title[:300])), below), button, class_="top")


def _footer() -> Html:
    return tag("footer", f"Made by Rubricate {__version__}. This file holds everything it shows and fetches nothing.")
