"""Sections of the report beyond the test documents: hierarchy, learning curve, estimates, how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.estimation import MEASURES, Estimate
from rubricate.hierarchy import Hierarchy
from rubricate.hierarchy.drawing import tree_drawing
from rubricate.measures import Evaluation, counts, micro
from rubricate.measures.evaluation_result import with_hierarchy
from rubricate.reports.evaluation_tables import depth_table, distance_table, hierarchy_table
from rubricate.reports.figures import learning_figures
from rubricate.reports.html import Html, grid, isolated, join, number_cell, plain_table, tag
from rubricate.reports.page import chart, panels, section
from rubricate.reports.results import ReportResults
from rubricate.types import Run

__all__ = ["estimate", "hierarchy", "learning", "reproduce"]

MOST = 150
"""The most lines of the drawing; beyond that, deeper levels are left out and counted."""


@section("hierarchy", "Near misses and far ones", order=55)
def hierarchy(results: ReportResults) -> Html | None:
    """Show the hierarchical measures of every system.

    `extras["hierarchy"]` is the hierarchy or its parent–child pairs. None where it is missing, or holds none of the
    categories.
    """
    tree_data = results.data.extras.get("hierarchy")
    if not tree_data:
        return None
    tree = tree_data if isinstance(tree_data, Hierarchy) else Hierarchy.from_edges(tree_data)
    if not any(name in tree for name in results.categories):
        return None
    measured = [
        with_hierarchy(evaluation, run, tree) for evaluation, run in zip(results.evaluations, results.runs, strict=True)
    ]
    shown = [measured[k] for k in results.order]
    return join(
        [
            tag("p", "A wrong category may be the sister of the right one or have nothing to do with it."),
            _sentence(results, measured[results.order[0]]),
            *(plain_table(table(shown)) for table in (hierarchy_table, distance_table, depth_table)),
            _drawing(results, tree, measured[results.order[0]]),
        ]
    )


def _sentence(results: ReportResults, best: Evaluation) -> Html | None:
    """Say how many of the labels that the best system wrongly gave are within two links of a right one."""
    if best.hierarchy is None:
        return None
    far = best.hierarchy.far
    wrong = sum(far.assigned) + far.assigned_alone
    if not wrong:
        return None
    near = sum(far.assigned[:3])
    return tag(
        "p",
        isolated(best.name, 40),
        f" wrongly gave {wrong:,} labels; {near:,} of them ({near / wrong:.0%}) are within two links of a right one.",
    )


def _drawing(results: ReportResults, tree: Hierarchy, best: Evaluation) -> Html:
    f1 = dict(zip(results.categories, np.asarray(best.per_category["f1"], np.float64).tolist(), strict=True))
    known = {name: value for name, value in f1.items() if name in tree and not np.isnan(value)}
    notes = {name: f"{value:.3f}" for name, value in known.items()}
    svg = Html(tree_drawing(tree, notes=notes, shades=known, depth=_deepest(tree)).inline())
    box = tag("div", svg, class_="scroll tall", tabindex="0", role="region", aria_label="The hierarchy with F1")
    caption = tag("p", "F1 of ", isolated(best.name, 40), "; red is 0, blue is 1.", class_="note")
    return tag("details", tag("summary", f"The hierarchy, {len(tree) - tree.virtual_root:,} nodes"), caption, box)


def _deepest(tree: Hierarchy) -> int | None:
    """Return the deepest level that keeps the drawing short; None where the whole tree does."""
    links = np.bincount(tree.depths[tree.child_ids], minlength=int(tree.depths.max()) + 1)
    fits = np.flatnonzero(1 + np.cumsum(links) <= MOST)
    return None if len(fits) == len(links) else max(1, int(fits[-1]) if len(fits) else 1)


@section("learning", "Learning curve", order=80)
def learning(results: ReportResults) -> Html | None:
    """Show the learning curves that came with the data, one chart for each measure."""
    figures = learning_figures(results)
    if not figures:
        return None
    lead = "A curve that still rises says: more labelled documents will help."
    return join([tag("p", lead), panels("Show", {figure.y_title: chart(figure) for figure in figures})])


COLUMNS = {"error": "error", "recall": "recall", "precision": "precision", "f1": "micro-F1"}
"""Measures of an estimate, and the columns of the results that show their micro-averages."""


@section("estimate", "Estimated without test documents", order=85)
def estimate(results: ReportResults) -> Html | None:
    """Show the estimates of `extras["estimate"]` by run name, one or several per run; None where there are none."""
    by_run: Mapping[str, Any] = results.data.extras.get("estimate") or {}
    rows = [row for name, estimates in by_run.items() for row in _rows(results, name, estimates)]
    if not rows:
        return None
    lead = (
        "What each SVM promised from its training documents alone, and what the test documents then showed. Both "
        "estimates are of an SVM that assigns a category where its score is positive, so compare them with the row "
        "“test, score > 0”; the last row has the cut of the study. ξα needs nothing but the one training (Joachims "
        "2000) and errs on the side of caution, most of all for rare categories: its recall and F1 are to be "
        "read as “at least”. Leave-one-out decides each training document by the SVM of all others and has almost no "
        "bias; where it and the test differ, the test documents are not like those for training, or few."
    )
    heads, numeric = ["system", "by", "error", "recall", "precision", "F1"], [False, False, True, True, True, True]
    caption = "Estimated and measured, micro-averages"
    return join([tag("p", lead), grid(heads, rows, numeric=numeric, caption=caption)])


def _rows(results: ReportResults, name: str, estimates: Estimate | Sequence[Estimate]) -> list[Html]:
    """Return the rows of the estimates of a run, then of its test documents."""
    each = [estimates] if isinstance(estimates, Estimate) else list(estimates)
    rows = [
        _row(name, _name(estimate_of_run), [estimate_of_run.micro[measure] for measure in MEASURES])
        for estimate_of_run in each
    ]
    if name not in results.names or not each:
        return rows
    system = results.names.index(name)
    own = _positive(results.data.runs[system])
    rows += [] if own is None else [_row(name, "test, score > 0", own)]
    rows.append(_row(name, "test, as cut", [results.value(system, column) for column in COLUMNS.values()]))
    return rows


def _name(result: Estimate) -> str:
    return {"xi_alpha": "ξα", "leave_one_out": "leave-one-out"}.get(result.method, result.method.replace("_", "-"))


def _positive(run: Run) -> list[float] | None:
    """Measure the test documents where a positive score decides; None without dense scores."""
    values = None if run.scores is None else run.scores.values
    if values is None or sparse.issparse(values):
        return None
    table = counts(run.truth, sparse.csr_array(np.asarray(values) > 0))
    return [micro(measure, table) for measure in MEASURES]


def _row(name: str, by: str, values: Sequence[float]) -> Html:
    cells = [number_cell(float(value), digits=4) for value in values]
    return tag("tr", tag("th", isolated(name), scope="row"), tag("td", by), cells)


TERMS = {
    "TP, FP, FN": "labels rightly given, wrongly given, and missed.",
    "precision": "TP / (TP + FP): the share of the given labels that are true.",
    "recall": "TP / (TP + FN): the share of the true labels that were given.",
    "F1": "2TP / (2TP + FP + FN): the harmonic mean of precision and recall.",
    "micro-average": "the measure of the summed counts of all categories.",
    "macro-average": "the mean of the measure over the categories.",
    "interval": "how far the value moves when documents are redrawn with replacement. Centred on the measured value.",
    "p-value": "how often chance alone would make a difference this large; small is strong evidence.",
    "Holm": "with many comparisons some look significant by chance; this correction guards against it.",
}


@section("reproduce", "How to get these numbers again", order=900)
def reproduce(results: ReportResults) -> Html:
    """Show the commands, the signature of each system, times where known, and the terms explained."""
    parts: list[Html] = []
    if results.data.commands:
        parts += [
            tag("p", "The exact commands:"),
            tag("pre", tag("code", "\n".join(results.data.commands)), tabindex="0"),
        ]
    parts += [tag("p", "Every number above carries the signature of its system:"), _signatures(results)]
    if results.data.seconds:
        parts.append(_times(results))
    terms = [join([tag("dt", name), tag("dd", meaning)]) for name, meaning in TERMS.items()]
    return join([*parts, tag("h3", "The terms"), tag("dl", terms, class_="terms")])


def _signatures(results: ReportResults) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", isolated(evaluation.name), scope="row"),
            tag("td", tag("code", str(evaluation.signature) or "none given")),
        )
        for evaluation in results.evaluations
    ]
    settings = (
        f"intervals: {results.data.resamples} resamples, level {results.data.level}, seed {results.data.seed}"
        f" | 0/0: {results.data.undefined}"
    )
    return join([grid(["system", "signature"], rows), tag("p", tag("code", settings), class_="note")])


def _times(results: ReportResults) -> Html:
    steps = list(dict.fromkeys(step for own in results.data.seconds.values() for step in own))
    rows = [
        tag("tr", tag("th", isolated(name), scope="row"), [number_cell(own.get(step), digits=2) for step in steps])
        for name, own in results.data.seconds.items()
    ]
    return grid(["system", *steps], rows, numeric=[False, *[True] * len(steps)], caption="Seconds")
