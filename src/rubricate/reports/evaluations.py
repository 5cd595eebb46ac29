"""Tables of evaluations: the summary with its baselines, rankings, categories, frequencies, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rubricate.evaluation import Evaluation
from rubricate.evaluation.result import COLUMNS
from rubricate.reports.cells import CellValue
from rubricate.reports.tables import Table

__all__ = ["category_table", "frequency_table", "interval_table", "ranking_table", "summary_table"]

RANKING = {
    "11pt": ("eleven_point",),
    "AP": ("average_precision",),
    "R-prec": ("r_precision",),
    "coverage": ("coverage_error",),
    "rank loss": ("ranking_loss",),
    "AP by category": ("by_category", "average_precision"),
    "AUC": ("by_category", "roc_auc"),
    "miBEP": ("break_even", "micro"),
    "maBEP": ("break_even", "macro"),
    "opt miF1": ("optimal_f1", "micro"),
    "opt maF1": ("optimal_f1", "macro"),
}
"""The columns of the ranking table, and the place of each number in `Evaluation.ranking`."""


def _at(parts: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = parts
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _named(parts: Mapping[str, Any], name: str) -> Any:
    """Return the value under a dotted name; a key may hold a dot itself, as `f_beta:0.5` does."""
    if name in parts:
        return parts[name]
    step, _, rest = name.partition(".")
    inside = parts.get(step)
    return _named(inside, rest) if isinstance(inside, Mapping) else None


def summary_table(results: Sequence[Evaluation], *, extra: Sequence[str] = ()) -> Table:
    """Tabulate miR miP miF1 maF1 error of each run and of the trivial rejector and acceptor; `extra` as mi and ma."""
    columns = dict(COLUMNS)
    for name in extra:
        columns |= {f"mi {name}": ("micro", name), f"ma {name}": ("macro", name)}
    if results[0].single_label:
        columns |= {"accuracy": ("summaries", "accuracy")}
    averages = [
        (
            evaluation.name,
            {"micro": evaluation.micro, "macro": evaluation.macro, "summaries": evaluation.summaries},
        )
        for evaluation in results
        if evaluation.micro
    ]
    averages += [(name, _baseline(results[0], name)) for name in results[0].shown_baselines]
    rows = [(name, *(_at(averages_of_run, path) for path in columns.values())) for name, averages_of_run in averages]
    return Table(("system", *columns), rows, notes=_notes(results), signature=_signature(results))


def _baseline(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """Return the averages of a baseline; one answer per document makes its accuracy its recall."""
    averages = evaluation.baselines[name]
    return {**averages, "summaries": {"accuracy": averages["micro"]["recall"]}}


def _notes(results: Sequence[Evaluation]) -> list[str]:
    """Describe what was measured, with the signature of each run where they differ."""
    first = results[0]
    signatures = [] if _signature(results) else [f"{run.name}: {run.signature}" for run in results]
    return [
        f"{first.documents} documents, {len(first.categories)} categories, 0/0 counts as {first.convention}",
        *signatures,
    ]


def _signature(results: Sequence[Evaluation]) -> str:
    """Return the signature of the runs where they share one, else an empty text."""
    signatures = {str(evaluation.signature) for evaluation in results}
    return signatures.pop() if len(signatures) == 1 else ""


def ranking_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate the measures of the scores, one row per run with scores; Brier and ECE where they are probabilities."""
    scored = [evaluation for evaluation in results if evaluation.ranking]
    calibrated = ("log_loss", "brier", "ece") if any(evaluation.probability for evaluation in scored) else ()
    rows = [
        (
            evaluation.name,
            *(_at(evaluation.ranking, path) for path in RANKING.values()),
            *(evaluation.probability.get(name) for name in calibrated),
        )
        for evaluation in scored
    ]
    flagged = [
        evaluation.name for evaluation in scored if _at(evaluation.ranking, ("break_even", "micro_interpolated"))
    ]
    notes = [f"miBEP of {', '.join(flagged)} is interpolated"] if flagged else []
    notes.append("miBEP and opt miF1: one global threshold; the others but 'by category' and ma: means over documents")
    return Table(("system", *RANKING, *calibrated), rows, title="Ranking", notes=notes)


def category_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate every value of every category, one row per run and category."""
    columns = list(dict.fromkeys(name for evaluation in results for name in evaluation.per_category))
    rows: list[tuple[CellValue, ...]] = []
    for evaluation in results:
        values = [
            evaluation.per_category[name].tolist() if name in evaluation.per_category else None for name in columns
        ]
        for i, category in enumerate(evaluation.categories):
            rows.append((evaluation.name, category, *(None if column is None else column[i] for column in values)))
    return Table(("system", "category", *columns), rows, title="Per category")


def frequency_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate the mean F1 of the categories in each interval of training frequency, one column per run."""
    banded = [evaluation for evaluation in results if evaluation.by_frequency]
    bands = banded[0].by_frequency if banded else ()
    rows = [
        (band.low, band.high, band.categories, *(evaluation.by_frequency[i].value for evaluation in banded))
        for i, band in enumerate(bands)
    ]
    names = [evaluation.name for evaluation in banded]
    return Table(("from", "to", "categories", *names), rows, title="F1 by training documents of the category")


def interval_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate every interval: the measure, its value, low, high, the method."""
    rows: list[tuple[CellValue, ...]] = []
    for evaluation in results:
        for name, intervals in evaluation.intervals.items():
            where, _, rest = name.partition(".")
            parts = getattr(evaluation, where)
            value = _named(parts if isinstance(parts, Mapping) else parts.to_dict(), rest)
            rows += [
                (evaluation.name, name, value, interval.low, interval.high, interval.method) for interval in intervals
            ]
    level = next(
        (
            interval.level
            for evaluation in results
            for intervals in evaluation.intervals.values()
            for interval in intervals
        ),
        0.95,
    )
    return Table(
        ("system", "measure", "value", "low", "high", "method"), rows, title=f"Intervals of {level:.0%} confidence"
    )
