"""The tables of evaluations: the summary with its baselines, rankings, categories, frequencies, intervals."""

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
    "miBEP": ("break_even", "micro"),
    "maBEP": ("break_even", "macro"),
    "opt miF1": ("optimal_f1", "micro"),
    "opt maF1": ("optimal_f1", "macro"),
}
"""The columns of the ranking table and where the numbers are in `Evaluation.ranking`."""


def _at(parts: Mapping[str, Any], path: Sequence[str]) -> Any:
    found: Any = parts
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _named(parts: Mapping[str, Any], name: str) -> Any:
    """The value under a name whose steps are parted by dots; a key may hold a dot itself, as `f_beta:0.5` does."""
    if name in parts:
        return parts[name]
    step, _, rest = name.partition(".")
    inside = parts.get(step)
    return _named(inside, rest) if isinstance(inside, Mapping) else None


def summary_table(results: Sequence[Evaluation], *, extra: Sequence[str] = ()) -> Table:
    """miR miP miF1 maF1 error of each run and of the trivial rejector and acceptor; `extra` measures as mi and ma."""
    columns = dict(COLUMNS)
    for name in extra:
        columns |= {f"mi {name}": ("micro", name), f"ma {name}": ("macro", name)}
    averages = [(one.name, {"micro": one.micro, "macro": one.macro}) for one in results if one.micro]
    averages += [(name, dict(found)) for name, found in results[0].baselines.items()]
    rows = [(name, *(_at(found, path) for path in columns.values())) for name, found in averages]
    return Table(("system", *columns), rows, notes=_notes(results), signature=_signature(results))


def _notes(results: Sequence[Evaluation]) -> list[str]:
    """What was measured, and the signature of each run where they differ."""
    one = results[0]
    each = [] if _signature(results) else [f"{run.name}: {run.signature}" for run in results]
    return [f"{one.documents} documents, {len(one.categories)} categories, 0/0 counts as {one.convention}", *each]


def _signature(results: Sequence[Evaluation]) -> str:
    """The signature of the runs, where they share one."""
    found = {str(one.signature) for one in results}
    return found.pop() if len(found) == 1 else ""


def ranking_table(results: Sequence[Evaluation]) -> Table:
    """The measures of the scores, one row a run that has any; probabilities where the scores are such."""
    scored = [one for one in results if one.ranking]
    calibrated = ("brier", "ece") if any(one.probability for one in scored) else ()
    rows = [
        (
            one.name,
            *(_at(one.ranking, path) for path in RANKING.values()),
            *(one.probability.get(name) for name in calibrated),
        )
        for one in scored
    ]
    flagged = [one.name for one in scored if _at(one.ranking, ("break_even", "micro_interpolated"))]
    notes = [f"miBEP of {', '.join(flagged)} is interpolated"] if flagged else []
    notes.append("miBEP and opt miF1: one global threshold; the others but 'by category' and ma: means over documents")
    return Table(("system", *RANKING, *calibrated), rows, title="Ranking", notes=notes)


def category_table(results: Sequence[Evaluation]) -> Table:
    """Every value of every category, one row a run and category."""
    columns = list(dict.fromkeys(name for one in results for name in one.per_category))
    rows: list[tuple[CellValue, ...]] = []
    for one in results:
        values = [one.per_category[name].tolist() if name in one.per_category else None for name in columns]
        for i, category in enumerate(one.categories):
            rows.append((one.name, category, *(None if column is None else column[i] for column in values)))
    return Table(("system", "category", *columns), rows, title="Per category")


def frequency_table(results: Sequence[Evaluation]) -> Table:
    """Mean F1 of the categories in each interval of training frequency, one column a run."""
    banded = [one for one in results if one.by_frequency]
    bands = banded[0].by_frequency if banded else ()
    rows = [
        (band.low, band.high, band.categories, *(one.by_frequency[i].value for one in banded))
        for i, band in enumerate(bands)
    ]
    names = [one.name for one in banded]
    return Table(("from", "to", "categories", *names), rows, title="F1 by training documents of the category")


def interval_table(results: Sequence[Evaluation]) -> Table:
    """Every interval: the measure, its value, from, to, the method."""
    rows: list[tuple[CellValue, ...]] = []
    for one in results:
        for name, found in one.intervals.items():
            where, _, rest = name.partition(".")
            parts = getattr(one, where)
            value = _named(parts if isinstance(parts, Mapping) else parts.to_dict(), rest)
            rows += [(one.name, name, value, each.low, each.high, each.method) for each in found]
    level = next((each.level for one in results for found in one.intervals.values() for each in found), 0.95)
    return Table(
        ("system", "measure", "value", "low", "high", "method"), rows, title=f"Intervals of {level:.0%} confidence"
    )
