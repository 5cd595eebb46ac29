"""What needs the documents themselves: rankings, probabilities and hierarchies as functions of how often each is drawn.

Nothing is ranked or placed in the hierarchy again: each category is sorted once, and what a document adds to sums and
means is noted once. Cost of a resample: stored scores, labels, decisions and wrong decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.evaluation.hierarchy import HierarchyEvaluation
from rubricate.evaluation.measuring import true_labels, with_strays
from rubricate.evaluation.rankings import document_values
from rubricate.evaluation.result import Evaluation
from rubricate.measures.brier import brier
from rubricate.measures.counting.averages import macro, mean, micro
from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.catalogue import resolve
from rubricate.measures.definition.ratio import undefined_value
from rubricate.measures.hierarchical.extended import extended
from rubricate.measures.intervals.resampling import count_patterns, weighted_means
from rubricate.measures.rankings.probabilities import reliability_by_category
from rubricate.measures.rankings.ranks import ranks
from rubricate.measures.rankings.scores import score_values
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.native.resampling import RankedItems, weighted_rankings
from rubricate.types import Counts, Floats, Ints, Run, Scores, Sparse, Undefined

__all__ = ["SortedRankings", "Statistics", "document_statistics", "hierarchy_statistics"]

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
    run = with_strays(run)
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
