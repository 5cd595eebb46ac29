"""Which system is better than which: the marks of Yang and Liu, one matrix per test, and all numbers."""

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

TITLES = {
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
        cells = [_cell(by_pair.get((a, b)), by_pair.get((b, a)), same=a == b) for b in names]
        rows.append(tag("tr", tag("th", isolated(a, 30), scope="row"), cells))
    return grid(["", *(isolated(name, 24) for name in names)], rows, class_="marks")


def _cell(result: Significance | None, turned: Significance | None, *, same: bool) -> Html:
    known = result or turned
    if same or known is None:
        return tag("td", "" if same else "–", class_="off")
    symbol = known.symbol if result is not None else MIRROR.get(known.symbol, known.symbol)
    lost = symbol != "~" and known.adjusted_p is not None and known.adjusted_p > 0.05
    adjusted = "" if known.adjusted_p is None else f", corrected {p_text(known.adjusted_p)}"
    title = f"{p_text(known.p_value)}{adjusted}, n = {known.n:,}"
    kind = "off" if symbol == "~" or lost else "yes"
    return tag("td", f"({symbol})" if lost else symbol, class_=kind, title=title)
