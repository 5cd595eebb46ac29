"""Confidence intervals of an evaluation: Wilson for its proportions, resamples of the documents for the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.engines import Engine, one_blas_thread, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.evaluation.document_statistics import document_statistics
from rubricate.evaluation.measuring import outside_labels, true_labels
from rubricate.evaluation.result import Column, Evaluation
from rubricate.measures.counting.tables import total, with_outside
from rubricate.measures.definition.catalogue import of_kind, resolve
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.intervals.interval import Interval, category_intervals, centred, wilson
from rubricate.measures.intervals.resampling import CountSums, Patterns, bootstrap, count_patterns, document_draws
from rubricate.measures.intervals.summaries import summary_interval
from rubricate.native.resampling import sum_pattern_weights
from rubricate.types import Counts, Floats, Run, Undefined

__all__ = ["decision_intervals", "joint_draws", "run_patterns", "with_intervals"]

PROPORTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "recall": (("tp",), ("tp", "fn")),
    "precision": (("tp",), ("tp", "fp")),
    "accuracy": (("tp", "tn"), ("tp", "fp", "fn", "tn")),
    "error": (("fp", "fn"), ("tp", "fp", "fn", "tn")),
    "fallout": (("fp",), ("fp", "tn")),
}
"""The measures that are a share of counted decisions: the cells of numerator and denominator."""

STUDENTIZED = ("precision", "recall", "f1")
"""The measures whose averages have studentized intervals; the others have centred percentiles."""

ABSTENTION = ("coverage", "accuracy_answered")
"""Shares of answered documents, which are not resampled."""


def with_intervals(
    result: Evaluation,
    run: Run,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    limit: int | None = None,
    engine: Engine | str = "threads",
) -> Evaluation:
    """Add intervals to an evaluation; without `resamples` only those of Wilson. Resamples are drawn on the engine."""
    intervals = {name: (interval,) for name, interval in _wilson_all(result, level).items()}
    if resamples:
        for name, interval in decision_intervals(result, run, draws=resamples, level=level, seed=seed).items():
            intervals[name] = (*intervals.get(name, ()), interval)
        statistics = document_statistics(result, run, limit)
        if statistics is not None:
            drawn = bootstrap(statistics, result.documents, draws=resamples, seed=seed, engine=engine)
            for name, value in statistics(np.ones(result.documents, np.int64)).items():
                intervals[name] = (*intervals.get(name, ()), centred(value, drawn[name], level=level))
    return dataclasses.replace(result, intervals=intervals, per_category=_with_ends(result, level))


def _with_ends(result: Evaluation, level: float) -> dict[str, Column]:
    """Return the columns of the categories with the ends of their intervals, if there are decisions."""
    ends = {} if result.counts is None else category_intervals(result.counts, level=level)
    return {**result.per_category, **ends}


def _wilson_all(result: Evaluation, level: float) -> dict[str, Interval]:
    if result.counts is None:
        return {}
    table = with_outside(total(result.counts), result.outside)
    intervals = {}
    for name, (above, below) in PROPORTIONS.items():
        hits, trials = (sum(int(getattr(table, cell)[0]) for cell in cells) for cells in (above, below))
        intervals[f"micro.{name}"] = wilson(hits, trials, level=level)
    exact = round(result.examples["subset_accuracy"] * result.documents) if result.documents else 0
    return {**intervals, "examples.subset_accuracy": wilson(exact, result.documents, level=level)}


def run_patterns(run: Run) -> Patterns[CountSums]:
    """Return the patterns of a run that has decisions and truth."""
    if run.decisions is None:
        raise InvalidInput(f"run {run.name!r} has scores but no decisions; cut the scores (--cut, or run.cut(0.5))")
    return count_patterns(true_labels(run), run.decisions.values, outside_labels(run))


def decision_intervals(
    result: Evaluation, run: Run, *, draws: int, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Return the intervals of `micro.*`, `macro.*`, `examples.*` and `summaries.*`; empty without decisions."""
    if run.decisions is None:
        return {}
    patterns, undefined = run_patterns(run), result.convention
    weights = patterns.drawn(draws, np.random.default_rng(seed))
    drawn = {**_drawn_averages(result, patterns.sums(weights)), **_drawn_examples(patterns, weights, undefined)}
    intervals = {}
    for part in ("micro", "macro", "summaries", "examples"):
        for name, value in getattr(result, part).items():
            key, summarised = f"{part}.{name}", part == "summaries" or (part != "examples" and name in STUDENTIZED)
            if summarised and name not in ABSTENTION:
                name = name if part == "summaries" else f"{part}_{name}"
                intervals[key], _ = summary_interval(patterns, name, weights, level=level, undefined=undefined)
            elif key in drawn:
                intervals[key] = centred(float(value), drawn[key], level=level)
    return intervals


