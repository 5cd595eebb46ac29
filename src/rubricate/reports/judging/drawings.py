"""Drawings of a judging as SVG text: critical-difference diagrams, the matrix of tests, reliability diagrams.

Colours are attributes, not styles, so that the policy of the page allows them; text takes the colour of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.reports.page.html import escape, shorten
from rubricate.significance.comparing.critical_difference import CriticalDifference
from rubricate.types import Floats, Significance

__all__ = ["difference_diagram", "interval_bar", "matrix_drawing", "reliability_diagram"]

BLUE, RED, GREY = "#2166ac", "#b2182b", "#8a8a8a"
SHADES = ((0.001, 1.0), (0.01, 0.7), (0.05, 0.4))
"""Corrected p-values up to which a cell has this opacity."""


def _svg(width: float, height: float, parts: Sequence[str], label: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(label)}" font-family="sans-serif" font-size="12" '
        'fill="currentColor">'
    )
    return head + "".join(parts) + "</svg>"


def _text(x: float, y: float, text: str, *, anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, *, width: float = 1.0, colour: str = "currentColor") -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width:g}"/>'


def difference_diagram(result: CriticalDifference, *, width: float = 760) -> str:
    """Draw mean ranks on an axis, best on the left; thick bars connect systems that are not distinguishable."""
    k, left, right, row = len(result.systems), 190.0, 190.0, 17.0
    low, high = 1.0, float(max(k, 2))
    span = width - left - right

    def x(rank: float) -> float:
        return left + (rank - low) / (high - low) * span

    top = 46.0
    parts = [_line(x(low), top, x(high), top)]
    for tick in np.unique(np.linspace(low, high, min(k, 10)).round()):
        parts += [_line(x(tick), top - 5, x(tick), top), _text(x(tick), top - 9, f"{tick:g}", anchor="middle")]
    if result.difference is not None:
        end = min(low + result.difference, high)
        parts += [_line(x(low), 12, x(end), 12, width=2), _text(x(end) + 6, 16, f"CD = {result.difference:.2f}")]
    bars = top + 8 + 6 * np.arange(len(result.groups))
    for (first, last), y in zip(result.groups, bars, strict=True):
        ends = x(float(result.mean_ranks[first])) - 3, x(float(result.mean_ranks[last])) + 3
        parts.append(_line(ends[0], float(y), ends[1], float(y), width=4, colour=RED))
    start, half = top + 24 + 6 * len(result.groups), (k + 1) // 2
    for place, (name, rank) in enumerate(zip(result.systems, result.mean_ranks, strict=True)):
        here, rank = place < half, float(rank)
        y = start + row * (place if here else k - 1 - place)
        edge, anchor = (left - 8, "end") if here else (width - right + 8, "start")
        parts += [_line(x(rank), top, x(rank), y, colour=GREY), _line(x(rank), y, edge, y, colour=GREY)]
        parts.append(_text(edge + (-4 if here else 4), y + 4, f"{shorten(name, 20)} ({rank:.2f})", anchor=anchor))
    way = "Friedman and Nemenyi" if result.way == "nemenyi" else "Wilcoxon and Holm"
    label = f"Critical-difference diagram by {way}: mean ranks of {k} systems over {result.blocks} categories"
    return _svg(width, start + row * half + 6, parts, label)


def matrix_drawing(names: Sequence[str], results: Sequence[Significance], *, measure: str = "") -> str:
    """Draw all pairs as squares: blue where the system of the row is better, red where it is worse, darker if surer."""
    place = {name: k for k, name in enumerate(names)}
    n = len(names)
    size = max(5.0, min(22.0, 640.0 / max(n, 1)))
    left, top = 170.0, 24.0
    cells: dict[tuple[str, float], list[str]] = {}
    for result in results:
        if result.measure != measure or result.band or result.a not in place or result.b not in place:
            continue
        p = result.p_value if result.adjusted_p is None else result.adjusted_p
        shade = next((opacity for limit, opacity in SHADES if p <= limit), 0.0)
        for row, column, turn in ((place[result.a], place[result.b], 1), (place[result.b], place[result.a], -1)):
            colour = (BLUE if result.direction * turn > 0 else RED) if shade else GREY
            square = (
                f"M{left + column * size:.1f} {top + row * size:.1f}h{size - 1:.1f}v{size - 1:.1f}h-{size - 1:.1f}z"
            )
            cells.setdefault((colour, shade or 0.12), []).append(square)
    parts = [
        f'<path d="{"".join(squares)}" fill="{colour}" fill-opacity="{opacity:g}"/>'
        for (colour, opacity), squares in cells.items()
    ]
    small = f' font-size="{min(12.0, size + 1 if size > 8 else size):.1f}"'
    for k, name in enumerate(names):
        parts.append(_text(left - 6, top + (k + 0.75) * size, shorten(name, 24), anchor="end", extra=small))
    step = 1 if size >= 14 else 5
    for k in range(0, n, step):
        parts.append(_text(left + (k + 0.5) * size, top - 6, str(k + 1), anchor="middle", extra=small))
    label = f"Matrix of the tests of all pairs of {n} systems on {measure}"
    return _svg(left + n * size + 8, top + n * size + 8, parts, label)


def interval_bar(low: float, value: float, high: float, limits: tuple[float, float], *, width: float = 180) -> str:
    """Draw one interval with its value, on the scale of the whole table."""
    start, end = limits
    scale = (width - 8) / max(end - start, 1e-12)
    a, m, b = (4 + (part - start) * scale for part in (low, value, high))
    parts = [_line(a, 8, b, 8, width=2, colour=BLUE), f'<circle cx="{m:.1f}" cy="8" r="3.5" fill="{BLUE}"/>']
    return _svg(width, 16, parts, f"{low:.4f} to {high:.4f}")


def reliability_diagram(predicted: Floats, observed: Floats, counts: Floats, *, size: float = 220) -> str:
    """Draw the share of true pairs against the mean probability of each bin; the area of a point is its count."""
    pad = 30.0
    inner = size - 2 * pad

    def at(x: float, y: float) -> tuple[float, float]:
        return pad + x * inner, size - pad - y * inner

    frame = f'<rect x="{pad}" y="{pad}" width="{inner}" height="{inner}" fill="none" stroke="{GREY}"/>'
    parts = [frame, _line(*at(0, 0), *at(1, 1), colour=GREY)]
    most = max(float(np.sqrt(np.max(counts, initial=1.0))), 1.0)
    for p, o, n in zip(predicted, observed, counts, strict=True):
        if n > 0 and np.isfinite(p) and np.isfinite(o):
            x, y = at(float(p), float(o))
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + 6 * float(np.sqrt(n)) / most:.1f}" fill="{BLUE}"/>'
            )
    parts += [_text(size / 2, size - 6, "probability", anchor="middle"), _text(4, pad - 10, "share that is true")]
    return _svg(size, size, parts, "Reliability diagram")
