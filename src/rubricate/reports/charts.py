"""The one drawer of charts: lines, bars, points, intervals and matrices as SVG, for pages, files and every system.

A chart is data (`rubricate.papers.figures`); `draw` turns it into a drawing of a given width. Systems differ by
colour and by sign, or by dashes where a line has too many points for signs, so that they are distinct in black and
white. Lines are named at their ends if the drawing is wide enough for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from rubricate.papers.figures import Chart, Figure, IntervalRow, Intervals, Matrix, Series
from rubricate.svg import Svg, clip, group, line, path, short, text, text_width

__all__ = ["FILE", "NARROW", "WIDE", "Axis", "colour", "draw", "legend_key", "nearest", "number", "places", "signs"]

WIDE, NARROW, FILE = 736, 358, 600
"""Widths in pixels: of a page, of a page on a phone, of a file for a paper."""
MOST_SIGNS = 16
"""Points up to which a line shows a sign at each."""
BOLD = 13.4
"""The size of plain type that is as wide as bold type of 12 pixels."""
DASHES = ("", "7 3", "2 3", "10 3 2 3", "14 4", "5 2 1 2", "4 4", "1 3")
SOFT = {"fill": "var(--soft)"}
GRID = {"stroke": "var(--line)"}


def number(value: float) -> str:
    """Return a number with no more digits than a reader needs; `–` for NaN.

    >>> [number(value) for value in (0.81249, 0.5, 1234, 12.3456, 1e-5, float("nan"))]
    ['0.812', '0.5', '1,234', '12.35', '1e-05', '–']
    """
    if math.isnan(value):
        return "–"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{float(f'{value:.4g}'):,g}"


@dataclass(frozen=True)
class Axis:
    """From values to pixels; `low` and `high` are at `start` and `end`."""

    low: float
    high: float
    start: float = 0.0
    end: float = 1.0
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value; on a logarithmic axis nothing is below the low end."""
        values = (self.low, self.high, max(value, self.low) if self.log else value)
        low, high, at = (math.log(v) if self.log else v for v in values)
        return self.start + (at - low) / ((high - low) or 1.0) * (self.end - self.start)

    def ticks(self, count: int) -> list[float]:
        """Return round values on the axis, about `count` of them."""
        if self.log:
            units = (1, 3) if self.high / self.low > 50 else (1, 2, 5)
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            marks = [unit * 10.0**power for power in powers for unit in units]
            return [mark for mark in marks if self.low * 0.999 <= mark <= self.high * 1.001]
        step = _round_step((self.high - self.low) / max(count, 1) or 1.0)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-6)
        return [float(f"{k * step:.12g}") for k in range(first, last + 1)]

    def rounded(self, count: int) -> Axis:
        """Return the axis with its high end at the next round value."""
        if self.log:
            return self
        step = _round_step((self.high - self.low) / max(count, 1) or 1.0)
        high = math.ceil(self.high / step - 1e-9) * step
        same = _round_step((high - self.low) / max(count, 1)) == step
        return replace(self, high=high) if same else replace(self, high=high).rounded(count)


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return power * next(unit for unit in (1, 2, 2.5, 5, 10) if unit * power >= raw * 0.999)


def colour(slot: int) -> str:
    """Return the colour of a system."""
    return f"var(--c{slot % 8})"


def draw(chart: Chart, *, width: float = FILE, readable: bool = False) -> Svg:
    """Return the drawing; if `readable`, each place of a figure of lines tells its values when pointed at.

    A narrow drawing has the places without the words, which the script of the page takes from the wide one.
    """
    if isinstance(chart, Intervals):
        return _intervals(chart, width)
    if isinstance(chart, Matrix):
        return _matrix(chart, width)
    return _figure(chart, width, readable=readable)


# -- figures with two axes

Scales: TypeAlias = tuple[Axis, Axis]


