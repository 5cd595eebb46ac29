"""Tables for those who judge: the ranking of systems, the worst categories, confusions, the matrix of tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.errors import UnknownName
from rubricate.measures import Evaluation
from rubricate.measures.tables import canonical
from rubricate.reports.evaluation_tables import confusions
from rubricate.reports.tables import CellValue, Table
from rubricate.significance.ranking import Ranking
from rubricate.types import Run, Significance

__all__ = [
    "abstention_table",
    "confusion_table",
    "measure_table",
    "p_shown",
    "rank_table",
    "significance_matrix",
    "sorted_categories",
    "top_confusions",
    "worst_table",
]

LEAST_P = 1e-10
NAME = 28
"""Characters of a category's name in a table that fits 80 columns."""


def p_shown(p: float) -> str:
    """Format a p-value; tails below 1e-10 are not told apart.

    >>> p_shown(0.0312), p_shown(3e-12)
    ('0.0312', '< 1e-10')
    """
    return "< 1e-10" if p < LEAST_P else f"{p:.3g}"


def rank_table(ranking: Ranking) -> Table:
    """Tabulate rank, value, interval, interval of the rank, and letters."""
    rows = [
        (s.rank, s.system, s.value, s.low, s.high, f"{s.rank_low}–{s.rank_high}", s.letters) for s in ranking.systems
    ]
    level = f"{ranking.level:.0%}"
    notes = [
        f"low to high: {level} interval of {ranking.by}; ranks: {level} interval of the rank by bootstrap",
        f"Systems that share a letter are not distinguishable at .05 ({_correction(ranking.adjust)}).",
        *ranking.notes,
    ]
    columns = ("rank", "system", ranking.by, "low", "high", "ranks", "group")
    return Table(columns, rows, title=f"Ranking by {ranking.by}", notes=notes, signature=ranking.signature)


def _correction(adjust: str) -> str:
    return {"holm": "Holm", "bh": "Benjamini–Hochberg"}.get(adjust, "not corrected")


def measure_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate the measures of the whole: accuracy, balanced accuracy, weighted F1, MCC, kappa, by example."""
    names = list(dict.fromkeys(name for each in results for name in each.summaries))
    examples = [name for name in ("example_precision", "example_recall", "example_f1") if name in results[0].examples]
    rows = [
        (each.name, *(each.summaries.get(name) for name in names), *(each.examples.get(name) for name in examples))
        for each in results
    ]
    return Table(("system", *names, *examples), rows, title="Measures of the whole")


def abstention_table(results: Sequence[Evaluation]) -> Table | None:
    """Tabulate what share of the documents was answered and how many of those are right; None if all answer all."""
    rows = [
        (each.name, each.summaries["coverage"], each.summaries["accuracy_answered"], each.summaries["accuracy"])
        for each in results
        if "coverage" in each.summaries
    ]
    columns = ("system", "answered", "right among the answered", "right among all")
    return Table(columns, rows, title="Abstentions") if rows else None


def worst_table(results: Sequence[Evaluation], worst: int) -> Table:
    """Tabulate the categories with the lowest F1 of each run, worst first; fits 80 columns."""
    rows: list[tuple[CellValue, ...]] = []
    for each in results:
        if each.counts is None:
            continue
        true = each.counts.tp + each.counts.fn
        f1 = np.asarray(each.per_category["f1"], np.float64)
        order = [c for c in np.lexsort((-true, np.nan_to_num(f1, nan=2.0))) if true[c] > 0][:worst]
        rows += [
            (
                *((_short(each.name, 16),) if len(results) > 1 else ()),
                _short(each.categories[c], NAME),
                int(true[c]),
                *(float(each.per_category[name][c]) for name in ("precision", "recall", "f1")),
            )
            for c in order
        ]
    columns = (*(("system",) if len(results) > 1 else ()), "category", "true", "precision", "recall", "f1")
    return Table(columns, rows, title=f"Worst categories by F1, at most {worst} per system")


def _short(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def sorted_categories(table: Table, column: str) -> Table:
    """Return a table of categories sorted by a column: names upwards, numbers lowest first, missing ones last."""
    lower = {name.lower(): i for i, name in enumerate(table.columns)}
    if column.lower() not in lower:
        raise UnknownName("column to sort by", column, table.columns)
    place = lower[column.lower()]

    def key(row: Sequence[CellValue]) -> tuple[bool, bool, float, str]:
        cell = row[place]
        number = float(cell) if isinstance(cell, (int, float, np.number)) else 0.0
        gone = cell is None or number != number
        return gone, isinstance(cell, str), 0.0 if gone else number, str(cell)

    return Table(table.columns, sorted(table.rows, key=key), table.title, table.notes, table.signature, table.digits)


def confusion_table(run: Run, *, most: int = 30) -> Table:
    """Tabulate the confusion matrix of single-label decisions: true classes by answered ones.

    Up to `most` classes, the most frequent first; the other ones are one row and column.
    """
    truth, decided = canonical(run.truth), canonical(run.decisions.values if run.decisions is not None else run.truth)
    size = len(run.categories)
    answered = np.full(truth.shape[0], size)
    first = np.flatnonzero(np.diff(decided.indptr))
    answered[first] = decided.indices[decided.indptr[first]]
    matrix = np.zeros((size, size + 1), np.int64)
    np.add.at(matrix, (truth.indices, answered[np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))]), 1)
    order = np.argsort(-matrix.sum(axis=1), kind="stable")
    shown, rest = order[:most], order[most:]
    columns = [run.categories[c] for c in shown] + (["(others)"] if len(rest) else []) + ["(none)"]

    def cells(row: np.ndarray) -> list[int]:
        others = [int(row[rest].sum())] if len(rest) else []
        return [*(int(row[c]) for c in shown), *others, int(row[size])]

    rows: list[tuple[CellValue, ...]] = [(run.categories[c], *cells(matrix[c])) for c in shown]
    if len(rest):
        rows.append(("(others)", *cells(matrix[rest].sum(axis=0))))
    title = f"Confusion matrix of {run.name}: true classes in rows, answers in columns"
    return Table(("true", *columns), rows, title=title)


def top_confusions(runs: Sequence[Run], *, most: int = 10) -> Table:
    """Tabulate the commonest confusions of each run: the category missed, the one given, in how many documents."""
    rows: list[tuple[CellValue, ...]] = []
    for run in runs:
        if run.decisions is None:
            continue
        pairs = confusions(canonical(run.truth), canonical(run.decisions.values)).top(most)
        rows += [(run.name, run.categories[a], run.categories[b], count) for a, b, count in pairs]
    return Table(("system", "missed", "given", "documents"), rows, title="Commonest confusions")


def significance_matrix(names: Sequence[str], results: Sequence[Significance], *, measure: str = "") -> Table:
    """Tabulate the corrected p-values of all pairs as a matrix, systems in the order given."""
    place = {name: k for k, name in enumerate(names)}
    cells: list[list[CellValue]] = [[None] * len(names) for _ in names]
    for result in results:
        if measure in ("", result.measure) and result.a in place and result.b in place and not result.band:
            p = result.p_value if result.adjusted_p is None else result.adjusted_p
            cells[place[result.a]][place[result.b]] = cells[place[result.b]][place[result.a]] = p
    rows = [(name, *row) for name, row in zip(names, cells, strict=True)]
    title = f"Corrected p-values{f' on {measure}' if measure else ''}"
    return Table(("system", *names), rows, title=title, digits=3)
