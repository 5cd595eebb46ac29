"""Figures as data: what is drawn, not how. `reports.charts` draws them, for pages and for files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rubricate.svg import Svg, box, dot, group, line, path, text
from rubricate.types import Bools, Floats

__all__ = [
    "Chart",
    "Drawing",
    "Figure",
    "IntervalRow",
    "Intervals",
    "Matrix",
    "MatrixCell",
    "Series",
    "contingency_drawing",
    "margin_drawing",
    "overlap",
    "sets_drawing",
    "smaller_margin",
    "vector_drawing",
]


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


SIDE, EDGE = 340, 40


# -- margins (yangliu1999, figures 2 and 3)


def smaller_margin(points: Floats, positive: Bools, direction: Floats, *, share: float = 0.5) -> Floats:
    """Return the direction of a line that parts the points with about `share` of the margin of another line.

    Directions are unit vectors across the line; the nearest to `direction` of those with a fitting margin is taken.
    """
    best, start = _gap(points, positive, direction), math.atan2(direction[1], direction[0])
    turns = sorted(np.linspace(-math.pi / 2, math.pi / 2, 1801), key=abs)
    angles = [np.array([math.cos(start + turn), math.sin(start + turn)]) for turn in turns]
    parting = [each for each in angles if _gap(points, positive, each) > 0]
    return min(parting, key=lambda each: abs(_gap(points, positive, each) - share * best))


def _gap(points: Floats, positive: Bools, direction: Floats) -> float:
    """Return the distance between the two groups along a direction; below 0 where they overlap."""
    along = points @ direction
    return float(along[positive].min() - along[~positive].max())


def margin_drawing(
    name: str, title: str, *, points: Floats, positive: Bools, direction: Floats, axes: tuple[str, str]
) -> Drawing:
    """Draw points of two groups, the line between them across `direction`, and its margin as dashed lines."""
    along = points @ direction
    ends = along[positive].min(), along[~positive].max()
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (SIDE - 2 * EDGE) / float((high - low).max())

    def place(point: Floats) -> tuple[float, float]:
        x, y = (point - low) * scale
        return EDGE + x, SIDE - EDGE - y

    parts = []
    for offset, dash in ((sum(ends) / 2, None), (ends[0], "5 4"), (ends[1], "5 4")):
        reach = 2 * float((high - low).max())
        across = np.array([-direction[1], direction[0]])
        foot = direction * offset + across * float((low + high) / 2 @ across)
        (x1, y1), (x2, y2) = place(foot - reach * across), place(foot + reach * across)
        parts.append(line(x1, y1, x2, y2, stroke="var(--rubric)", stroke_width="1.5", stroke_dasharray=dash))
    parts += [_mark(*place(point), filled=bool(own)) for point, own in zip(points, positive, strict=True)]
    inner = (EDGE / 2, EDGE / 2, SIDE - EDGE, SIDE - EDGE)
    frame, clip = box(*inner, fill="none", stroke="var(--line)"), f'<clipPath id="f">{box(*inner)}</clipPath>'
    labels = [
        text(SIDE / 2, SIDE - 4, axes[0], text_anchor="middle"),
        text(-SIDE / 2, 14, axes[1], text_anchor="middle", transform="rotate(-90)"),
    ]
    inside = group(parts, clip_path="url(#f)")
    return Drawing(name, title, Svg(SIDE, SIDE, title, [clip, frame, inside, *labels]).file())


def _mark(x: float, y: float, *, filled: bool) -> str:
    if filled:
        return dot(x, y, 4.5, fill="var(--c0)")
    return box(x - 4, y - 4, 8, 8, fill="var(--paper)", stroke="var(--c1)", stroke_width="1.5")


# -- a text as a vector (joachims2000, figure 1)


def vector_drawing(name: str, title: str, *, lines: Sequence[str], counts: Mapping[str, int]) -> Drawing:
    """Draw the lines of a text, and beside it the number of times that some words occur in it."""
    height = 40 + 20 * max(len(lines), len(counts))
    page = box(10, 10, 430, height - 20, fill="var(--panel)", stroke="var(--line)")
    shown = [text(22, 34 + 20 * k, words) for k, words in enumerate(lines)]
    arrow = path(f"M450 {height / 2:.0f} h34 m-8 -6 l8 6 l-8 6", fill="none", stroke="var(--rubric)")
    rows = []
    for k, (word, count) in enumerate(counts.items()):
        y = 14 + 20 * k
        rows.append(box(500, y, 34, 20, fill="none", stroke="var(--line)"))
        rows += [text(517, y + 15, str(count), text_anchor="middle"), text(544, y + 15, word)]
    return Drawing(name, title, Svg(660, height, title, [page, *shown, arrow, *rows]).file())


# -- a contingency table (joachims2000, figure 2)


def contingency_drawing(name: str, title: str, *, shares: Sequence[Sequence[float]]) -> Drawing:
    """Draw the joint shares of prediction (rows: +1, −1) and label (columns), with the sums at the edges."""
    table = np.asarray(shares)
    joint = [["Pr(h = 1, y = 1)", "Pr(h = 1, y = −1)"], ["Pr(h = −1, y = 1)", "Pr(h = −1, y = −1)"]]
    cells: list[tuple[int, int, str, float]] = [(r, c, joint[r][c], table[r, c]) for r in (0, 1) for c in (0, 1)]
    cells += [(r, 2, f"Pr(h = {'1' if r == 0 else '−1'})", table[r].sum()) for r in (0, 1)]
    cells += [(2, c, f"Pr(y = {'1' if c == 0 else '−1'})", table[:, c].sum()) for c in (0, 1)]
    parts = [
        text(205 + 170 * c, 24, label, text_anchor="middle", fill="var(--soft)")
        for c, label in enumerate(("label +1", "label −1"))
    ]
    parts += [text(10, 66 + 56 * r, label, fill="var(--soft)") for r, label in enumerate(("predict +1", "predict −1"))]
    for r, c, words, share in cells:
        x, y, inner = 120 + 170 * c, 34 + 56 * r, r < 2 and c < 2
        parts += [box(x, y, 170, 56, fill="var(--panel)", stroke="var(--soft)")] if inner else []
        parts += [
            text(x + 85, y + 24 + 20 * k, each, text_anchor="middle") for k, each in enumerate((words, f"{share:.4f}"))
        ]
    return Drawing(name, title, Svg(640, 212, title, parts).file())


# -- two sets (Evaluation of text categorization systems, figure 1)


def overlap(first: float, second: float, common: float) -> float:
    """Return the distance of two circles of these areas, so that `common` is the area that they share.

    >>> round(overlap(math.pi, math.pi, 0.0), 3)
    2.0
    >>> overlap(math.pi, math.pi, math.pi)
    0.0
    """
    r, s = math.sqrt(first / math.pi), math.sqrt(second / math.pi)
    low, high = abs(r - s), r + s
    if common >= min(first, second):
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _lens(r, s, middle) > common else (low, middle)
    return (low + high) / 2


def _lens(r: float, s: float, apart: float) -> float:
    """Return the area that circles of radius r and s share at a distance."""
    a = math.acos(min(1.0, max(-1.0, (apart**2 + r**2 - s**2) / (2 * apart * r))))
    b = math.acos(min(1.0, max(-1.0, (apart**2 + s**2 - r**2) / (2 * apart * s))))
    return r**2 * (a - math.sin(2 * a) / 2) + s**2 * (b - math.sin(2 * b) / 2)


def sets_drawing(name: str, title: str, *, relevant: int, retrieved: int, both: int) -> Drawing:
    """Draw the relevant (A) and the retrieved (B) documents as circles whose areas are their numbers; AΔB is shaded."""
    apart = overlap(relevant, retrieved, both)
    r, s = math.sqrt(relevant / math.pi), math.sqrt(retrieved / math.pi)
    scale = 300 / max(r + s + apart, 1e-9)
    r, s, apart = r * scale, s * scale, apart * scale
    middle, x, z = max(r, s) + 40, 30 + r, 30 + r + apart
    circles = [(x, r), (z, s)]
    shaded = [dot(cx, middle, radius, fill="var(--against)") for cx, radius in circles]
    clip = f'<clipPath id="a">{dot(x, middle, r)}</clipPath>'
    lens = dot(z, middle, s, fill="var(--paper)", clip_path="url(#a)")
    lines = [dot(cx, middle, radius, fill="none", stroke="var(--rubric)") for cx, radius in circles]
    names = f"A: {relevant} relevant", f"B: {retrieved} retrieved"
    words = [
        text(x - r * 0.6, 24, names[0]),
        text(z + s * 0.6, 2 * middle - 8, names[1], text_anchor="end"),
        text((max(z - s, x - r) + min(x + r, z + s)) / 2, middle + 5, f"A∩B: {both}", text_anchor="middle"),
    ]
    return Drawing(
        name, title, Svg(z + max(s, 60) + 40, 2 * middle, title, [*shaded, clip, lens, *lines, *words]).file()
    )