@dataclass(frozen=True)
class _Box:
    """The rectangle between the axes."""

    left: float
    right: float
    top: float
    bottom: float


def _figure(figure: Figure, width: float, *, readable: bool) -> Svg:
    x, y = _axis(figure, "x"), _axis(figure, "y")
    named = width > 480 and len(figure.series) > 1
    names = [clip(series.name, 0.24 * width, BOLD) for series in figure.series]
    side = 40 + max(text_width(name, BOLD) for name in names) if named else 2 + text_width(number(x.high)) / 2
    left = 14 + max(text_width(number(mark)) for mark in y.ticks(5))
    height = round(min(350.0, max(240.0, 0.46 * width))) if figure.kind != "points" else width
    box = _Box(left, width - side, 30, height - 46)
    scales = replace(x, start=box.left, end=box.right), replace(y, start=box.bottom, end=box.top)
    parts = [_frame(figure, box, scales)]
    lines = [
        group(_drawn(figure, series, scales, _slot(series, place)), data_series=place)
        for place, series in enumerate(figure.series)
    ]
    parts.append(group(lines, stroke_width="2", stroke_linejoin="round", stroke_linecap="round"))
    parts += [_end_names(figure, names, scales, box)] if named else []
    parts += [_places(figure, scales[0], box, words=width > 480)] if readable else []
    label = f"{figure.title}. {figure.y_title} by {figure.x_title}".strip()
    return Svg(width, height, f"{label}: {', '.join(series.name for series in figure.series)}", parts)


def _slot(series: Series, place: int) -> int:
    return place if series.slot is None else series.slot


def _axis(figure: Figure, which: str) -> Axis:
    """Return the axis: the limits given, else the values, of a vertical or bar axis from 0 (logarithmic: 1) on."""
    limits, log = (figure.x_limits, figure.log_x) if which == "x" else (figure.y_limits, figure.log_y)
    if limits is not None:
        return Axis(*limits, log=log)
    values = [v for s in figure.series for v in (*getattr(s, which), *(s.high if which == "y" else ())) if v == v]
    values = [v for v in values if v > 0] if log else values
    low, high = min(values, default=1.0 if log else 0.0), max(values, default=1.0)
    if figure.kind == "bars":
        low, high = (low - 0.5, high + 0.5) if which == "x" else (1.0 if log else 0.0, high)
    elif which == "y" and not log:
        low = min(low, 0.0)
    if high <= low:
        low, high = (low / 2, low * 2) if log else (low, low + 1.0)
    axis = Axis(low, high, log=log)
    return axis.rounded(5) if which == "y" else axis


def _marks(figure: Figure, x: Axis) -> list[float]:
    """Return where the horizontal axis has its marks: if logarithmic at the points, as long as these are round."""
    points = sorted({value for series in figure.series for value in series.x})
    if x.log and len(points) <= 12 and all(float(f"{value:.5g}") == value for value in points):
        return points
    return x.ticks(min(8, int((x.end - x.start) / 62)))


def _frame(figure: Figure, box: _Box, scales: Scales) -> str:
    """Draw the grid, the numbers and the names of the axes; numbers that would touch are left out."""
    x, y = scales
    up = y.ticks(5)
    lines = [line(box.left, y(mark), box.right, y(mark)) for mark in up]
    if figure.diagonal:
        lines.append(line(x(x.low), y(y.low), x(x.high), y(y.high), stroke_dasharray="4 4"))
    heights = [text(box.left - 8, y(mark) + 4, number(mark), text_anchor="end") for mark in up]
    words, last = [], -math.inf
    for mark in _marks(figure, x):
        half = text_width(number(mark)) / 2
        if x(mark) - half > last + 8:
            words.append(text(x(mark), box.bottom + 18, number(mark)))
            last = x(mark) + half
    across = text((box.left + box.right) / 2, box.bottom + 38, figure.x_title, text_anchor="middle")
    base = line(box.left, box.bottom, box.right, box.bottom, stroke="var(--soft)")
    frame = f"{box.left:.1f} {box.right:.1f} {box.top:.1f} {box.bottom:.1f}"
    return (
        group(lines, **GRID)
        + base
        + group(words, data_box=frame, text_anchor="middle", **SOFT)
        + group([*heights, across, text(0, 14, figure.y_title)], **SOFT)
    )


