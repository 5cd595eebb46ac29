"""Precision against recall and the sweep of the threshold, for any category."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rubricate.experiments.figure import Figure, Series
from rubricate.measures import Sweep, sweeps
from rubricate.reports.charts import NARROW, draw
from rubricate.reports.page.html import Html, join, shorten, tag
from rubricate.reports.page.section import legend, readout, scripted, section
from rubricate.reports.results import ReportResults
from rubricate.types import Floats, Ints

__all__ = ["curves"]

SWEPT = ("F1", "precision", "recall")
CORNERS, BETWEEN = 28, 12
"""The most cuts that a curve shows: where the hits change, and spread over how many labels are given."""

BUDGET = 16_000
"""The most cuts that all curves show together: about 200 KB."""


@section("Precision, recall and the threshold", order=60)
def curves(results: ReportResults) -> Html | None:
    """Show the curves of the categories with test documents, most first, of every system with scores."""
    scored = [k for k, run in enumerate(results.runs) if run.scores is not None]
    order = [int(c) for c in np.argsort(-results.test_counts, kind="stable") if results.test_counts[c] > 0]
    if not scored or not order:
        return None
    points = {k: _points(results, k, order) for k in scored}
    kept = _within_budget(points, len(order))
    decided = {k: results.evaluations[k].counts for k in scored}
    data = {
        "categories": [shorten(results.categories[c], 60) for c in order[:kept]],
        "positives": [int(results.test_counts[c]) for c in order[:kept]],
        "documents": results.truth.shape[0],
        "runs": [shorten(results.names[k], 40) for k in scored],
        "points": [points[k][:kept] for k in scored],
        "first": _most_wrong(results, order[:kept]),
        "decided": [[_given(decided[k], c) for c in order[:kept]] for k in scored],
    }
    left = len(order) - kept
    lead = "Every score can be cut at another threshold: a lower one finds more, a higher one errs less."
    caption = f"At most {CORNERS + BETWEEN} thresholds per curve." + (
        f" {left:,} categories with fewer test documents are left out." if left else ""
    )
    pair = tag("div", [_half(*parts) for parts in _first(data)], class_="pair")
    return join([tag("p", lead), scripted("curves", data, pair, label="Curves of a category", caption=caption)])


def _first(data: dict[str, Any]) -> list[tuple[str, Figure, str]]:
    """Return the two charts of the category shown first, with a heading and a note; the script draws the others."""
    c = data["first"]
    name, positives = data["categories"][c], data["positives"][c]
    curves = [_rates(_summed(own[c]), positives) for own in data["points"]]
    decided = [_rates(np.reshape([*own[c], 0.0], (1, 3)), positives) for own in data["decided"]]
    recall = [
        Series(run, all_.recall, all_.precision, at=(one.recall[0], one.precision[0]), slot=slot)
        for slot, (run, all_, one) in enumerate(zip(data["runs"], curves, decided, strict=True))
    ]
    first, unit = curves[0], (0.0, 1.0)
    finite = [k for k, threshold in enumerate(first.threshold) if np.isfinite(threshold)]
    first = _Rates(*([column[k] for k in finite] for column in first))
    sweep = [Series(n, first.threshold, getattr(first, n.lower()), slot=k) for k, n in enumerate(SWEPT)]
    shared: dict[str, Any] = {"y_limits": unit, "signs": False}
    return [
        (
            f"Precision against recall: {name}",
            Figure("recall", "Precision and recall", "recall", "precision", recall, x_limits=unit, **shared),
            "The open signs are the decisions that were made.",
        ),
        (
            f"Threshold sweep: {name} ({data['runs'][0]})",
            Figure("sweep", "Threshold sweep", "threshold", "", sweep, **shared),
            "Move along the figure to read the values at a threshold.",
        ),
    ]


def _summed(flat: list[float]) -> Floats:
    """Return rows of hits, errors and threshold."""
    points = np.reshape(flat, (-1, 3))
    return np.column_stack([np.cumsum(points[:, :2], axis=0), points[:, 2]])


class _Rates(NamedTuple):
    """What a category gets at each threshold, the lowest threshold last."""

    threshold: list[float]
    precision: list[float]
    recall: list[float]
    f1: list[float]


def _rates(points: Floats, positives: int) -> _Rates:
    """Return the rates of points (tp, fp, threshold); precision is 1 where nothing was given."""
    tp, fp, threshold = points.T
    precision = np.where(tp + fp > 0, tp / np.maximum(tp + fp, 1), 1.0)
    recall, f1 = tp / max(positives, 1), 2 * tp / np.maximum(tp + fp + positives, 1)
    return _Rates(*(column.tolist() for column in (threshold, precision, recall, f1)))


def _half(heading: str, figure: Figure, note: str) -> Html:
    drawing = Html(draw(figure, width=NARROW).inline(focus=True))
    return tag("div", tag("h3", heading), legend(figure), tag("div", drawing), readout(note))


def _most_wrong(results: ReportResults, order: list[int]) -> int:
    """Return the category that the best system is most often wrong about: the first to be shown."""
    table = results.evaluations[results.order[0]].counts
    return 0 if table is None else int(np.argmax((table.fp + table.fn)[order]))


def _given(table: object, category: int) -> list[int]:
    return [int(getattr(table, cell)[category]) for cell in ("tp", "fp")]


def _points(results: ReportResults, system: int, order: list[int]) -> list[list[float]]:
    every = list(sweeps(results.runs[system].scores, results.truth))
    return [_flat(every[c]) for c in order]


def _flat(cuts: Sweep) -> list[float]:
    """Return, for each threshold shown, how many more hits and errors there are than at the one before, and itself."""
    kept = chosen_cuts(cuts.counts.tp, cuts.counts.tp + cuts.counts.fp, corners=CORNERS, between=BETWEEN)
    more = [np.diff(counts[kept], prepend=0) for counts in (cuts.counts.tp, cuts.counts.fp)]
    rows = zip(*more, cuts.thresholds[kept], strict=True)
    return [float(f"{value:.4g}") for row in rows for value in row]


def chosen_cuts(hits: Ints, given: Ints, *, corners: int, between: int) -> Ints:
    """Return the cuts to show, ascending: the first and last, those where the hits change, and some between.

    Of the changes `corners` are kept, evenly; `between` more lie evenly over the logarithm of the number given.

    >>> chosen_cuts(np.array([0, 0, 1, 1, 1, 1, 2]), np.arange(1, 8), corners=9, between=2).tolist()
    [0, 1, 2, 5, 6]
    """
    if not len(hits):
        return np.zeros(0, np.int64)
    rises = np.flatnonzero(np.diff(hits))
    changes = np.unique(np.concatenate([[0], rises, rises + 1, [len(hits) - 1]]))
    kept = changes[np.unique(np.linspace(0, len(changes) - 1, min(corners, len(changes))).round().astype(np.int64))]
    spread = np.searchsorted(given, np.geomspace(max(given[0], 1), max(given[-1], 1), between))
    return np.unique(np.concatenate([kept, np.minimum(spread, len(hits) - 1)]))


def _within_budget(points: dict[int, list[list[float]]], categories: int) -> int:
    """Count the categories that fit into the budget, at least one."""
    sizes = np.cumsum([sum(len(own[c]) // 3 for own in points.values()) for c in range(categories)])
    return max(1, int((sizes <= BUDGET).sum()))
