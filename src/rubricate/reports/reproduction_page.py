"""The page of a reproduced paper: what it asked, its tables beside ours, figures, differences, settings, times."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rubricate.experiments.cells import Cell
from rubricate.experiments.reproduction import Published, Reproduction
from rubricate.reports.page.grid import grid
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.rendering import render_document
from rubricate.reports.reproductions import (
    MARKS,
    VERDICTS,
    counted_cells,
    differences,
    legend,
    remarks,
    settings,
    shown_value,
    tallies,
)
from rubricate.reports.tables import Table

__all__ = ["PaperPage", "render_paper"]

SIGNS = {"same": "", "better": "+", "off": "≠", "not counted": ""}
CLASSES = {"better": "cell-better", "off": "cell-off", "not counted": "cell-uncounted"}


@dataclass(frozen=True)
class PaperPage:
    """What the page of a paper shows: `drawings` are SVG by title, `seconds` by step of the run."""

    reproduction: Reproduction
    cells: Sequence[Cell]
    drawings: Mapping[str, bytes] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def render_paper(page: PaperPage) -> str:
    """Render the page of a paper; nothing is fetched, drawings are inside."""
    paper, shown = page.reproduction, {"paper": ("What the paper asked", _question(page))}
    for name, table in paper.tables.items():
        inside = [cell for cell in page.cells if cell.table == name]
        if inside:
            shown[f"table-{name.replace(' ', '-')}"] = (table.title, _table(table, inside))
    if page.drawings:
        shown["figures"] = ("Figures", join([_drawing(title, svg) for title, svg in page.drawings.items()]))
    for stem, heading, rows in (
        ("off", "What is off, and why", differences(page.cells)),
        ("notes", "Notes on the other cells", remarks(page.cells)),
        ("settings", "Every setting and where it comes from", settings(paper)),
    ):
        if rows.rows:
            shown[stem] = (heading, _long(rows))
    shown["time"] = ("How long it took, then and now", _time(page))
    if paper.vary:
        shown["vary"] = ("Vary one thing", _vary(paper))
    shown["again"] = ("How to get these numbers again", _again(paper))
    return render_document(paper.title, shown, note=paper.source + ".")


def _question(page: PaperPage) -> Html:
    paper = page.reproduction
    rows = [
        tag("tr", tag("th", name, scope="row"), [tag("td", n, class_="num") for n in (c.same, c.better, c.off)])
        for name, c in tallies(page.cells).items()
        if c.counted
    ]
    counts = grid(["", "same", "better", "off"], rows, numeric=[False, True, True, True], label="Verdicts by table")
    back = tag("p", tag("a", "All papers", href="index.html"))
    said = [tag("p", paper.question)] if paper.question else []
    if paper.looked:
        said.append(tag("div", tag("p", tag("strong", "Looked at before. "), paper.looked), class_="plain"))
    return join([back, *said, counts, tag("p", VERDICTS, class_="note")])


def _table(table: Published, cells: Sequence[Cell]) -> Html:
    columns, rows = list(dict.fromkeys(c.column for c in cells)), list(dict.fromkeys(c.row for c in cells))
    known = {(c.row, c.column): c for c in cells}
    lines = [
        tag("tr", _row_head(row, cells), [_figure_cell(known.get((row, column))) for column in columns]) for row in rows
    ]
    about = [tag("p", f"Published: {table.source}.")]
    about += [tag("p", f"Tolerances: {table.reason}.")] if table.reason else []
    printed = any(cell.published is not None for cell in cells)
    explained = ["Ours, below it the published figure; beyond the tolerance: + better, ≠ off."] if printed else []
    notes = [*explained, *legend(cells), counted_cells(cells)]
    heads = ["", *columns]
    body = grid(heads, lines, numeric=[False, *[True] * len(columns)], label=table.title)
    return join([*about, body, [tag("p", note, class_="note") for note in notes]])


def _row_head(row: str, cells: Sequence[Cell]) -> Html:
    origin = next(c.origin for c in cells if c.row == row)
    return tag("th", isolated(row, 80), MARKS.get(origin, ""), scope="row")


def _figure_cell(cell: Cell | None) -> Html:
    if cell is None or (cell.ours is None and cell.published is None):
        return tag("td", "–", class_="num cell-uncounted")
    sign = tag("span", SIGNS[cell.verdict], class_="verdict", title=cell.verdict)
    printed = tag("span", shown_value(cell.published), class_="small") if cell.published is not None else None
    classes = f"num {CLASSES.get(cell.verdict, '')}".strip()
    return tag("td", shown_value(cell.ours), sign, printed, class_=classes, title=cell.note or None)


def _drawing(title: str, svg: bytes) -> Html:
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
    return tag("figure", tag("img", src=source, alt=title), tag("figcaption", title), class_="drawing")


def _long(table: Table) -> Html:
    """Return a table whose cells are sentences: nothing is cut."""
    rows = [
        tag("tr", [tag("td" if k else "th", str(cell), scope=None if k else "row") for k, cell in enumerate(row)])
        for row in table.rows
    ]
    return grid(table.columns, rows, label=table.title, class_="settings")


def _time(page: PaperPage) -> Html:
    then = page.reproduction.then
    parts: list[Html] = [tag("p", f"Then: {then}")] if then else []
    if page.seconds:
        rows = [
            tag("tr", tag("th", step, scope="row"), tag("td", f"{seconds:.1f}", class_="num"))
            for step, seconds in page.seconds.items()
        ]
        parts += [tag("p", "Now:"), grid(["step", "seconds"], rows, numeric=[False, True], label="Seconds now")]
    else:
        parts.append(tag("p", "Now: not measured; this page was made from an earlier output."))
    return join(parts)


def _vary(paper: Reproduction) -> Html:
    vary = paper.vary
    code = tag("pre", tag("code", vary["code"].strip()), tabindex="0")
    return join([tag("p", vary["what"]), code, tag("p", vary["outcome"], class_="note")])


def _again(paper: Reproduction) -> Html:
    commands = [
        f"rubricate reproduce {paper.paper} --report DIR",
        f"rubricate reproduce {paper.paper} --json > {paper.paper}.json",
        f"rubricate reproduce {paper.paper} --from {paper.paper}.json --details",
    ]
    return tag("pre", tag("code", "\n".join(commands)), tabindex="0")
