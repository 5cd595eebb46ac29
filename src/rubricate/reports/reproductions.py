"""Reproduced tables: our figures beside the published ones, what differs and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rubricate.experiments.cells import Cell, Tally, tally
from rubricate.experiments.reproduction import Reproduction
from rubricate.reports.cells import shown
from rubricate.reports.tables import Table, render

__all__ = ["compact", "differences", "in_full", "settings", "tallies", "to_page"]

MARKS = {"recovered": "*", "cross-validation": "†"}
LEGEND = {
    "recovered": "(*) some settings were recovered: found by scanning against the published figures",
    "cross-validation": "(†) some settings were chosen by cross-validation on the training documents",
}


def compact(title: str, cells: Sequence[Cell]) -> Table:
    """Tabulate one line per row of the paper: our figure, the published one in brackets, ≠ where they disagree."""
    columns, rows = _distinct(c.column for c in cells), _distinct(c.row for c in cells)
    known = {(c.row, c.column): c for c in cells}
    lines = [[_marked(row, cells), *(_beside(known.get((row, column))) for column in columns)] for row in rows]
    notes = ["ours (published); ≠ beyond the tolerance", *_legend(cells), _counted(cells)]
    return Table(("", *columns), lines, title, notes)


def in_full(title: str, cells: Sequence[Cell]) -> Table:
    """Tabulate one line per cell, with the difference and the tolerance."""
    lines = [
        (
            _marked(c.row, cells),
            c.column,
            _text(c.published),
            _text(c.ours),
            _difference(c),
            "" if c.tolerance is None else _text(c.tolerance),
            {True: "yes", False: "no", None: ""}[c.agrees],
        )
        for c in cells
    ]
    columns = ("row", "column", "published", "ours", "difference", "tolerance", "agrees")
    return Table(columns, lines, title, [*_legend(cells), _counted(cells)])


def differences(cells: Sequence[Cell]) -> Table:
    """Tabulate the cells that do not agree, each with its reason."""
    lines = [(c.table, c.row, c.column, _text(c.published), _text(c.ours), c.note) for c in cells if c.agrees is False]
    return Table(("table", "row", "column", "published", "ours", "reason"), lines, "What differs, and why")


def settings(reproduction: Reproduction) -> Table:
    """Tabulate every setting with its origin."""
    lines = [
        (name, key, _text(setting.value), setting.origin, setting.why)
        for name, system in reproduction.systems.items()
        for key, setting in system.sourced.items()
    ]
    return Table(("system", "setting", "value", "origin", "reason"), lines, "Settings")


def tallies(cells: Sequence[Cell], apart: str = "NNet") -> dict[str, Tally]:
    """Count the agreement by table; tables of pairs are also counted without and with the system `apart`."""
    counted = {}
    for table in _distinct(c.table for c in cells):
        inside = [c for c in cells if c.table == table]
        counted[f"table {table}" if table.isdecimal() else table] = tally(inside)
        pairs = [c for c in inside if "/" in c.row]
        if pairs:
            counted[f"table {table}, pairs without {apart}"] = tally(c for c in pairs if apart not in c.row.split("/"))
            counted[f"table {table}, pairs with {apart}"] = tally(c for c in pairs if apart in c.row.split("/"))
    return counted


def to_page(reproduction: Reproduction, cells: Sequence[Cell], *, figures: Sequence[str] = ()) -> str:
    """Return the page of a reproduction in Markdown; `figures` are paths of drawings, relative to the page."""
    parts = [
        f"# {reproduction.title}",
        f"{reproduction.source}. Made by `rubricate reproduce {reproduction.paper} --markdown`.",
    ]
    counts = [(name, f"{counted.agree} of {counted.compared}") for name, counted in tallies(cells).items()]
    parts.append(render(Table(("cells", "agree"), counts), "markdown"))
    for name, table in reproduction.tables.items():
        inside = [c for c in cells if c.table == name]
        if inside:
            view = in_full if name == "text" else compact
            parts += [f"## {table.title}", f"Published: {table.source}.", render(view("", inside), "markdown")]
    parts += [f"![{path}]({path})" for path in figures]
    if any(c.agrees is False for c in cells):
        parts += ["## What differs, and why", render(_untitled(differences(cells)), "markdown")]
    parts += ["## Settings", render(_untitled(settings(reproduction)), "markdown")]
    return "\n\n".join(parts) + "\n"


def _untitled(table: Table) -> Table:
    return Table(table.columns, table.rows, "", table.notes)


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _marked(row: str, cells: Sequence[Cell]) -> str:
    origin = next(c.origin for c in cells if c.row == row)
    return row + MARKS.get(origin, "")


def _legend(cells: Sequence[Cell]) -> list[str]:
    return [LEGEND[origin] for origin in LEGEND if any(c.origin == origin for c in cells)]


def _counted(cells: Sequence[Cell]) -> str:
    return f"{tally(cells)}; a cell without a published figure is not counted"


def _beside(cell: Cell | None) -> str:
    if cell is None or (cell.ours is None and cell.published is None):
        return "–"
    published = "" if cell.published is None else f" ({_text(cell.published)})"
    return f"{_text(cell.ours)}{published}{' ≠' if cell.agrees is False else ''}"


def _text(value: object) -> str:
    if isinstance(value, float):
        return shown(value, 5 if 0 < abs(value) < 0.01 else 4)
    return "–" if value is None else str(value)


def _difference(cell: Cell) -> str:
    if not isinstance(cell.ours, (int, float)) or not isinstance(cell.published, (int, float)):
        return ""
    apart = cell.ours - cell.published
    return ("+" if apart > 0 else "") + _text(apart if apart else 0)