def _drawn(figure: Figure, series: Series, scales: Scales, slot: int) -> Iterator[str]:
    """Yield what a series is made of, in its colour."""
    x, y = scales
    points = [(x(a), y(b)) for a, b in zip(series.x, series.y, strict=True) if b == b]
    own = colour(slot)
    if figure.kind == "bars":
        yield from _bars(figure, points, y, own)
        return
    if len(series.low) > 1:
        edge = [*zip(series.x, series.high, strict=True), *zip(reversed(series.x), reversed(series.low), strict=True)]
        yield path(_outline([(x(a), y(b)) for a, b in edge]) + "z", fill=own, fill_opacity="0.13")
    if figure.kind == "lines":
        dash = _dash(figure, series, slot)
        yield path(_outline(points), class_="series", fill="none", stroke=own, stroke_dasharray=dash)
    if series.sizes:
        most = math.sqrt(max(series.sizes)) or 1.0
        radii = [2 + 7 * math.sqrt(size) / most for size, b in zip(series.sizes, series.y, strict=True) if b == b]
        yield from (signs(0, [point], radius=r) for r, point in zip(radii, points, strict=True))
    elif _has_signs(figure, series):
        yield signs(slot, points)
    if series.at is not None:
        place = f"translate({short(x(series.at[0]))} {short(y(series.at[1]))})"
        yield group([signs(slot, [(0, 0)], radius=5, open_=True)], class_="at", transform=place)


def _has_signs(figure: Figure, series: Series) -> bool:
    return figure.kind == "points" or (figure.signs and len(series.x) <= MOST_SIGNS)


def _dash(figure: Figure, series: Series, slot: int) -> str | None:
    """Return the dashes of a line: its signs tell it from others, and if there are none, its dashes do."""
    return (DASHES[slot % 8] if not _has_signs(figure, series) else "7 3" if slot > 7 else "") or None


def _outline(points: Sequence[tuple[float, float]]) -> str:
    joined = "L".join(f"{short(a)} {short(b)}" for a, b in points)
    return f"M{joined}" + (f"L{joined}" if len(points) == 1 else "") if points else ""


def _bars(figure: Figure, points: Sequence[tuple[float, float]], y: Axis, own: str) -> Iterator[str]:
    gaps = [b[0] - a[0] for a, b in pairwise(points)]
    half = 0.4 * min(gaps, default=40.0)
    for a, b in points:
        yield path(f"M{a - half:.2f} {y.start:.1f}V{b:.1f}H{a + half:.2f}V{y.start:.1f}z", fill=own)


def signs(slot: int, points: Sequence[tuple[float, float]], *, radius: float = 3.5, open_: bool = False) -> str:
    """Draw the sign of a system at places: circle, square, triangle or diamond, open from the fifth system on."""
    outline = "".join(f"M{short(x)} {short(y)}{_sign(slot, radius)}" for x, y in points)
    if open_ or slot % 8 > 3:
        return path(outline, fill="var(--paper)", stroke=colour(slot), stroke_width="2")
    return path(outline, fill=colour(slot))


def _sign(slot: int, r: float) -> str:
    t, d = 1.25 * r, f"{1.35 * r:.3g}"
    return (
        f"m{-r:.3g} 0a{r:.3g} {r:.3g} 0 1 1 0 .01z",
        f"m{-0.9 * r:.3g} {-0.9 * r:.3g}h{1.8 * r:.3g}v{1.8 * r:.3g}h{-1.8 * r:.3g}z",
        f"m0 {-1.3 * r:.3g}l{t:.3g} {2.2 * r:.3g}h{-2 * t:.3g}z",
        f"m0 -{d}l{d} {d}l-{d} {d}l-{d} -{d}z",
    )[slot % 4]


