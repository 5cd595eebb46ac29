"""The figures of a report, for papers; writing them needs the extra `report`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.measures import Sweep, pooled_sweep, sweeps
from rubricate.reports.charts import Rows, interval_chart, line_chart, matrix_chart
from rubricate.reports.confusions import confusions
from rubricate.reports.exports import file_stem
from rubricate.reports.page.html import shorten
from rubricate.reports.results import ReportResults
from rubricate.reports.series import abstention_curves, frequency_curves

__all__ = ["precision_recall", "report_figures"]

POINTS = 200
"""The most points of a line."""


def report_figures(results: ReportResults) -> dict[str, Any]:
    """Return every figure by the stem of its files."""
    names = [shorten(name, 40) for name in results.names]
    figures = {"systems": interval_chart(_intervals(results), order=[names[k] for k in results.order])}
    for how, log in (("rare", False), ("full", False), ("doubling", True)):
        rows = _frequency(results, how, log)
        if rows:
            figures[f"frequency-{how}"] = line_chart(
                rows, names, x="training documents of the category", y="mean F1", log=log
            )
    points = precision_recall(results)
    if points:
        figures["precision-recall"] = line_chart(points, names, x="recall", y="precision", signs=False)
    error = _coverage(results)
    if error:
        x = "share of the documents answered"
        figures["coverage"] = line_chart(error, names, x=x, y="error among those", top=None, signs=False)
    for measure in dict.fromkeys(curve.measure for curve in results.data.learning):
        rows = _learning(results, measure)
        figures[f"learning-{file_stem(measure)}"] = line_chart(rows, names, x="training documents", y=measure, log=True)
    cells = _confused(results)
    return {**figures, **({"confusion": matrix_chart(cells)} if cells else {})}


def _intervals(results: ReportResults) -> Rows:
    rows = []
    for k, name in enumerate(results.names):
        for column in ("micro-F1", "macro-F1"):
            interval = results.interval(k, column)
            ends = {"low": interval.low, "high": interval.high} if interval else {}
            rows.append({"system": shorten(name, 40), "measure": column, "value": results.value(k, column), **ends})
    return rows


def _frequency(results: ReportResults, how: str, log: bool) -> Rows:
    return [
        {
            "system": shorten(name, 40),
            "x": float(np.sqrt(band.low * band.high)) if log else (band.low + band.high) / 2,
            "y": band.value,
        }
        for name, bands in frequency_curves(results, how).items()
        for band in bands
    ]


def precision_recall(results: ReportResults, category: int | None = None) -> Rows:
    """Return precision and recall at every cut of a global threshold, or of the scores of one category (its column).

    A curve with more than 200 cuts is thinned evenly over recall.
    """
    rows: Rows = []
    for run in results.runs:
        if run.scores is not None:
            cuts = pooled_sweep(run.scores, results.truth) if category is None else _one(results, run.scores, category)
            rows += [{"system": shorten(run.name, 40), "x": x, "y": y} for x, y in _thinned(cuts)]
    return rows


def _one(results: ReportResults, scores: Any, category: int) -> Sweep:
    return next(cuts for c, cuts in enumerate(sweeps(scores, results.truth)) if c == category)


def _thinned(cuts: Sweep) -> list[tuple[float, float]]:
    tp, given, positives = cuts.counts.tp, cuts.counts.tp + cuts.counts.fp, cuts.counts.tp + cuts.counts.fn
    if not len(tp) or not positives[0]:
        return []
    recall, precision = tp / positives, tp / np.maximum(given, 1)
    kept = np.unique(np.minimum(np.searchsorted(recall, np.linspace(0, 1, POINTS)), len(recall) - 1))
    return [(float(recall[k]), float(precision[k])) for k in kept]


def _coverage(results: ReportResults) -> Rows:
    rows: Rows = []
    for name, curve in abstention_curves(results).items():
        kept = np.unique(np.linspace(0, len(curve.error) - 1, POINTS).round().astype(np.int64))
        part = [k for k in kept if curve.coverage[k] >= 0.02]
        rows += [{"system": shorten(name, 40), "x": float(curve.coverage[k]), "y": float(curve.error[k])} for k in part]
    return rows


def _learning(results: ReportResults, measure: str) -> Rows:
    return [
        {"system": shorten(curve.run, 40), "x": n, "y": value}
        for curve in results.data.learning
        if curve.measure == measure
        for n, value in zip(curve.sizes, curve.values, strict=True)
    ]


def _confused(results: ReportResults, most: int = 40) -> Rows:
    confused = confusions(results.truth, results.decided(results.order[0]))
    return [
        {"missed": shorten(results.categories[c], 30), "given": shorten(results.categories[g], 30), "documents": n}
        for c, g, n in confused.top(most)
    ]
