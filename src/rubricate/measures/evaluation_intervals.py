"""What needs the documents themselves: rankings, probabilities and hierarchies as functions of how often each is drawn.

Nothing is ranked or placed in the hierarchy again: each category is sorted once, and what a document adds to sums and
means is noted once. Cost of a resample: stored scores, labels, decisions and wrong decisions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.engines import Engine, one_blas_thread, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.measures.averages import macro, mean, micro
from rubricate.measures.definition import of_kind, ratio, resolve, undefined_value
from rubricate.measures.evaluation_hierarchy import HierarchyEvaluation
from rubricate.measures.evaluation_rankings import document_values
from rubricate.measures.evaluation_result import Column, Evaluation, outside_labels, true_labels, with_unknown_labels
from rubricate.measures.extended import extended
from rubricate.measures.intervals import Interval, category_intervals, centred, summary_interval, wilson
from rubricate.measures.probabilities import brier, reliability_by_category
from rubricate.measures.resampling import CountSums, Patterns, bootstrap, count_patterns, document_draws, weighted_means
from rubricate.measures.tables import canonical, total, with_outside
from rubricate.measures.true_ranks import ranks, score_values
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.native.resampling import RankedItems, sum_pattern_weights, weighted_rankings
from rubricate.types import Counts, Floats, Ints, Run, Scores, Sparse, Undefined

__all__ = [
    "SortedRankings",
    "Statistics",
    "decision_intervals",
    "document_statistics",
    "hierarchy_statistics",
    "joint_draws",
    "run_patterns",
    "with_intervals",
]

Statistics: TypeAlias = Callable[[Ints], dict[str, float]]

NAMES = ("average_precision", "r_precision", "eleven_point", "break_even", "optimal_f1")


def document_statistics(result: Evaluation, run: Run, limit: int | None) -> Statistics | None:
    """Return every number of an evaluation that is resampled by document; None if there is none."""
    parts = [] if run.scores is None else _score_statistics(result, run.scores, true_labels(run), limit=limit)
    hierarchical = hierarchy_statistics(result, run)
    parts += [] if hierarchical is None else [hierarchical]
    if not parts:
        return None
    return lambda weights: {name: value for part in parts for name, value in part(weights).items()}


def _score_statistics(result: Evaluation, scores: Scores, truth: Sparse, *, limit: int | None) -> list[Statistics]:
    """Return statistics by document (weighted means), by category and one threshold (sorted once), of probabilities."""
    values = document_values(ranks(scores, truth), limit)
    each = {f"ranking.{name}": per_document for name, per_document in values.items()}
    categories, pooled = (SortedRankings.of(scores, truth, pooled=whether) for whether in (False, True))

    def of_rankings(weights: Ints) -> dict[str, float]:
        by_category = categories.means(weights, result.convention)
        by_threshold = pooled.means(weights, result.convention)
        return {f"ranking.by_category.{name}": value for name, value in by_category.items()} | {
            f"ranking.{name}.micro": by_threshold[name] for name in ("break_even", "optimal_f1")
        }

    parts: list[Statistics] = [lambda weights: weighted_means(each, weights), of_rankings]
    return [*parts, _probability_statistics(scores, truth)] if result.probability else parts


def _probability_statistics(scores: Scores, truth: Sparse) -> Statistics:
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


@dataclass(frozen=True, eq=False)
class SortedRankings:
    """The documents of each category, best first; `missed` are the (document, category) of labels that score -inf."""

    items: RankedItems
    missed: tuple[Ints, Ints]

    @classmethod
    def of(cls, scores: Any, truth: Sparse, *, pooled: bool = False) -> SortedRankings:
        """Sort every category once, or with `pooled` all pairs as one ranking, for a global threshold.

        Cost: n log n for n scores above -inf; a sparse matrix with a finite floor is filled up.
        """
        listed, labels = _listed(*score_values(scores)), canonical(truth)
        true = scores_at(as_rows(labels), as_lists(listed), 0.0) > 0
        missed = scores_at(as_rows(listed), as_lists(labels), -np.inf) == -np.inf
        places, categories = (np.zeros_like(listed.indices), 1) if pooled else (listed.indices, listed.shape[1])
        order = np.lexsort((-listed.data, places))
        category, value = places[order], listed.data[order]
        last = np.ones(len(order), bool)
        last[:-1] = (category[1:] != category[:-1]) | (value[1:] != value[:-1])
        starts = np.searchsorted(category, np.arange(categories + 1))
        items = RankedItems(starts, _rows(listed)[order].astype(np.int32), true[order], last)
        return cls(items, (_rows(labels)[missed], labels.indices[missed] * (not pooled)))

    def values(self, weights: Ints) -> dict[str, Floats]:
        """Return the measures of each category if document d counts `weights[d]` times; NaN if nothing is true."""
        rows, columns = self.missed
        missed = np.bincount(columns, weights=weights[rows], minlength=len(self.items.starts) - 1).astype(np.int64)
        return dict(zip(NAMES, weighted_rankings(self.items, missed, weights).T, strict=True))

    def means(self, weights: Ints, undefined: Undefined) -> dict[str, float]:
        """Return the means over the categories; break-even point and optimal F1 follow the convention for 0/0."""
        values = self.values(weights)
        for name in NAMES[3:]:
            values[name] = np.where(np.isnan(values[name]), undefined_value(undefined), values[name])
        return {name: mean(each) for name, each in values.items()}


def _rows(matrix: Sparse) -> Ints:
    """Return the row of each stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _listed(values: Any, floor: float) -> Sparse:
    """Return a sparse matrix that stores exactly the scores above -inf."""
    if sparse.issparse(values) and floor > -np.inf:
        dense = np.full(values.shape, floor)
        dense[_rows(values), values.indices] = values.data
        values = dense
    if not sparse.issparse(values):
        kept = values > -np.inf
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        return sparse.csr_array((values[kept].astype(np.float64), np.nonzero(kept)[1], starts), shape=values.shape)
    kept = values.data > -np.inf
    starts = np.concatenate([[0], np.cumsum(kept)])[values.indptr]
    return sparse.csr_array((values.data[kept].astype(np.float64), values.indices[kept], starts), shape=values.shape)