def legend_key(figure: Figure, place: int) -> Svg:
    """Draw a short line with the sign of a series, for a legend."""
    series = figure.series[place]
    return Svg(26, 12, "", [_key(figure, series, _slot(series, place), (0, 6))])


def _key(figure: Figure, series: Series, slot: int, at: tuple[float, float]) -> str:
    x, y = at
    dash, parts = _dash(figure, series, slot), []
    if figure.kind == "lines":
        parts.append(line(x + 1, y, x + 25, y, stroke=colour(slot), stroke_width="2", stroke_dasharray=dash))
    if _has_signs(figure, series):
        parts.append(signs(slot, [(x + 13, y)]))
    return "".join(parts)


def _end_names(figure: Figure, names: Sequence[str], scales: Scales, box: _Box) -> str:
    """Name the series after their last points, moved apart where they would touch."""
    y, ends = scales[1], []
    for place, series in enumerate(figure.series):
        last = [b for b in series.y if b == b][-1:]
        if last:
            ends.append((y(last[0]), place))
    step = min(16.0, (box.bottom - box.top) / max(len(ends), 1))
    heights = _spread([height for height, _ in sorted(ends)], step, (box.top, box.bottom))
    parts = []
    for height, (_, place) in zip(heights, sorted(ends), strict=True):
        series, slot = figure.series[place], _slot(figure.series[place], place)
        key = _key(figure, series, slot, (box.right + 8, height))
        whole = series.name if names[place] != series.name else ""
        name = text(box.right + 38, height + 4, names[place], fill=colour(slot), font_weight="600", title=whole)
        parts.append(group([key, name], data_series=place))
    return "".join(parts)


def _spread(heights: Sequence[float], step: float, limits: tuple[float, float]) -> list[float]:
    """Return ascending heights at least `step` apart, as near to the given ones as the limits allow."""
    apart: list[float] = []
    for height in heights:
        apart.append(max(height, apart[-1] + step) if apart else height)
    over = max(0.0, apart[-1] - limits[1]) if apart else 0.0
    moved = [height - over for height in apart]
    for k in range(len(moved) - 2, -1, -1):  # only those that the shift would push above their own place
        moved[k] = max(moved[k], min(heights[k], moved[k + 1] - step))
    return moved


# -- what a figure tells at each place


def places(figure: Figure) -> dict[float, str]:
    """Return every place on the horizontal axis with its own words, or its number."""
    known: dict[float, str] = {}
    for series in figure.series:
        notes = series.notes or [""] * len(series.x)
        for x, y, note in zip(series.x, series.y, notes, strict=True):
            if y == y and not known.get(x):
                known[x] = note
    return {x: known[x] or f"{figure.x_title} {number(x)}" for x in sorted(known)}


def nearest(series: Series, place: float) -> float:
    """Return the value of a series at the point nearest to a place; NaN without points."""
    points = [(x, y) for x, y in zip(series.x, series.y, strict=True) if y == y]
    return min(points, key=lambda point: abs(point[0] - place), default=(0.0, math.nan))[1]


def _places(figure: Figure, x: Axis, box: _Box, *, words: bool) -> str:
    """Draw a band around each place that tells, line by line, the place and the value of each series."""
    known = places(figure)
    if not known:
        return ""
    middles = [(x(a) + x(b)) / 2 for a, b in pairwise(known)]
    edges = [box.left, *middles, box.right]
    parts = []
    for (place, note), (start, end) in zip(known.items(), pairwise(edges), strict=True):
        told = [note, *(f"{series.name}  {number(nearest(series, place))}" for series in figure.series)]
        band = f"M{short(start)} {short(box.top)}H{short(end)}V{short(box.bottom)}H{short(start)}z"
        mark = [path(band), line(x(place), box.top, x(place), box.bottom)]
        parts.append(group(mark, title="\n".join(told) if words else "", class_="place"))
    return group(parts, fill="none", pointer_events="all", class_="places")


