"""Sections of the report on the systems: findings, the table, tests, frequency, every category."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rubricate.reports.evaluation_tables import ranking_table
from rubricate.reports.figures import frequency_figures, systems_figure
from rubricate.reports.findings import findings, p_text
from rubricate.reports.html import Html, grid, isolated, join, number_cell, plain_table, shorten, tag
from rubricate.reports.page import chart, panels, scripted, section
from rubricate.reports.results import COLUMNS, RARE, ReportResults, outcome
from rubricate.reports.tables import Table, shown
from rubricate.significance import Comparison
from rubricate.types import Significance

__all__ = ["categories", "frequency", "significance", "summary", "systems"]


@section("summary", "What was found", order=10)
def summary(results: ReportResults) -> Html:
    """Show the setting in a sentence, the findings, a drawing of the systems, and what the numbers mean."""
    sentences = [tag("li", text) for text in findings(results)]
    return join(
        [tag("p", _setting(results)), tag("ol", sentences, class_="findings"), _drawing(results), _meaning(results)]
    )


def _setting(results: ReportResults) -> str:
    systems = len(results.runs)
    who = f"{systems} systems were" if systems > 1 else f"One system, {shorten(results.names[0], 40)}, was"
    documents, categories = results.truth.shape
    labels = results.truth.nnz / max(documents, 1)
    single = bool((results.truth.sum(axis=1) == 1).all())
    per = "Each document has exactly one." if single else f"A document has {labels:.2f} of them on average."
    best = results.order[0]
    right, found = (_of_hundred(results.value(best, column)) for column in ("precision", "recall"))
    name = f"the best of them, {shorten(results.names[best], 40)}," if systems > 1 else "it"
    return (
        f"{who} asked to put {documents:,} test documents under {categories:,} categories. {per} Compared with the "
        f"labels that people gave, {name} found {found} of every 100; of every 100 labels it gave, {right} were right."
    )


def _of_hundred(value: float) -> str:
    return "–" if math.isnan(value) else str(round(100 * value))


def _drawing(results: ReportResults) -> Html:
    caption = (
        f"Dots: measured values. Lines: {results.data.level:.0%} intervals, from resampling the test documents. "
        "1 is perfect. The two panels have scales of their own."
    )
    return chart(systems_figure(results), caption=caption)


def _meaning(results: ReportResults) -> Html:
    terms = {
        "Recall": " is the share of the true labels that were found, ",
        "precision": " the share of the given labels that are right. ",
        "Micro-F1": " balances the two over all labels together, so that common categories count most. ",
        "Macro-F1": " is the mean over the categories, so that a rare one counts as much as a common one.",
    }
    chance = " means: with this many documents the difference can well be chance (p is above .05)."
    return tag(
        "div",
        tag(
            "p",
            tag("strong", "How to read this. "),
            [join([tag("strong", name), text]) for name, text in terms.items()],
        ),
        tag("p", tag("strong", "Not distinguishable"), chance) if len(results.runs) > 1 else None,
        class_="plain",
    )


EXPLAINED = {
    "micro-F1": "Harmonic mean of precision and recall over all labels together: 2TP / (2TP + FP + FN).",
    "macro-F1": "Mean of the F1 of the categories; rare ones count as much as common ones.",
    "recall": "Share of the true labels that were given, over all labels together: TP / (TP + FN).",
    "precision": "Share of the given labels that are true, over all labels together: TP / (TP + FP).",
    "error": "Share of wrong decisions among all pairs of document and category: (FP + FN) / N. Less is better.",
}


@section("systems", "The systems side by side", order=20)
def systems(results: ReportResults) -> Html:
    """Show one row per system by falling micro-F1, then the two trivial systems."""
    heads = ["system", *(tag("abbr", name, title=EXPLAINED[name]) for name in COLUMNS)]
    rows = [_row(results, system) for system in results.order] + _baselines(results)
    table = grid(
        heads,
        rows,
        numeric=[False, *[True] * len(COLUMNS)],
        caption="Values with intervals, and marks against the best",
    )
    parts = [table, tag("p", _legend(results), class_="note")]
    ranking = ranking_table(results.evaluations)
    if ranking.rows:
        parts.append(
            tag("details", tag("summary", "Measures of the ranking, whatever the thresholds"), plain_table(ranking))
        )
    return join(parts)


def _row(results: ReportResults, system: int) -> Html:
    name = tag("th", isolated(results.names[system]), scope="row")
    return tag("tr", name, [_cell(results, system, column) for column in COLUMNS])


def _cell(results: ReportResults, system: int, column: str) -> Html:
    digits = 5 if column == "error" else 4
    value, interval, best = (
        results.value(system, column),
        results.interval(system, column),
        results.best_first(column)[0],
    )
    mark, tooltip = _mark(results, system, column)
    span = (
        tag("span", f"{shown(interval.low, digits)}–{shown(interval.high, digits)}", class_="small")
        if interval
        else None
    )
    number = tag("span", shown(value, digits), class_="best" if value == results.value(best, column) else None)
    sign = tag("span", mark, class_="mark", title=tooltip, aria_label=tooltip) if len(results.runs) > 1 else None
    return tag("td", number, sign, span, class_="num")


def _mark(results: ReportResults, system: int, column: str) -> tuple[str, str | None]:
    """Return the mark against the best of the column: `~` not distinguishable, `−` below at .05, `−−` below at .01."""
    best = results.best_first(column)[0]
    if system == best or len(results.runs) == 1:
        return "", None
    test, measure = COLUMNS[column][2:]
    result = outcome(results.comparison, (results.names[best], results.names[system]), test, measure=measure)
    p = 1.0 if result is None else result.p_value if result.adjusted_p is None else result.adjusted_p
    other = shorten(results.names[best], 40)
    if p > 0.05:
        return "~", f"not distinguishable from {other}, {p_text(p)}"
    return ("−−" if p <= 0.01 else "−"), f"worse than {other}, {p_text(p)}"


def _baselines(results: ReportResults) -> list[Html]:
    rows = []
    meanings = {"rejector": "gives no label at all", "acceptor": "gives every label to every document"}
    for name, averages in results.evaluations[0].baselines.items():
        cells = [
            tag("td", shown(averages[average][measure], 5 if column == "error" else 4), class_="num")
            for column, (average, measure, *_) in COLUMNS.items()
        ]
        rows.append(
            tag(
                "tr",
                tag("th", name, tag("span", meanings.get(name, ""), class_="small"), scope="row"),
                cells,
                class_="muted",
            )
        )
    return rows


def _legend(results: ReportResults) -> str:
    kind = "from resampling the documents" if results.data.resamples else "of Wilson, for proportions only"
    start = f"Below each value its {results.data.level:.0%} interval {kind}. 0/0 counts as {results.data.undefined}."
    if len(results.runs) == 1:
        return start
    return (
        f"{start} Bold: the best. ~ not distinguishable from the best; − worse at p ≤ .05; −− worse at p ≤ .01, "
        "after Holm's correction. F1 by the permutation test on documents, the others by the p-test on proportions."
    )


TITLES = {
    "s": "s-test: sign test on all single decisions",
    "S": "S-test: sign test on the F1 of the categories",
    "T": "T-test: t-test on the F1 of the categories",
    "T'": "T'-test: t-test on the ranks of these F1",
    "p": "p-test on proportions",
    "permutation": "permutation test on documents",
}
MIRROR = {">>": "<<", ">": "<", "<": ">", "<<": ">>"}


@section("significance", "Which differences are real", order=30)
def significance(results: ReportResults) -> Html | None:
    """Show the matrix `>> ~ <<` of each test, the tests on rare and frequent categories, and all p-values."""
    if results.comparison is None:
        return None
    names = [results.names[k] for k in results.order]
    shown = {**_matrices(results.comparison, names), **_banded(results, names)}
    lead = (
        ">> means: the system of the row has the larger value than that of the column, at p ≤ .01; > at p ≤ .05; "
        "~ not distinguishable. Brackets: no longer below .05 once corrected by Holm over all pairs. "
        "For error, less is better."
    )
    grid_ = results.comparison.details(rounded=True)
    everything = plain_table(Table(grid_.columns, grid_.rows, notes=grid_.notes), tall=True, sortable=True)
    details = tag("details", tag("summary", f"All {len(results.comparison)} tests"), everything)
    return join([tag("p", lead), panels("Test", shown), details, tag("p", results.comparison.signature, class_="note")])


def _title(result: Significance) -> str:
    measure = f", {result.measure.replace('_', '-').replace('f1', 'F1')}" if result.test in ("p", "permutation") else ""
    return TITLES.get(result.test, result.test) + measure


def _matrices(comparison: Comparison, names: Sequence[str], suffix: str = "") -> dict[str, Html]:
    groups: dict[str, list[Significance]] = {}
    for result in comparison:
        groups.setdefault(_title(result) + suffix, []).append(result)
    first = [title for title in groups if title.startswith(TITLES["permutation"])]
    ordered = [*first, *(title for title in groups if title not in first)]
    return {title: _matrix(groups[title], names) for title in ordered}


def _banded(results: ReportResults, names: Sequence[str]) -> dict[str, Html]:
    by_title: dict[str, Html] = {}
    for band in dict.fromkeys(result.band for result in results.by_band or ()):
        kind = "rare" if band.startswith("1–") else "frequent"
        chosen = [result for result in results.by_band or () if result.band == band]
        for title in dict.fromkeys(_title(result) for result in chosen):
            own = [result for result in chosen if _title(result) == title]
            by_title[f"{title}, {kind} categories ({band} training documents)"] = _matrix(own, names)
    return by_title


def _matrix(results: Sequence[Significance], names: Sequence[str]) -> Html:
    by_pair = {(result.a, result.b): result for result in results}
    rows = []
    for a in names:
        cells = [_cell_significance(by_pair.get((a, b)), by_pair.get((b, a)), same=a == b) for b in names]
        rows.append(tag("tr", tag("th", isolated(a, 30), scope="row"), cells))
    return grid(["", *(isolated(name, 24) for name in names)], rows, class_="marks")


def _cell_significance(result: Significance | None, turned: Significance | None, *, same: bool) -> Html:
    known = result or turned
    if same or known is None:
        return tag("td", "" if same else "–", class_="off")
    symbol = known.symbol if result is not None else MIRROR.get(known.symbol, known.symbol)
    lost = symbol != "~" and known.adjusted_p is not None and known.adjusted_p > 0.05
    adjusted = "" if known.adjusted_p is None else f", corrected {p_text(known.adjusted_p)}"
    title = f"{p_text(known.p_value)}{adjusted}, n = {known.n:,}"
    kind = "off" if symbol == "~" or lost else "yes"
    return tag("td", f"({symbol})" if lost else symbol, class_=kind, title=title)


NAMES = {
    "doubling": "All categories, intervals that double",
    "rare": f"Rare categories, up to {RARE} training documents",
    "full": "All categories, intervals of equal width",
}


@section("frequency", "Rare and frequent categories", order=40)
def frequency(results: ReportResults) -> Html | None:
    """Show mean F1 in intervals of training frequency: doubling intervals, the rare categories, the full range."""
    train = results.train_counts
    if train is None or int(train.max(initial=0)) < 2:
        return None
    charts = {NAMES[how]: chart(figure) for how, figure in frequency_figures(results).items()}
    lead = "The mean F1 of the categories by how many training documents they have."
    note = "As figures 4 (rare) and 5 (equal width) of Yang and Liu, SIGIR 1999. Empty intervals are left out."
    return join([tag("p", lead), panels("Show", charts), tag("p", note, class_="note")])


MOST = 1000
"""The most rows that the page shows; the files beside it hold all."""


@section("categories", "Every category", order=50)
def categories(results: ReportResults) -> Html:
    """Show the categories by falling number of test documents."""
    shown = np.argsort(-results.test_counts, kind="stable")[:MOST]
    train = results.train_counts
    heads = [
        "category",
        *(["train"] if train is not None else []),
        "test",
        *(isolated(name, 24) for name in results.names),
    ]
    rows = [_row_categories(results, int(c)) for c in shown]
    table = grid(
        heads,
        rows,
        numeric=[False, *[True] * (len(heads) - 1)],
        label="F1, precision or recall of each category",
        tall=True,
        id_="category-table",
        filter_="Filter",
        sortable=True,
    )
    tables = [result.counts for result in results.evaluations]
    counts = [[[int(part[c]) for part in (t.tp, t.fp, t.fn)] for c in shown] for t in tables if t is not None]
    data = {
        "table": "category-table",
        "undefined": results.data.undefined,
        "counts": counts,
        "first": len(heads) - len(results.runs),
    }
    lead = "Click a heading to sort. The filter takes words of the name, or a condition on a column such as test>=10."
    return join([tag("p", lead), scripted("categories", data, label="Measure of the table"), table, _left_out(results)])


def _row_categories(results: ReportResults, category: int) -> Html:
    train = results.train_counts
    counts = [] if train is None else [number_cell(int(train[category]))]
    values = [_value(float(result.per_category["f1"][category])) for result in results.evaluations]
    name = tag("th", isolated(results.categories[category]), scope="row")
    return tag("tr", name, counts, number_cell(int(results.test_counts[category])), values)


def _value(value: float) -> Html:
    shade = 0 if np.isnan(value) else min(9, int(value * 10))
    return number_cell(value, class_=f"q q{shade}")


def _left_out(results: ReportResults) -> Html | None:
    more = len(results.categories) - MOST
    return (
        tag("p", f"{more:,} more categories, with fewer test documents, are in tables/categories.csv.", class_="note")
        if more > 0
        else None
    )