def hierarchy_statistics(result: Evaluation, run: Run) -> Statistics | None:
    """Return every hierarchical number of an evaluation as a function of how often each document was drawn.

    The extended measures come from the contributions of the wrong decisions, micro and macro over the categories; hP,
    hR, hF and the LCA measures from the tables of the documents, micro over their sums and macro as weighted means.
    """
    run = with_unknown_labels(run)
    if result.hierarchy is None or run.decisions is None:
        return None
    by_category = _category_statistics(result.hierarchy, true_labels(run), run.decisions.values, result.convention)
    by_document = _table_statistics(result.hierarchy, result.convention)
    return lambda weights: {**by_category(weights), **by_document(weights)}


def _category_statistics(
    evaluation: HierarchyEvaluation, truth: Sparse, decided: Sparse, /, undefined: Undefined
) -> Statistics:
    patterns = count_patterns(truth, decided)
    chosen = {kind: {name: resolve(name) for name in evaluation.micro[kind]} for kind in evaluation.wrong}

    def statistics(weights: Ints) -> dict[str, float]:
        sums = patterns.sums(np.bincount(patterns.codes, weights=weights, minlength=len(patterns.sizes)))
        values, table = {}, sums.table()
        for kind, (fp, fn) in evaluation.wrong.items():
            drawn = extended(table, fp.summed(weights), fn.summed(weights))
            for name, measure in chosen[kind].items():
                values[f"hierarchy.micro.{kind}.{name}"] = micro(measure, drawn, undefined=undefined)
                values[f"hierarchy.macro.{kind}.{name}"] = macro(measure, drawn, undefined=undefined)
        return values

    return statistics


def _table_statistics(evaluation: HierarchyEvaluation, undefined: Undefined) -> Statistics:
    parts = [(kind, name, table) for kind, table in evaluation.documents.items() for name in evaluation.micro[kind]]
    means = {f"hierarchy.macro.{kind}.{name}": resolve(name)(table, undefined=undefined) for kind, name, table in parts}

    def statistics(weights: Ints) -> dict[str, float]:
        summed = {
            f"hierarchy.micro.{kind}.{name}": float(resolve(name)(_drawn(table, weights), undefined=undefined)[0])
            for kind, name, table in parts
        }
        return {**summed, **weighted_means(means, weights)}

    return statistics


def _drawn(table: Counts, weights: Ints) -> Counts:
    """Return the summed table of the documents drawn."""
    return Counts(*(np.array([weights @ part]) for part in (table.tp, table.fp, table.fn, table.tn)))


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
