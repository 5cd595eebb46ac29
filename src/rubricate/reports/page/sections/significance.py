"""Which system is better than which: the marks of Yang and Liu, one matrix a test, and all numbers."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.reports.findings import p_text
from rubricate.reports.page.grid import grid, plain_table
from rubricate.reports.page.html import Html, isolated, join, tag
from rubricate.reports.page.section import panels, section
from rubricate.reports.results import ReportResults
from rubricate.reports.tables import Table
from rubricate.significance import Comparison
from rubricate.types import Significance

__all__ = ["significance"]

TOLD = {
    "s": "s-test: sign test on all single decisions",
    "S": "S-test: sign test on the F1 of the categories",
    "T": "T-test: t-test on the F1 of the categories",
    "T'": "T'-test: t-test on the ranks of these F1",
    "p": "p-test on proportions",
    "permutation": "permutation test on documents",
}
MIRROR = {">>": "<<", ">": "<", "<": ">", "<<": ">>"}


@section("Which differences are real", order=30)
def significance(results: ReportResults) -> Html | None:
    """The matrix `>> ~ <<` of each test; the tests on rare and frequent categories; the table of all p-values."""
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


def _title(one: Significance) -> str:
    measure = f", {one.measure.replace('_', '-').replace('f1', 'F1')}" if one.test in ("p", "permutation") else ""
    return TOLD.get(one.test, one.test) + measure


def _matrices(comparison: Comparison, names: Sequence[str], suffix: str = "") -> dict[str, Html]:
    groups: dict[str, list[Significance]] = {}
    for one in comparison:
        groups.setdefault(_title(one) + suffix, []).append(one)
    first = [title for title in groups if title.startswith(TOLD["permutation"])]
    ordered = [*first, *(title for title in groups if title not in first)]
    return {title: _matrix(groups[title], names) for title in ordered}


def _banded(results: ReportResults, names: Sequence[str]) -> dict[str, Html]:
    found: dict[str, Html] = {}
    for band in dict.fromkeys(one.band for one in results.by_band or ()):
        kind = "rare" if band.startswith("1–") else "frequent"
        chosen = [one for one in results.by_band or () if one.band == band]
        for title in dict.fromkeys(_title(one) for one in chosen):
            own = [one for one in chosen if _title(one) == title]
            found[f"{title}, {kind} categories ({band} training documents)"] = _matrix(own, names)
    return found


def _matrix(results: Sequence[Significance], names: Sequence[str]) -> Html:
    made = {(one.a, one.b): one for one in results}
    rows = []
    for a in names:
        cells = [_cell(made.get((a, b)), made.get((b, a)), same=a == b) for b in names]
        rows.append(tag("tr", tag("th", isolated(a, 30), scope="row"), cells))
    return grid(["", *(isolated(name, 24) for name in names)], rows, class_="marks")


def _cell(one: Significance | None, turned: Significance | None, *, same: bool) -> Html:
    found = one or turned
    if same or found is None:
        return tag("td", "" if same else "–", class_="off")
    symbol = found.symbol if one is not None else MIRROR.get(found.symbol, found.symbol)
    lost = symbol != "~" and found.adjusted_p is not None and found.adjusted_p > 0.05
    adjusted = "" if found.adjusted_p is None else f", corrected {p_text(found.adjusted_p)}"
    title = f"{p_text(found.p_value)}{adjusted}, n = {found.n:,}"
    kind = "off" if symbol == "~" or lost else "yes"
    return tag("td", f"({symbol})" if lost else symbol, class_=kind, title=title)
