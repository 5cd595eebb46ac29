"""Hierarchical measures in resamples of the documents.

Per resample: the extended measures from the contributions of the wrong decisions of the documents drawn, micro and
macro over the categories; hP, hR, hF and the LCA measures from the tables of the documents, micro over their sums and
macro as weighted means. Cost of a resample: labels, decisions and wrong decisions; nothing is measured in the hierarchy
again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rubricate.evaluation.hierarchy import HierarchyEvaluation
from rubricate.evaluation.measuring import true_labels, with_strays
from rubricate.evaluation.result import Evaluation
from rubricate.measures.counting.averages import macro, micro
from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.catalogue import resolve
from rubricate.measures.hierarchical.extended import extended
from rubricate.measures.intervals.bootstrap import TableResampler, weighted_means
from rubricate.types import Counts, Ints, Run, Undefined

__all__ = ["resampled_hierarchy"]

Statistics: TypeAlias = Callable[[Ints], dict[str, float]]


def resampled_hierarchy(result: Evaluation, run: Run) -> Statistics | None:
    """Return every hierarchical number of an evaluation as a function of how often each document was drawn."""
    run = with_strays(run)
    if result.hierarchy is None or run.decisions is None:
        return None
    by_category = _by_category(result.hierarchy, TableResampler.of(true_labels(run), canonical(run.decisions.values)))
    by_document = _by_document(result.hierarchy, result.convention)
    return lambda weights: {**by_category(weights, result.convention), **by_document(weights)}


def _by_category(
    evaluation: HierarchyEvaluation, tables: TableResampler
) -> Callable[[Ints, Undefined], dict[str, float]]:
    chosen = {kind: {name: resolve(name) for name in evaluation.micro[kind]} for kind in evaluation.wrong}

    def statistics(weights: Ints, undefined: Undefined) -> dict[str, float]:
        values, table = {}, tables.counts(weights)
        for kind, (fp, fn) in evaluation.wrong.items():
            drawn = extended(table, fp.summed(weights), fn.summed(weights))
            for name, measure in chosen[kind].items():
                values[f"hierarchy.micro.{kind}.{name}"] = micro(measure, drawn, undefined=undefined)
                values[f"hierarchy.macro.{kind}.{name}"] = macro(measure, drawn, undefined=undefined)
        return values

    return statistics


def _by_document(evaluation: HierarchyEvaluation, undefined: Undefined) -> Statistics:
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
