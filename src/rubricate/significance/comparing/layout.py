"""The tables of a comparison: marks as in tables 2 and 3 of YL99, or every number in one long table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rubricate.significance.systems.system import PROPORTIONS
from rubricate.types import Significance

__all__ = ["DETAILS", "ResultTable", "details", "marks", "text"]

DETAILS = ("a", "b", "test", "measure", "n", "statistic", "p", "adjusted p", "mark", "better", "effect", "method")
_LEGEND = (
    ">> or << means P-value <= .01; > or < means .01 < P-value <= .05; ~ means P-value > .05.",
    "The marks compare values: less error is better.",
)


class ResultTable(NamedTuple):
    """A titled table of cells with notes below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | int]]
    notes: Sequence[str] = ()


def _column(outcome: Significance) -> str:
    if outcome.test == "p":
        return PROPORTIONS.get(outcome.measure, outcome.measure)
    return f"{outcome.test}-test" if len(outcome.test) <= 2 else f"{outcome.test} {outcome.measure}".strip()


def _mark(outcome: Significance) -> str:
    """Return the mark of the p-value, in brackets where the corrected one is above .05."""
    lost = outcome.symbol != "~" and outcome.adjusted_p is not None and outcome.adjusted_p > 0.05
    return f"({outcome.symbol})" if lost else outcome.symbol


def _table(title: str, results: Sequence[Significance]) -> ResultTable:
    columns = list(dict.fromkeys(_column(outcome) for outcome in results))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for outcome in results:
        rows.setdefault((outcome.a, outcome.b), {})[_column(outcome)] = _mark(outcome)
    body = [[a, b, *(cells.get(name, "") for name in columns)] for (a, b), cells in rows.items()]
    return ResultTable(title, ["sysA", "sysB", *columns], body)


def marks(results: Sequence[Significance], adjust: str) -> list[ResultTable]:
    """Return one table for the tests of YL99's table 2, one for the p-test (table 3), one for the others; by band.

    The last outcome has the notes that explain the marks.
    """
    kinds: tuple[tuple[str, Callable[[Significance], bool]], ...] = (
        ("Statistical significance test results", lambda outcome: outcome.test in ("s", "S", "T", "T'")),
        ("p-test applied to multiple measures", lambda outcome: outcome.test == "p"),
        ("Other tests", lambda outcome: outcome.test not in ("s", "S", "T", "T'", "p")),
    )
    notes = list(_LEGEND)
    if adjust != "none":
        name = {"holm": "Holm", "bh": "Benjamini–Hochberg"}.get(adjust, adjust)
        notes.append(f"(>) in brackets: not below .05 once corrected by {name} over the pairs of the column.")
    tables = []
    for band in dict.fromkeys(outcome.band for outcome in results):
        for title, belongs in kinds:
            chosen = [outcome for outcome in results if outcome.band == band and belongs(outcome)]
            if chosen:
                where = f", training frequency {band}" if band else ""
                tables.append(_table(title + where, chosen))
    return [*tables[:-1], tables[-1]._replace(notes=notes)] if tables else []


def details(results: Sequence[Significance], *, rounded: bool = False) -> ResultTable:
    """Return every number of every result, one row each; with a column `band` where there are bands.

    `rounded` turns p-values into text of three digits, so that small ones do not become 0.
    """

    def chance(p: float) -> float | str:
        return ("< 1e-10" if p < 1e-10 else f"{p:.3g}") if rounded else p

    banded = any(outcome.band for outcome in results)
    rows: list[list[str | float | int]] = [
        [
            *([outcome.band] if banded else []),
            outcome.a,
            outcome.b,
            outcome.test,
            outcome.measure,
            outcome.n,
            outcome.statistic,
            chance(outcome.p_value),
            chance(outcome.p_value if outcome.adjusted_p is None else outcome.adjusted_p),
            outcome.symbol,
            {"a": outcome.a, "b": outcome.b}.get(outcome.better or "", ""),
            outcome.effect,
            outcome.method,
        ]
        for outcome in results
    ]
    return ResultTable("Significance tests", ["band", *DETAILS] if banded else DETAILS, rows)


def text(grid: ResultTable) -> str:
    """Align the columns, with the notes below."""
    cells = [[str(cell) for cell in row] for row in (grid.columns, *grid.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(grid.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join([grid.title, "", *lines, "", *grid.notes]).rstrip()
