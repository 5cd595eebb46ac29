"""Reproduced tables: our figures beside the published ones, what is off and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rubricate.papers.reproduction import Cell, Reproduction, Tally, tally
from rubricate.reports.tables import Table, render, shown

__all__ = [
    "MARKS",
    "VERDICTS",
    "compact",
    "counted_cells",
    "differences",
    "in_full",
    "legend",
    "overview",
    "remarks",
    "settings",
    "shown_value",
    "tallies",
    "to_page",
]

LEGEND_OF_MARKS = "ours (published); beyond the tolerance: + better, ≠ off; [published]: not counted"
MOST = 4
"""Cells that a note names before it counts the rest."""
MARKS = {"recovered": "*", "cross-validation": "†", "ours": "‡"}
VERDICTS = (
    "Same: within the tolerance. Better: beyond it on the good side. Off: beyond it on the other side, or on either "
    "where there is no good side. Each printed figure is counted once; one that cannot fail is not counted."
)
LEGEND = {
    "recovered": "(*) some settings were recovered: found by scanning against the published figures",
    "cross-validation": "(†) some settings were chosen by cross-validation on the training documents",
    "ours": "(‡) some settings are our own choice, tuned to nothing",
}


def compact(title: str, cells: Sequence[Cell]) -> Table:
    """Tabulate one line per row of the paper: our figure, the published one in brackets, + better, ≠ off."""
    columns, rows = _distinct(c.column for c in cells), _distinct(c.row for c in cells)
    known = {(c.row, c.column): c for c in cells}
    lines = [[_marked(row, cells), *(_beside(known.get((row, column))) for column in columns)] for row in rows]
    notes = [LEGEND_OF_MARKS, *legend(cells), counted_cells(cells)]
    return Table(("", *columns), lines, title, notes)


def in_full(title: str, cells: Sequence[Cell]) -> Table:
    """Tabulate one line per cell, with the difference and the tolerance."""
    lines = [
        (
            _marked(c.row, cells),
            c.column,
            shown_value(c.published),
            shown_value(c.ours),
            _difference(c),
            "" if c.tolerance is None else shown_value(c.tolerance),
            c.verdict,
        )
        for c in cells
    ]
    columns = ("row", "column", "published", "ours", "difference", "tolerance", "verdict")
    return Table(columns, lines, title, [*legend(cells), counted_cells(cells)])


def differences(cells: Sequence[Cell]) -> Table:
    """Tabulate the cells that are off, each with its reason."""
    lines = [
        (c.table, c.row, c.column, shown_value(c.published), shown_value(c.ours), c.note)
        for c in cells
        if c.verdict == "off"
    ]
    return Table(("table", "row", "column", "published", "ours", "reason"), lines, "What is off, and why")


def remarks(cells: Sequence[Cell]) -> Table:
    """Tabulate the notes of all other cells, each note once with the cells it is about."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for c in cells:
        if c.note and c.verdict != "off":
            places.setdefault((c.table, c.verdict, c.note), []).append(f"{c.row}: {c.column}")
    lines = [(table, _several(at), verdict, note) for (table, verdict, note), at in places.items()]
    return Table(("table", "cells", "verdict", "note"), lines, "Notes on the other cells")


def _several(places: Sequence[str]) -> str:
    return "; ".join(places) if len(places) <= MOST else f"{'; '.join(places[:MOST])}; and {len(places) - MOST} more"


def settings(reproduction: Reproduction) -> Table:
    """Tabulate every setting with its origin."""
    groups = {name: system.sourced for name, system in reproduction.systems.items()}
    lines = [
        (name, key, shown_value(setting.value), setting.in_words(), setting.why)
        for name, sourced in ({"(protocol)": reproduction.protocol} | groups).items()
        for key, setting in sourced.items()
    ]
    return Table(("system", "setting", "value", "origin", "reason"), lines, "Settings")


def tallies(cells: Sequence[Cell], apart: str = "NNet") -> dict[str, Tally]:
    """Count the verdicts by table; tables of pairs are also counted without and with the system `apart`."""
    counted = {}
    for table in _distinct(c.table for c in cells):
        inside = [c for c in cells if c.table == table]
        counted[f"table {table}" if table.isdecimal() else table] = tally(inside)
        pairs = [c for c in inside if "/" in c.row]
        if pairs:
            counted[f"table {table}, pairs without {apart}"] = tally(c for c in pairs if apart not in c.row.split("/"))
            counted[f"table {table}, pairs with {apart}"] = tally(c for c in pairs if apart in c.row.split("/"))
    return counted


