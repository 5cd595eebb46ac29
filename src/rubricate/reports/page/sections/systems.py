"""The table of systems: five numbers with intervals and marks, and the measures of their rankings."""

from __future__ import annotations

from rubricate.reports.cells import shown
from rubricate.reports.evaluations import ranking_table
from rubricate.reports.findings import p_text
from rubricate.reports.page.grid import grid, plain_table
from rubricate.reports.page.html import Html, isolated, join, shorten, tag
from rubricate.reports.page.section import section
from rubricate.reports.results import COLUMNS, ReportResults, outcome

__all__ = ["systems"]

EXPLAINED = {
    "micro-F1": "Harmonic mean of precision and recall over all labels together: 2TP / (2TP + FP + FN).",
    "macro-F1": "Mean of the F1 of the categories; rare ones count as much as common ones.",
    "recall": "Share of the true labels that were given, over all labels together: TP / (TP + FN).",
    "precision": "Share of the given labels that are true, over all labels together: TP / (TP + FP).",
    "error": "Share of wrong decisions among all pairs of document and category: (FP + FN) / N. Less is better.",
}


@section("The systems side by side", order=20)
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
