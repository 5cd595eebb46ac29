"""Illustrative figures of papers drawn from data: margins, a text as a vector, a contingency table, two sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rubricate.experiments.figure import Drawing
from rubricate.types import Bools, Floats

__all__ = ["contingency_drawing", "margin_drawing", "overlap", "sets_drawing", "smaller_margin", "vector_drawing"]

SIDE, EDGE = 340, 40


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(words)}</text>'


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
    for offset, dash in (
        (sum(ends) / 2, ""),
        (ends[0], ' stroke-dasharray="5 4"'),
        (ends[1], ' stroke-dasharray="5 4"'),
    ):
        reach = 2 * float((high - low).max())
        across = np.array([-direction[1], direction[0]])
        foot = direction * offset + across * float((low + high) / 2 @ across)
        (x1, y1), (x2, y2) = place(foot - reach * across), place(foot + reach * across)
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#333"{dash}/>')
    parts += [_mark(*place(point), filled=bool(own)) for point, own in zip(points, positive, strict=True)]
    inner = f'x="{EDGE / 2}" y="{EDGE / 2}" width="{SIDE - EDGE}" height="{SIDE - EDGE}"'
    frame, clip = f'<rect {inner} fill="none" stroke="#999"/>', f'<clipPath id="f"><rect {inner}/></clipPath>'
    labels = [
        _text(SIDE / 2, SIDE - 4, axes[0], anchor="middle"),
        _text(-SIDE / 2, 14, axes[1], anchor="middle", style=' transform="rotate(-90)"'),
    ]
    return Drawing(
        name, title, _svg(SIDE, SIDE, [clip, frame, f'<g clip-path="url(#f)">{"".join(parts)}</g>', *labels])
    )


def _mark(x: float, y: float, *, filled: bool) -> str:
    if filled:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="#222"/>'
    return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="white" stroke="#222"/>'


# -- a text as a vector (joachims2000, figure 1)


def vector_drawing(name: str, title: str, *, text: Sequence[str], counts: Mapping[str, int]) -> Drawing:
    """Draw the lines of a text, and beside it the number of times that some words occur in it."""
    height = 40 + 20 * max(len(text), len(counts))
    box = f'<rect x="10" y="10" width="430" height="{height - 20}" fill="#f6f4ef" stroke="#777"/>'
    lines = [_text(22, 34 + 20 * k, line) for k, line in enumerate(text)]
    arrow = f'<path d="M450 {height / 2:.0f} h34 m-8 -6 l8 6 l-8 6" fill="none" stroke="#333"/>'
    rows = []
    for k, (word, count) in enumerate(counts.items()):
        y = 14 + 20 * k
        rows.append(f'<rect x="500" y="{y}" width="34" height="20" fill="white" stroke="#777"/>')
        rows += [_text(517, y + 15, str(count), anchor="middle"), _text(544, y + 15, word)]
    return Drawing(name, title, _svg(660, height, [box, *lines, arrow, *rows]))


# -- a contingency table (joachims2000, figure 2)


def contingency_drawing(name: str, title: str, *, shares: Sequence[Sequence[float]]) -> Drawing:
    """Draw the joint shares of prediction (rows: +1, −1) and label (columns), with the sums at the edges."""
    table = np.asarray(shares)
    joint = [["Pr(h = 1, y = 1)", "Pr(h = 1, y = −1)"], ["Pr(h = −1, y = 1)", "Pr(h = −1, y = −1)"]]
    cells: list[tuple[int, int, str, float]] = [(r, c, joint[r][c], table[r, c]) for r in (0, 1) for c in (0, 1)]
    cells += [(r, 2, f"Pr(h = {'1' if r == 0 else '−1'})", table[r].sum()) for r in (0, 1)]
    cells += [(2, c, f"Pr(y = {'1' if c == 0 else '−1'})", table[:, c].sum()) for c in (0, 1)]
    parts = [_text(120 + 170 * c + 85, 24, label, anchor="middle") for c, label in enumerate(("label +1", "label −1"))]
    parts += [_text(10, 66 + 56 * r, label) for r, label in enumerate(("predict +1", "predict −1"))]
    for r, c, words, share in cells:
        x, y = 120 + 170 * c, 34 + 56 * r
        stroke = "#333" if r < 2 and c < 2 else "none"
        parts.append(f'<rect x="{x}" y="{y}" width="170" height="56" fill="none" stroke="{stroke}"/>')
        parts += [_text(x + 85, y + 24, words, anchor="middle"), _text(x + 85, y + 44, f"{share:.4f}", anchor="middle")]
    return Drawing(name, title, _svg(640, 212, parts))


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
    circles: list[Any] = [(x, r), (z, s)]
    shaded = "".join(
        f'<circle cx="{cx:.1f}" cy="{middle:.1f}" r="{radius:.1f}" fill="#cfcabd"/>' for cx, radius in circles
    )
    lens = (
        f'<clipPath id="a"><circle cx="{x:.1f}" cy="{middle:.1f}" r="{r:.1f}"/></clipPath>'
        f'<circle cx="{z:.1f}" cy="{middle:.1f}" r="{s:.1f}" fill="white" clip-path="url(#a)"/>'
    )
    lines = "".join(
        f'<circle cx="{cx:.1f}" cy="{middle:.1f}" r="{radius:.1f}" fill="none" stroke="#222"/>'
        for cx, radius in circles
    )
    words = [
        _text(x - r * 0.6, 24, f"A: {relevant} relevant"),
        _text(z + s * 0.6, 2 * middle - 8, f"B: {retrieved} retrieved", anchor="end"),
        _text((max(z - s, x - r) + min(x + r, z + s)) / 2, middle + 5, f"A∩B: {both}", anchor="middle"),
    ]
    return Drawing(name, title, _svg(z + max(s, 60) + 40, 2 * middle, [shaded, lens, lines, *words]))
