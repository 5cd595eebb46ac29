"""Intervals of everything that is made of counts, by resampling cells instead of documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.evaluation.joint_draws import run_cells
from rubricate.evaluation.measuring import averages
from rubricate.evaluation.result import Evaluation
from rubricate.measures.definition.catalogue import of_kind, resolve
from rubricate.measures.intervals.cells import CountCells, CountSums
from rubricate.measures.intervals.estimates import cell_interval
from rubricate.measures.intervals.interval import Interval, centred
from rubricate.types import Counts, Floats, Run, Undefined

__all__ = ["decision_intervals"]

STUDENTIZED = ("precision", "recall", "f1")


def decision_intervals(
    result: Evaluation, run: Run, *, draws: int, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Return the intervals of `micro.*`, `macro.*`, `examples.*` and `summaries.*`; empty without decisions."""
    if run.decisions is None:
        return {}
    cells = run_cells(run)
    weights = cells.drawn(draws, np.random.default_rng(seed))
    sums = cells.sums(weights)
    intervals = _of_averages(result, cells, weights, sums, level)
    for name in result.summaries:
        if name not in ("coverage", "accuracy_answered"):
            interval, _ = cell_interval(cells, name, weights, level=level, undefined=result.convention)
            intervals[f"summaries.{name}"] = interval
    table = _document_table(cells, len(run.categories))
    for name, measure in of_kind("documents").items():
        each = measure(table, undefined=result.convention)
        kept = ~np.isnan(each)
        below = np.maximum(weights[:, kept].sum(axis=1), 1)
        intervals[f"examples.{name}"] = centred(
            result.examples[name], weights[:, kept] @ each[kept] / below, level=level
        )
    return intervals


def _of_averages(
    result: Evaluation, cells: CountCells, weights: Any, sums: CountSums, level: float
) -> dict[str, Interval]:
    intervals = {}
    chosen = {name: resolve(name) for name in result.micro}
    drawn = _drawn_averages(chosen, sums, result.convention)
    for way in ("micro", "macro"):
        for name in chosen:
            key = f"{way}.{name}"
            if name in STUDENTIZED:
                interval, _ = cell_interval(cells, f"{way}_{name}", weights, level=level, undefined=result.convention)
                intervals[key] = interval
            else:
                intervals[key] = centred(float(getattr(result, way)[name]), drawn[key], level=level)
    return intervals


def _drawn_averages(chosen: Any, sums: CountSums, undefined: Undefined) -> dict[str, Floats]:
    """Return micro and macro averages of each measure in each resample."""
    values: dict[str, list[float]] = {f"{way}.{name}": [] for way in ("micro", "macro") for name in chosen}
    wanted = {name: measure for name, measure in chosen.items() if name not in STUDENTIZED}
    for b in range(len(sums.n)):
        tp, true, assigned = (part[b].astype(np.int64) for part in (sums.tp, sums.true, sums.assigned))
        table = Counts(tp, assigned - tp, true - tp, int(sums.n[b]) - true - assigned + tp)
        both = averages(table, wanted, undefined, outside=int(sums.outside[b]))
        for way, by_name in both.items():
            for name, value in by_name.items():
                values[f"{way}.{name}"].append(value)
    return {key: np.array(drawn) for key, drawn in values.items()}


def _document_table(cells: CountCells, categories: int) -> Counts:
    """Return the contingency table of one document of each pattern."""
    tp, true, assigned = (
        np.asarray(part.sum(axis=1)).ravel().astype(np.int64) for part in (cells.tp, cells.true, cells.assigned)
    )
    fp = assigned - tp + cells.outside.astype(np.int64)
    return Counts(tp, fp, true - tp, categories - true - assigned + tp)
