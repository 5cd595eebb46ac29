"""Which category was given when another was missed."""

from __future__ import annotations

from rubricate.reports.confusions import Confusions, confusions
from rubricate.reports.page.grid import grid, number_cell
from rubricate.reports.page.html import Html, isolated, join, shorten, tag
from rubricate.reports.page.section import chart, panels, section
from rubricate.reports.results import ReportResults
from rubricate.reports.study_figures import confusion_figure

__all__ = ["confusion"]

READING = (
    "Rows: the category that was missed; its number after the row is how often in all. Columns: the category given "
    "instead. Darker is more."
)
PAIRS = 20
"""Rows of the table."""


@section("What is confused with what", order=70)
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
