"""Figures as data: what is drawn, not how. `reports.charts` draws them, for pages and for files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Chart", "Drawing", "Figure", "IntervalRow", "Intervals", "Matrix", "MatrixCell", "Series"]


@dataclass(frozen=True)
class Series:
    """A named line, group of points or set of bars; points where y is NaN are left out.

    `low` and `high` are the ends of a band around the line, `notes` say what a point is, `at` is one point to be marked
    by itself, `sizes` are the areas of points, `slot` picks colour and sign (default: the place in the figure).
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    notes: Sequence[str] = ()
    at: tuple[float, float] | None = None
    sizes: Sequence[float] = ()
    slot: int | None = None


@dataclass(frozen=True)
class Figure:
    """Lines, bars or points over two axes.

    An axis without limits covers its values; the vertical one then begins at 0 unless it is logarithmic. `diagonal`
    adds the line y = x. With `signs` a line of few points shows a sign at each.
    """

    name: str
    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    kind: Literal["bars", "lines", "points"] = "lines"
    log_y: bool = False
    log_x: bool = False
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    diagonal: bool = False
    signs: bool = True


@dataclass(frozen=True)
class IntervalRow:
    """A system: a value for each column, with the ends of its interval where they are known."""

    name: str
    values: Sequence[tuple[float, float | None, float | None]]
    slot: int | None = None


@dataclass(frozen=True)
class Intervals:
    """Values with intervals: one panel for each column, each on a scale of its own."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[IntervalRow]


@dataclass(frozen=True)
class MatrixCell:
    """A cell: its place, how dark it is (0 to 1), its colour, and the words in it."""

    row: int
    column: int
    shade: float
    colour: str = "heat"
    words: str = ""


@dataclass(frozen=True)
class Matrix:
    """Rows against columns; cells that are not listed stay empty. `sums` are written after the rows."""

    name: str
    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[MatrixCell]
    x_title: str = ""
    y_title: str = ""
    sums: Sequence[str] = ()


@dataclass(frozen=True)
class Drawing:
    """A figure that is not a chart, such as a tree: the SVG itself."""

    name: str
    title: str
    svg: str


Chart: TypeAlias = Figure | Intervals | Matrix
