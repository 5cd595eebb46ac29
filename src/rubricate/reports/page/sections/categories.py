"""Every category: its documents and the F1, precision or recall of each system; sorts and filters."""

from __future__ import annotations

import numpy as np

from rubricate.reports.page.grid import grid, number_cell
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import scripted, section
from rubricate.reports.results import ReportResults

__all__ = ["categories"]

MOST = 1000
"""The most rows that the page shows; the files beside it hold all."""


@section("Every category", order=50)
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
    rows = [_row(results, int(c)) for c in shown]
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


def _row(results: ReportResults, category: int) -> Html:
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