def _drawn_averages(result: Evaluation, sums: CountSums) -> dict[str, Floats]:
    """Return micro and macro averages of each measure of counts in each draw."""
    table, shape = sums.table(), sums.tp.shape
    whole = Counts(*(getattr(table, cell).reshape(shape).sum(axis=1) for cell in ("tp", "fp", "fn", "tn")))
    whole, values = with_outside(whole, sums.outside), {}
    for name in set(result.micro) - set(STUDENTIZED):
        measure = resolve(name)
        values[f"micro.{name}"] = measure(whole, undefined=result.convention)
        each = measure(table, undefined=result.convention).reshape(shape)
        defined = ~np.isnan(each)
        values[f"macro.{name}"] = ratio(np.where(defined, each, 0.0).sum(axis=1), defined.sum(axis=1), "omit")
    return values


def _drawn_examples(patterns: Patterns[CountSums], weights: Any, undefined: Undefined) -> dict[str, Floats]:
    """Return the means over the documents of the example-based measures in each draw."""
    adds, values = patterns.adds, {}
    tp, true, assigned = (np.asarray(part.sum(axis=1)).ravel() for part in (adds.tp, adds.true, adds.assigned))
    fp, both = assigned - tp + adds.outside, true + assigned - tp
    parts = (tp, fp, true - tp, adds.tp.shape[1] - both)
    table = Counts(*(part.astype(np.int64) for part in parts))
    for name, measure in of_kind("documents").items():
        each = measure(table, undefined=undefined)
        kept = ~np.isnan(each)
        values[f"examples.{name}"] = weights[:, kept] @ each[kept] / np.maximum(weights[:, kept].sum(axis=1), 1)
    return values


def joint_draws(
    systems: Sequence[Patterns[CountSums]],
    name: str,
    *,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    undefined: Undefined = "zero",
    advance: Callable[[int], None] = lambda steps: None,
    engine: Engine | str = "threads",
) -> tuple[list[Interval], Floats]:
    """Return the interval of a measure for each system, and its values in the same resamples: systems × draws.

    Ranks need the systems of one draw to have met the same documents, so documents are drawn here and not patterns of
    one system. The systems are the tasks of the engine. Cost: draws × documents per system, in a compiled loop.
    """
    blocks = document_draws(systems[0].documents, draws=draws, seed=seed)
    weights = np.ascontiguousarray(np.concatenate(list(blocks)).T)
    resample = partial(_resample, weights, name, level=level, undefined=undefined)
    every = []
    for drawn in stream_tasks(resample, systems, engine=engine):
        every.append(drawn)
        advance(1)
    return [interval for interval, _ in every], np.array([values for _, values in every])


def _resample(
    weights: NDArray[np.uint8], name: str, patterns: Patterns[CountSums], *, level: float, undefined: Undefined
) -> tuple[Interval, Floats]:
    """Return the interval of a measure for one system, and its values in all resamples."""
    with one_blas_thread():
        drawn = sum_pattern_weights(patterns.codes, weights, len(patterns.sizes)).T
        return summary_interval(patterns, name, drawn, level=level, undefined=undefined)
