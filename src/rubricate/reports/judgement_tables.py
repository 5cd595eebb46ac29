"""The tables of a judgement: every measure of every system, categories, tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.papers.figures import Figure, Matrix, MatrixCell, Series
from rubricate.reports.charts import colour, signs
from rubricate.reports.evaluation_tables import category_table
from rubricate.reports.judgement import Judgement, agreement_tables, contradicted_labels, review_table
from rubricate.reports.system_tables import (
    confusion_table,
    rank_table,
    significance_matrix,
    top_confusions,
    worst_table,
)
from rubricate.reports.tables import CellValue, Table
from rubricate.significance.corrections import CriticalDifference
from rubricate.svg import Svg, clip, group, line, text, text_width
from rubricate.types import Floats, Significance

__all__ = [
    "category_extremes",
    "difference_diagram",
    "interval_bar",
    "judging_tables",
    "matrix_figure",
    "measures_of_systems",
    "reliability_figure",
]

CONFUSED = 5
"""Systems whose confusion matrix is written."""


def measures_of_systems(judgement: Judgement) -> Table:
    """Tabulate the averages of each system, best first, and those of the trivial systems."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    names = list(dict.fromkeys(name for each in whole for name in each.summaries))
    columns = [(f"{way} {name}", way, name) for way in ("micro", "macro") for name in ("precision", "recall", "f1")]
    examples = [("example F1", "examples", "example_f1")]
    rows: list[tuple[CellValue, ...]] = []
    for each in whole:
        averages = [float(getattr(each, part)[name]) for _, part, name in (*columns, *examples)]
        rows.append((each.name, *averages, *(each.summaries.get(name) for name in names)))
    for name in whole[0].shown_baselines:
        parts = whole[0].baselines[name]
        rows.append((f"({name})", *(parts[way][measure] for _, way, measure in columns), *[None] * (1 + len(names))))
    heads = ("system", *(head for head, *_ in (*columns, *examples)), *names)
    return Table(heads, rows, title="Averages", digits=4)


def category_extremes(judgement: Judgement) -> Table:
    """Tabulate each category, hardest first: true documents, mean and best F1, and the system that has it."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    f1 = np.array([np.asarray(each.per_category["f1"], np.float64) for each in whole])
    counts = whole[0].counts
    true = np.zeros(f1.shape[1], np.int64) if counts is None else counts.tp + counts.fn
    middle = np.nanmedian(f1, axis=0)
    rows: list[tuple[CellValue, ...]] = [
        (
            whole[0].categories[c],
            int(true[c]),
            float(middle[c]),
            float(np.nanmax(f1[:, c])),
            judgement.names[int(np.nanargmax(np.nan_to_num(f1[:, c], nan=-1.0)))],
        )
        for c in np.argsort(middle, kind="stable")
    ]
    return Table(("category", "true", "median F1", "best F1", "best system"), rows, title="Categories, hardest first")


def judging_tables(judgement: Judgement) -> dict[str, Table]:
    """Return every table by the stem of its file."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    by_name = {run.name: run for run in judgement.runs}
    tables = {
        "ranking": rank_table(judgement.ranking),
        "measures": measures_of_systems(judgement),
        "categories": category_extremes(judgement),
        "per_category": category_table(whole),
        "worst": worst_table(whole, 10),
        "confusions": top_confusions([by_name[name] for name in judgement.names]),
    }
    contradicted = contradicted_labels(judgement.runs, most=500)
    if contradicted.rows:
        tables["contradicted"] = contradicted
    agreed, review = agreement_tables(judgement), review_table(judgement)
    if agreed is not None:
        tables["agreement"], tables["agreement_by_category"] = agreed
    if review is not None:
        tables["review"] = review
    for measure in judgement.tested:
        results = judgement.results(measure)
        tables[f"significance_{measure}"] = significance_matrix(judgement.names, results, measure=measure)
    if judgement.comparison is not None:
        grid = judgement.comparison.details()
        tables["tests"] = Table(grid.columns, grid.rows, "Tests of all pairs")
    for name in judgement.names[:CONFUSED]:
        if judgement.evaluations[name].single_label:
            tables[f"confusion_{_stem(name)}"] = confusion_table(by_name[name])
    return tables


def _stem(name: str) -> str:
    """Return a name that is safe in a file name."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)[:60]


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
