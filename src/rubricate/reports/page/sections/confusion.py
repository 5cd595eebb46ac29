"""Which category was given when another was missed."""

from __future__ import annotations

from typing import Any

from rubricate.reports.confusions import Confusions, confusions
from rubricate.reports.page.grid import grid, number_cell
from rubricate.reports.page.html import Html, isolated, join, shorten, tag
from rubricate.reports.page.section import chart, section
from rubricate.reports.results import ReportResults

__all__ = ["confusion"]

SHOWN = 14
"""Categories in the drawing."""

PAIRS = 20
"""Rows of the table."""


@section("What is confused with what", order=70)
def confusion(results: ReportResults) -> Html | None:
    """Show the most confused categories, as a drawing for each system and a table for the best."""
    confused = {k: confusions(results.truth, results.decided(k)) for k in results.order}
    drawn = [_drawn(results, k, own) for k, own in confused.items() if own.pairs.nnz]
    if not drawn:
        return None
    best = results.order[0]
    lead = (
        "When a category was missed, which one was wrongly given to the same document? "
        "A document that misses two and is wrongly given two counts for each of the four pairs."
    )
    parts = [tag("p", lead), chart("confusion", {"runs": drawn}, label="Confused categories")]
    if confused[best].pairs.nnz:
        parts.append(_table(results, confused[best], results.names[best]))
    return join(parts)


def _drawn(results: ReportResults, system: int, confused: Confusions) -> dict[str, Any]:
    chosen: dict[int, int] = {}
    for missed, given, _ in confused.top(SHOWN * SHOWN):
        if len({*chosen, missed, given}) <= SHOWN:
            for category in (missed, given):
                chosen.setdefault(category, len(chosen))
    cells = [
        [chosen[missed], chosen[given], count]
        for missed, given, count in confused.top(confused.pairs.nnz)
        if missed in chosen and given in chosen
    ]
    return {
        "name": shorten(results.names[system], 40),
        "categories": [shorten(results.categories[c], 40) for c in chosen],
        "missed": [int(confused.missed[c]) for c in chosen],
        "cells": cells,
    }


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
