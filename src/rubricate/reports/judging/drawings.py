"""Drawings that compare systems: critical differences, the matrix of all tests, intervals in a table, reliability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.experiments.figure import Figure, Matrix, MatrixCell, Series
from rubricate.reports.charts import colour, signs
from rubricate.significance.comparing.critical_difference import CriticalDifference
from rubricate.svg import Svg, clip, group, line, text, text_width
from rubricate.types import Floats, Significance

__all__ = ["difference_diagram", "interval_bar", "matrix_figure", "reliability_figure"]

SHADES = ((0.001, 1.0), (0.01, 0.7), (0.05, 0.4))
"""Corrected p-values up to which a cell has this opacity."""
BETTER, WORSE, UNCLEAR = "c0", "rubric", "c7"
"""Colours of the matrix of tests."""
ROW, TOP = 20, 56
"""Pixels between the names of a diagram, and above its axis."""


def difference_diagram(result: CriticalDifference, *, width: float = 736) -> Svg:
    """Draw mean ranks on an axis, best on the left; thick bars connect systems that are not distinguishable."""
    k, sides = len(result.systems), 0.27 * width
    span = width - 2 * sides
    high = float(max(k, 2))

    def x(rank: float) -> float:
        return sides + (rank - 1) / (high - 1) * span

    parts = [_ranks(result, x(1.0), span)]
    bars = [
        line(x(float(result.mean_ranks[first])) - 3, y, x(float(result.mean_ranks[last])) + 3, y)
        for (first, last), y in zip(result.groups, (TOP + 10 + 7 * np.arange(len(result.groups))).tolist(), strict=True)
    ]
    parts.append(group(bars, stroke="var(--rubric)", stroke_width="4", stroke_linecap="round"))
    start, half = TOP + 28 + 7 * len(result.groups), (k + 1) // 2
    for place, (name, rank) in enumerate(zip(result.systems, result.mean_ranks.tolist(), strict=True)):
        left = place < half
        y = start + ROW * (place if left else k - 1 - place)
        parts.append(_system(name, rank, (x(rank), y), edge=sides - 8 if left else width - sides + 8))
    kind = "Friedman and Nemenyi" if result.way == "nemenyi" else "Wilcoxon and Holm"
    label = f"Critical-difference diagram by {kind}: mean ranks of {k} systems over {result.blocks} categories"
    return Svg(width, start + ROW * half, label, parts)


def _ranks(result: CriticalDifference, left: float, span: float) -> str:
    """Draw the axis of ranks, and Nemenyi's critical difference above it."""
    k = len(result.systems)
    high = float(max(k, 2))
    parts = [line(left, TOP, left + span, TOP, stroke="var(--ink)")]
    for tick in np.unique(np.linspace(1, high, min(k, 10)).round()).tolist():
        at = left + (tick - 1) / (high - 1) * span
        parts += [
            line(at, TOP - 5, at, TOP, stroke="var(--ink)"),
            text(at, TOP - 10, f"{tick:g}", text_anchor="middle"),
        ]
    if result.difference is not None:
        end = left + min(result.difference / (high - 1), 1.0) * span
        parts.append(line(left, 14, end, 14, stroke="var(--rubric)", stroke_width="2"))
        parts += [line(at, 9, at, 19, stroke="var(--rubric)", stroke_width="2") for at in (left, end)]
        parts.append(text(end + 8, 18, f"CD = {result.difference:.2f}", fill="var(--rubric)"))
    return "".join(parts)


def _system(name: str, rank: float, at: tuple[float, float], *, edge: float) -> str:
    """Draw the line from a rank on the axis to the name of its system at the edge."""
    (x, y), left = at, edge < at[0]
    lines = group([line(x, TOP, x, y), line(x, y, edge, y)], stroke="var(--soft)", fill="none")
    number = f" ({rank:.2f})"
    short = clip(name, (edge if left else 0.27 * 736) - 12 - text_width(number))
    words = f"{short}{number}"
    return lines + text(
        edge + (-5 if left else 5), y + 4, words, text_anchor="end" if left else "start",
        title="" if short == name else name,
    )  # fmt: skip


def matrix_figure(names: Sequence[str], results: Sequence[Significance], *, measure: str = "") -> Matrix:
    """Return all pairs as squares: blue if the system of the row is better, red if it is worse, darker if surer."""
    place = {name: k for k, name in enumerate(names)}
    cells = []
    for result in results:
        if result.measure != measure or result.band or result.a not in place or result.b not in place:
            continue
        p = result.p_value if result.adjusted_p is None else result.adjusted_p
        shade = next((opacity for limit, opacity in SHADES if p <= limit), 0.0)
        for row, column, turn in ((place[result.a], place[result.b], 1), (place[result.b], place[result.a], -1)):
            tone = (BETTER if result.direction * turn > 0 else WORSE) if shade else UNCLEAR
            cells.append(MatrixCell(row, column, shade or 0.12, tone))
    title = f"Matrix of the tests of all pairs of {len(names)} systems on {measure}"
    numbers = [str(k + 1) for k in range(len(names))]
    return Matrix(
        f"significance_{measure}",
        title,
        [f"{n}. {name}" for name, n in zip(names, numbers, strict=True)],
        numbers,
        cells,
    )


def interval_bar(low: float, value: float, high: float, limits: tuple[float, float]) -> Svg:
    """Draw one interval with its value, on the scale of the whole table."""
    width, (start, end) = 180, limits
    a, m, b = (6 + (part - start) * (width - 12) / max(end - start, 1e-12) for part in (low, value, high))
    parts = [line(a, 8, b, 8, stroke=colour(0), stroke_width="2"), signs(0, [(m, 8)])]
    return Svg(width, 16, f"{low:.4f} to {high:.4f}", parts)


def reliability_figure(name: str, predicted: Floats, observed: Floats, counts: Floats) -> Figure:
    """Return the share of true pairs by the mean probability of each bin; the area of a point is its count."""
    known = (counts > 0) & np.isfinite(predicted) & np.isfinite(observed)
    x, y, sizes = (part[known].tolist() for part in (predicted, observed, counts))
    points, unit = Series(name, x, y, sizes=sizes), (0.0, 1.0)
    return Figure(
        "reliability", f"Reliability diagram of {name}", "probability", "share that is true", [points],
        kind="points", x_limits=unit, y_limits=unit, diagonal=True,
    )  # fmt: skip
