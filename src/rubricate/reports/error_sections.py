"""Sections of the report on errors: thresholds, confusions, abstention, confident errors, suspect labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rubricate.measures import Abstention, Sweep, sweeps
from rubricate.papers.figures import Figure, Series
from rubricate.reports.charts import NARROW, draw
from rubricate.reports.data import SuspectLabel
from rubricate.reports.evaluation_tables import Confusions, confusions
from rubricate.reports.exports import abstention_curves
from rubricate.reports.figures import confusion_figure, coverage_figure
from rubricate.reports.html import Html, grid, isolated, join, number_cell, shorten, tag
from rubricate.reports.mistakes import (
    Mistake,
    confident_mistakes,
    evidence_line,
    label_chips,
    likely_mislabelled,
    text_of,
)
from rubricate.reports.page import chart, legend, panels, readout, scripted, section
from rubricate.reports.results import ReportResults
from rubricate.types import Evidence, Floats, Ints

__all__ = ["confusion", "coverage", "curves", "errors", "suspects"]

SWEPT = ("F1", "precision", "recall")
CORNERS, BETWEEN = 28, 12
"""The most cuts that a curve shows: where the hits change, and spread over how many labels are given."""

BUDGET = 16_000
"""The most cuts that all curves show together: about 200 KB."""


@section("curves", "Precision, recall and the threshold", order=60)
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


READING = (
    "Rows: the category that was missed; its number after the row is how often in all. Columns: the category given "
    "instead. Stronger colour means more."
)
PAIRS = 20
"""Rows of the table."""


@section("confusion", "What is confused with what", order=70)
def confusion(results: ReportResults) -> Html | None:
    """Show the most confused categories, as a drawing for each system and a table for the best."""
    confused = {k: confusions(results.truth, results.decided(k)) for k in results.order}
    charts = {
        f"Confusions of {shorten(results.names[k], 200)}": chart(confusion_figure(results, k, own), caption=READING)
        for k, own in confused.items()
        if own.pairs.nnz
    }
    if not charts:
        return None
    best = results.order[0]
    lead = (
        "When a category was missed, which one was wrongly given to the same document? "
        "A document that misses two and is wrongly given two counts for each of the four pairs."
    )
    parts = [tag("p", lead), panels("Show", charts)]
    if confused[best].pairs.nnz:
        parts.append(_table(results, confused[best], results.names[best]))
    return join(parts)


def _table(results: ReportResults, confused: Confusions, name: str) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", isolated(results.categories[missed]), scope="row"),
            tag("td", isolated(results.categories[given])),
            number_cell(count),
            number_cell(int(confused.missed[missed])),
            number_cell(int(confused.alone[missed])),
        )
        for missed, given, count in confused.top(PAIRS)
    ]
    heads = ["missed", "given instead", "documents", "missed in all", "missed, nothing wrong given"]
    caption = f"The commonest confusions of {shorten(name, 40)}"
    table = grid(heads, rows, numeric=[False, False, True, True, True], caption=caption, sortable=True)
    return tag("details", tag("summary", caption), table)


@section("coverage", "Leaving doubtful documents to a person", order=90)
def coverage(results: ReportResults) -> Html | None:
    """Show the curve of each system, as given or of the best category of each document."""
    by_system, figure = abstention_curves(results), coverage_figure(results)
    if figure is None:
        return None
    lead = "If a system answers only where it is surest and leaves the rest to a person, how often is it wrong?"
    own = " The answer here is its best category, the certainty that category's score."
    known = len(results.data.abstentions) > 0
    return join(
        [
            tag("p", lead if known else lead + own),
            _sentence(results, by_system),
            chart(figure),
        ]
    )


def _sentence(results: ReportResults, by_system: dict[str, Abstention]) -> Html | None:
    """Say how often the system with the smallest area is wrong when it answers nine documents of ten."""
    name = min(by_system, key=lambda key: by_system[key].area)
    curve = by_system[name]
    whole = float(curve.error[-1])
    place = int(np.searchsorted(curve.coverage, 0.9))
    if place >= len(curve.error) - 1:
        return None
    return tag(
        "p",
        f"{shorten(name, 40)} is wrong on {whole:.1%} of all documents; answering only the surest "
        f"{curve.coverage[place]:.0%} it is wrong on {curve.error[place]:.1%} of those.",
    )


SHOWN = 6
"""Errors shown per kind and system."""


@section("errors", "The most confident errors", order=100)
def errors(results: ReportResults) -> Html | None:
    """Show for each system the labels it wrongly gave and missed, farthest from the threshold first."""
    parts = {}
    for system in results.order:
        mistakes = confident_mistakes(results, system, SHOWN)
        if mistakes:
            parts[shorten(results.names[system], 60)] = _cases(results, system, mistakes)
    if not parts:
        return None
    marked = " Marked words spoke for the category; underlined ones against it." if results.data.explain else ""
    lead = f"Where a system was wrong and farthest from its threshold.{marked}"
    return join([tag("p", lead), panels("System", parts)])


def _cases(results: ReportResults, system: int, mistakes: list[Mistake]) -> Html:
    kinds = {"wrong": "Wrongly given", "missed": "Missed"}
    parts = []
    for kind, title in kinds.items():
        own = [mistake for mistake in mistakes if mistake.kind == kind]
        if own:
            parts += [
                tag("h3", title),
                tag("div", [_case(results, system, mistake) for mistake in own], class_="cases"),
            ]
    return join(parts)


def _case(results: ReportResults, system: int, mistake: Mistake) -> Html:
    run, category = results.runs[system], results.categories[mistake.column]
    evidence: list[Evidence] = []
    if results.data.explain is not None:
        evidence = list(results.data.explain(run.name, mistake.row, category))
    verb, side = ("wrongly given", "above") if mistake.kind == "wrong" else ("missed", "below")
    far = f", {mistake.margin:.3g} {side} its threshold" if run.scores is not None else ""
    return tag(
        "article",
        tag("h4", isolated(category), f" {verb}{far}"),
        tag(
            "p",
            "Document ",
            isolated(str(run.documents[mistake.row]), 40),
            ". True labels: ",
            label_chips(results, mistake.row, mistake.column),
        ),
        text_of(results, mistake.row, evidence),
        evidence_line(evidence),
        class_="case",
    )


SUSPECTS_SHOWN = 12


@section("suspects", "Labels worth checking", order=110)
def suspects(results: ReportResults) -> Html | None:
    """Show the clearest cases, given with the data or taken from the test documents."""
    labels = likely_mislabelled(results, SUSPECTS_SHOWN)
    if not labels:
        return None
    who = "the systems clearly contradict" if len(results.runs) > 1 else "the system clearly contradicts"
    lead = f"Documents where {who} a label. Some are mislabelled, others are merely hard. A person should look."
    rows = {str(document): row for row, document in enumerate(results.runs[0].documents)}
    return join(
        [tag("p", lead), tag("div", [_case_suspects(results, label, rows) for label in labels], class_="cases")]
    )


def _case_suspects(results: ReportResults, suspect: SuspectLabel, rows: dict[str, int]) -> Html:
    row = rows.get(suspect.document)
    state = "labelled" if suspect.given else "not labelled"
    votes = f" {suspect.against} of {suspect.systems} {'systems' if suspect.systems > 1 else 'system'} say otherwise."
    labels = tag("p", "Labels now: ", label_chips(results, row)) if row is not None else None
    text = (
        tag("p", suspect.text[:420], class_="text", dir="auto")
        if suspect.text
        else text_of(results, row, [], length=300)
        if row is not None
        else None
    )
    return tag(
        "article",
        tag("h4", f"{state} ", isolated(suspect.category)),
        tag("p", "Document ", isolated(suspect.document, 40), ".", votes),
        labels,
        text,
        class_="case",
    )
