"""Confidence intervals of an evaluation: Wilson for its proportions, the document bootstrap for the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.engines import Engine
from rubricate.evaluation.cell_intervals import decision_intervals
from rubricate.evaluation.measuring import true_labels
from rubricate.evaluation.rankings import document_values
from rubricate.evaluation.resampled_hierarchy import resampled_hierarchy
from rubricate.evaluation.resampled_rankings import SortedRankings
from rubricate.evaluation.result import Column, Evaluation
from rubricate.measures.brier import brier
from rubricate.measures.counting.tables import canonical, total, with_outside
from rubricate.measures.intervals.bootstrap import bootstrap, weighted_means
from rubricate.measures.intervals.categories import category_intervals
from rubricate.measures.intervals.interval import Interval, centred, wilson
from rubricate.measures.rankings.probabilities import reliability_by_category
from rubricate.measures.rankings.ranks import ranks
from rubricate.types import Ints, Run, Scores, Sparse

__all__ = ["with_intervals"]

PROPORTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "recall": (("tp",), ("tp", "fn")),
    "precision": (("tp",), ("tp", "fp")),
    "accuracy": (("tp", "tn"), ("tp", "fp", "fn", "tn")),
    "error": (("fp", "fn"), ("tp", "fp", "fn", "tn")),
    "fallout": (("fp",), ("fp", "tn")),
}
"""The measures that are a share of counted decisions: the cells of numerator and denominator."""


Statistics: TypeAlias = Callable[[Ints], dict[str, float]]


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
        parts = _parts(result, run, limit)
        options: dict[str, Any] = {"draws": resamples, "seed": seed, "engine": engine}
        drawn = bootstrap(_statistics(parts), result.documents, **options) if parts else {}
        for name, value in _statistics(parts)(np.ones(result.documents, np.int64)).items():
            intervals[name] = (*intervals.get(name, ()), centred(value, drawn[name], level=level))
    return dataclasses.replace(result, intervals=intervals, per_category=_with_ends(result, level))


def _with_ends(result: Evaluation, level: float) -> dict[str, Column]:
    """Return the columns of the categories with the ends of their intervals, where there are decisions."""
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


def _parts(result: Evaluation, run: Run, limit: int | None) -> list[Statistics]:
    """Return what is resampled by document: rankings, probabilities, hierarchies. Counts are resampled by cells."""
    every = (*_of_scores(result, run, limit), resampled_hierarchy(result, run))
    return [part for part in every if part is not None]


def _statistics(parts: list[Statistics]) -> Statistics:
    """Return every number of the parts, as a function of how often each document was drawn."""

    def statistics(weights: Ints) -> dict[str, float]:
        return {name: value for part in parts for name, value in part(weights).items()}

    return statistics


def _of_scores(result: Evaluation, run: Run, limit: int | None) -> list[Statistics]:
    """Return statistics by document (weighted means), by category and one threshold (sorted once), of probabilities."""
    if run.scores is None:
        return []
    truth = true_labels(run)
    values = document_values(ranks(run.scores, truth), limit)
    each = {f"ranking.{name}": per_document for name, per_document in values.items()}
    categories, pooled = (SortedRankings.of(run.scores, truth, pooled=whether) for whether in (False, True))

    def of_rankings(weights: Ints) -> dict[str, float]:
        by_category = categories.means(weights, result.convention)
        by_threshold = pooled.means(weights, result.convention)
        return {f"ranking.by_category.{name}": value for name, value in by_category.items()} | {
            f"ranking.{name}.micro": by_threshold[name] for name in ("break_even", "optimal_f1")
        }

    parts: list[Statistics] = [lambda weights: weighted_means(each, weights), of_rankings]
    return [*parts, _of_probabilities(run.scores, truth)] if result.probability else parts


def _of_probabilities(scores: Scores, truth: Sparse) -> Statistics:
    """Return Brier score and calibration error as functions of what each document adds to them."""
    flipped, labels = _transposed(scores), canonical(truth.T)
    squares = brier(flipped, labels)
    curve = reliability_by_category(flipped, labels)
    predicted, observed = (np.nan_to_num(part) * curve.counts for part in (curve.predicted, curve.observed))

    def statistics(weights: Ints) -> dict[str, float]:
        gaps = np.abs(weights @ observed - weights @ predicted)
        error = float(gaps.sum() / (weights @ curve.counts).sum())
        return {**weighted_means({"probability.brier": squares}, weights), "probability.ece": error}

    return statistics


def _transposed(scores: Scores) -> Scores:
    """Exchange documents and categories, for the mean of each document."""
    values = scores.values.T if isinstance(scores.values, np.ndarray) else sparse.csr_array(scores.values.T)
    ids = tuple(map(str, scores.documents))
    return Scores(values, ids, scores.categories, floor=scores.floor)