# -- intervals


def _intervals(chart: Intervals, width: float) -> Svg:
    """Draw a panel for each column: beside each other with the names on the left, or below each other if narrow."""
    narrow = width < 560
    names = 0.0 if narrow else min(0.26 * width, 18 + max(text_width(row.name) for row in chart.rows))
    step, count = 38 if narrow else 28, len(chart.columns)
    head = 38 if narrow else 28
    height = head + step * len(chart.rows) + 34
    panel = width if narrow else (width - names) / count
    parts = []
    for column in range(count):
        left, top = (0.0, column * height) if narrow else (names + column * panel, 0.0)
        box = _Box(left + 6, left + panel - 56, top + head, top + head + step * len(chart.rows))
        parts.append(_panel(chart, column, box))
    if not narrow:
        side = [_name(row.name, (names - 14, 46 + step * k), names - 18) for k, row in enumerate(chart.rows)]
        parts.append(group(side, text_anchor="end"))
    told = "; ".join(f"{row.name} {', '.join(f'{value[0]:.3f}' for value in row.values)}" for row in chart.rows)
    label = f"{chart.title}. {' and '.join(chart.columns)}: {told}"
    return Svg(width, height * (count if narrow else 1), label, parts)


def _name(words: str, at: tuple[float, float], width: float, size: float = 12) -> str:
    """Write words that fit into a width; a title has them whole if they are clipped."""
    short = clip(words, width, size)
    return text(*at, short, title="" if short == words else words)


def _panel(chart: Intervals, column: int, box: _Box) -> str:
    known = [v for row in chart.rows for v in row.values[column] if v is not None and v == v] or [0.0, 1.0]
    span = max(max(known) - min(known), 0.02)
    x = Axis(max(0.0, min(known) - 0.08 * span), min(1.0, max(known) + 0.08 * span), box.left, box.right)
    marks = x.ticks(max(2, int((box.right - box.left) / 48)))
    step = (box.bottom - box.top) / len(chart.rows)
    parts = [
        text(box.left, box.top - 10 - (14 if step > 30 else 0), chart.columns[column], font_weight="600"),
        group([line(x(mark), box.top, x(mark), box.bottom) for mark in marks], **GRID),
        group([text(x(mark), box.bottom + 18, number(mark), text_anchor="middle") for mark in marks], **SOFT),
    ]
    for k, row in enumerate(chart.rows):
        slot = k if row.slot is None else row.slot
        y, value = box.top + step * (k + 1) - 14, row.values[column][0]
        parts.append(_interval(row, slot, column, at=(x, y)))
        parts.append(text(box.right + 10, y + 4, "–" if value != value else f"{value:.3f}"))
        if step > 30:
            parts.append(_name(row.name, (box.left, y - 12), box.right - box.left))
    return "".join(parts)


def _interval(row: IntervalRow, slot: int, column: int, *, at: tuple[Axis, float]) -> str:
    x, y = at
    value, low, high = row.values[column]
    ends = low is not None and high is not None and low == low and high == high
    told = f"{row.name} {number(value)}" + (f", {low:.4f} to {high:.4f}" if ends else "")
    parts = [line(x(low), y, x(high), y, stroke=colour(slot), stroke_width="2")] if ends else []  # type: ignore[arg-type]
    parts += [signs(slot, [(x(value), y)], radius=4.5)] if value == value else []
    return group(parts, title=told)


# -- matrices