def overview(cells: Mapping[str, Sequence[Cell]], *, folder: str = "", by_table: bool = True) -> Table:
    """Tabulate the verdicts on every table with a counted cell, or on every paper; `cells` are by the paper's name.

    `folder` is where the pages lie, seen from the page that holds the table.
    """
    lines = []
    for paper, own in cells.items():
        for name in _distinct(c.table for c in own) if by_table else [None]:
            inside = [c for c in own if name in (None, c.table)]
            counted = tally(inside)
            if counted.counted:
                mark = "*" if any(c.origin == "recovered" for c in inside if c.verdict != "not counted") else ""
                figures = map(str, (counted.same, counted.better, counted.off, counted.counted))
                link = f"[{paper}]({folder}{paper}.md)"
                lines.append((link, f"{name}{mark}", *figures) if by_table else (link + mark, *figures))
    return Table(("paper", *(["table"] if by_table else []), "same", "better", "off", "counted"), lines, "")


def to_page(reproduction: Reproduction, cells: Sequence[Cell], *, figures: Sequence[str] = ()) -> str:
    """Return the page of a reproduction in Markdown; `figures` are paths of drawings, relative to the page."""
    parts = [
        f"# {reproduction.title}",
        f"{reproduction.source}. Made by `rubricate reproduce {reproduction.paper} --markdown`.",
    ]
    parts += [reproduction.question] if reproduction.question else []
    parts += [f"**Looked at before.** {reproduction.looked}"] if reproduction.looked else []
    counts = [(name, *map(str, (c.same, c.better, c.off, c.counted))) for name, c in tallies(cells).items()]
    parts.append(render(Table(("cells", "same", "better", "off", "counted"), counts), "markdown"))
    parts.append(VERDICTS)
    for name, table in reproduction.tables.items():
        inside = [c for c in cells if c.table == name]
        if inside:
            view = in_full if name == "text" else compact
            parts += [f"## {table.title}", f"Published: {table.source}."]
            parts += [f"Tolerances: {table.reason}."] if table.reason else []
            parts.append(render(view("", inside), "markdown"))
    parts += [f"![{path}]({path})" for path in figures]
    for heading, reasons in (("What is off, and why", differences(cells)), ("Notes", remarks(cells))):
        if reasons.rows:
            parts += [f"## {heading}", render(_untitled(reasons), "markdown")]
    parts += ["## Settings", render(_untitled(settings(reproduction)), "markdown")]
    if vary := reproduction.vary:
        parts += ["## Vary one thing", vary["what"], f"```py\n{vary['code'].strip()}\n```", vary["outcome"]]
    parts += ["## Then and now", reproduction.then] if reproduction.then else []
    return "\n\n".join(parts) + "\n"


def _untitled(table: Table) -> Table:
    return Table(table.columns, table.rows, "", table.notes)


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _marked(row: str, cells: Sequence[Cell]) -> str:
    origin = next(c.origin for c in cells if c.row == row)
    return row + MARKS.get(origin, "")


def legend(cells: Sequence[Cell]) -> list[str]:
    """Return what the marks on the rows mean."""
    return [LEGEND[origin] for origin in LEGEND if any(c.origin == origin for c in cells)]


def counted_cells(cells: Sequence[Cell]) -> str:
    """Return the tally of a table in words."""
    counted = tally(cells)
    return str(counted) if counted.counted else "no cell is counted here"


def _beside(cell: Cell | None) -> str:
    if cell is None or (cell.ours is None and cell.published is None):
        return "–"
    if cell.published is None:
        return shown_value(cell.ours)
    if cell.verdict == "not counted":
        return f"{shown_value(cell.ours)} [{shown_value(cell.published)}]"
    mark = {"off": " ≠", "better": " +"}.get(cell.verdict, "")
    return f"{shown_value(cell.ours)} ({shown_value(cell.published)}){mark}"


def shown_value(value: object) -> str:
    """Return a figure as the tables print it; `–` where there is none. From 1 on, two decimals are enough.

    >>> [shown_value(value) for value in (0.00365, 0.8599, 95.4, 7769, None)]
    ['.00365', '.8599', '95.40', '7769', '–']
    """
    if isinstance(value, float):
        return shown(value, 2 if abs(value) >= 1 else 5 if 0 < abs(value) < 0.01 else 4)
    return "–" if value is None else str(value)


def _difference(cell: Cell) -> str:
    if not isinstance(cell.ours, (int, float)) or not isinstance(cell.published, (int, float)):
        return ""
    apart = cell.ours - cell.published
    return ("+" if apart > 0 else "") + shown_value(apart if apart else 0)
