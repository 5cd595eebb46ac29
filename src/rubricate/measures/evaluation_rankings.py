"""The ranking part of an evaluation: by document, by category, and over all cuts."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from rubricate.measures.averages import mean
from rubricate.measures.definition import Measure, of_kind
from rubricate.measures.probabilities import are_probabilities, reliability
from rubricate.measures.rankings import (
    at_full_recall,
    average_precision,
    eleven_point,
    interpolate,
    per_interval_average,
    points,
    r_precision,
    representatives,
)
from rubricate.measures.threshold_sweeps import (
    BreakEven,
    abstention,
    break_even_point,
    optimal_f1,
    pooled_sweep,
    sweeps,
)
from rubricate.measures.true_ranks import Ranks, ranks
from rubricate.types import Counts, Floats, Sparse, Undefined

__all__ = ["category_summary", "curve_summary", "cut_summary", "document_summary", "document_values"]


def _limited(measure: Measure[...], places: Ranks, limit: int | None) -> Floats:
    return measure(places, limit=limit) if "limit" in inspect.signature(measure).parameters else measure(places)


def document_values(places: Ranks, limit: int | None) -> dict[str, Floats]:
    """Return every ranking measure of each document."""
    return {name: _limited(measure, places, limit) for name, measure in of_kind("ranking").items()}


def document_summary(scores: Any, truth: Sparse, limit: int | None) -> dict[str, Any]:
    """Return the means over the documents, and the 11 points of the curve. Documents without a label are left out."""
    places = ranks(scores, truth)
    seen = points(places, limit=limit)
    curve = per_interval_average(interpolate(at_full_recall(seen, representatives(seen))))
    means: dict[str, Any] = {name: mean(values) for name, values in document_values(places, limit).items()}
    return {**means, "limit": limit, "precision_at_recall": curve}


def curve_summary(scores: Any, truth: Sparse) -> dict[str, Any]:
    """Return coverage against error of a system that may abstain, and the reliability of probabilities over all pairs.

    The curve of abstention is read where each tenth of the documents is answered (ties are answered together).
    """
    curve = abstention(scores, truth)
    tenths = np.unique(np.searchsorted(curve.coverage, np.arange(1, 11) / 10 - 1e-12))
    at = tenths[tenths < len(curve.coverage)]
    parts = {name: getattr(curve, name)[at].tolist() for name in ("confidence", "coverage", "error")}
    summary: dict[str, Any] = {"abstention": {"area": curve.area, **parts}}
    if are_probabilities(scores):
        bins = reliability(scores, truth)
        summary["reliability"] = {
            name: getattr(bins, name).tolist() for name in ("edges", "counts", "predicted", "observed")
        }
    return summary


def category_summary(scores: Any, truth: Sparse, limit: int | None) -> tuple[dict[str, float], dict[str, Floats]]:
    """Return the measures of each category's ranking of the documents, and their means."""
    places = ranks(scores, truth, by="category")
    columns = {
        "average_precision": average_precision(places),
        "eleven_point": eleven_point(places, limit=limit),
        "r_precision": r_precision(places),
    }
    return {name: mean(values) for name, values in columns.items()}, columns


def _of_cuts(cuts: Counts, true: int, undefined: Undefined) -> tuple[BreakEven, float]:
    """Return break-even point and optimal F1; both 0 where something is true but nothing ranked: there is no cut."""
    if true and not len(cuts):
        return BreakEven(0.0, True, -1), 0.0
    return break_even_point(cuts, undefined=undefined), float(optimal_f1(cuts, undefined=undefined)[0])


def cut_summary(scores: Any, truth: Sparse, undefined: Undefined) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Return break-even point and optimal F1 of each category, macro-averaged, and micro by one global threshold."""
    positives = np.bincount(truth.indices, minlength=truth.shape[1])
    points = [
        _of_cuts(each.counts, int(true), undefined) for each, true in zip(sweeps(scores, truth), positives, strict=True)
    ]
    each, best = [point for point, _ in points], [value for _, value in points]
    pooled, pooled_best = _of_cuts(pooled_sweep(scores, truth).counts, truth.nnz, undefined)
    columns = {
        "break_even": np.array([point.value for point in each]),
        "break_even_interpolated": np.array([float(point.interpolated) for point in each]),
        "optimal_f1": np.array(best),
    }
    summary = {
        "break_even": {
            "micro": pooled.value,
            "micro_interpolated": pooled.interpolated,
            "way": "one global threshold",
            "macro": mean(columns["break_even"]),
            "macro_interpolated": int(columns["break_even_interpolated"].sum()),
        },
        "optimal_f1": {
            "micro": pooled_best,
            "macro": mean(columns["optimal_f1"]),
        },
    }
    return summary, columns