def _matrix(chart: Matrix, width: float) -> Svg:
    """Draw cells as squares, those of one colour and shade as one outline; numbers where they fit."""
    side = round(min(0.36 * width, 16 + max([text_width(name) for name in chart.rows], default=0)))
    top = 10 + min(0.3 * width, max([text_width(name) for name in chart.columns], default=0)) if _turned(chart) else 18
    top += 16 if chart.x_title else 0
    top, right = round(top), 8 + max([text_width(words, 10) for words in chart.sums], default=0)
    size = max(4.0, min(30.0, (width - side - right) // max(len(chart.columns), 1)))
    small = max(5.0, min(12.0, size * 0.62))
    across, down = side + size * len(chart.columns), top + size * len(chart.rows)
    parts = [_cells(chart, (side, top), size), _matrix_names(chart, (side, top), size)]
    if size >= 15:
        words = {dark: _cell_words(chart, (side, top), size, dark=dark) for dark in (False, True)}
        parts += [
            group(each, text_anchor="middle", font_size=min(small, 10.5), fill="var(--paper)" if dark else None)
            for dark, each in words.items()
        ]
    sums = [text(across + 6, top + (k + 0.5) * size + 4, words) for k, words in enumerate(chart.sums)]
    parts.append(group(sums, font_size="10", **SOFT))
    if chart.x_title:
        parts.append(group([text(side, 10, chart.x_title), text(0, top - 6, chart.y_title)], font_size="11", **SOFT))
    return Svg(max(across + right, side + 90), down + 4, chart.title, parts)


def _cell_words(chart: Matrix, corner: tuple[float, float], size: float, *, dark: bool) -> list[str]:
    """Write the words of the dark cells, or of the others, in their middle."""
    left, top = corner[0] + size / 2, corner[1] + size / 2 + 4
    return [
        text(left + cell.column * size, top + cell.row * size, cell.words)
        for cell in chart.cells
        if cell.words and (cell.shade > 0.55) == dark
    ]


def _turned(chart: Matrix) -> bool:
    return max((len(name) for name in chart.columns), default=0) > 3


def _cells(chart: Matrix, corner: tuple[float, float], size: float) -> str:
    by_look: dict[tuple[str, str], list[str]] = {}
    inner = f"{size - 1:.4g}"
    for cell in chart.cells:
        x, y = short(corner[0] + cell.column * size), short(corner[1] + cell.row * size)
        square = f"M{x} {y}h{inner}v{inner}h-{inner}z"
        by_look.setdefault((cell.colour, f"{round(cell.shade, 1):g}"), []).append(square)
    return "".join(
        path("".join(squares), fill=f"var(--{name})", fill_opacity=shade) for (name, shade), squares in by_look.items()
    )


def _matrix_names(chart: Matrix, corner: tuple[float, float], size: float) -> str:
    """Draw the grid, and the names of rows and columns; every fifth column if the cells are small."""
    left, top = corner
    small, fits = min(12.0, size + 1), top - 8 - (16 if chart.x_title else 0)
    across, down = left + len(chart.columns) * size, top + len(chart.rows) * size
    grid = [line(left, top + k * size - 0.5, across, top + k * size - 0.5) for k in range(len(chart.rows) + 1)]
    grid += [line(left + k * size - 0.5, top, left + k * size - 0.5, down) for k in range(len(chart.columns) + 1)]
    rows = [
        _name(name, (left - 7, top + (k + 0.5) * size + small * 0.36), left - 9, small)
        for k, name in enumerate(chart.rows)
    ]
    heads = []
    for k in range(0, len(chart.columns), 1 if size >= 13 else 5):
        place = f"translate({left + (k + 0.5) * size + 4:.1f} {top - 6:.1f}) rotate(-90)"
        head = _name(chart.columns[k], (0, 0), fits, small)
        flat = text(left + (k + 0.5) * size, top - 6, chart.columns[k], text_anchor="middle")
        heads.append(group([head], transform=place) if _turned(chart) else flat)
    return group(grid, **GRID) + group([group(rows, text_anchor="end"), *heads], font_size=small)
