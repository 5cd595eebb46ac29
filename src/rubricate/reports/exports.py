"""The curves that the page, the tables and the figures share."""

from __future__ import annotations

import numpy as np

from rubricate.measures import Abstention, Band, abstention, by_frequency
from rubricate.reports.evaluation_tables import category_table, confusions, interval_table, ranking_table, summary_table
from rubricate.reports.mistakes import confident_mistakes, likely_mislabelled
from rubricate.reports.results import RARE, ReportResults
from rubricate.reports.tables import CellValue, Table

__all__ = ["BANDS", "abstention_curves", "file_stem", "frequency_curves", "report_tables"]

BANDS = 12
"""The number of intervals of equal width in the curves by frequency."""


def frequency_curves(results: ReportResults, how: str) -> dict[str, list[Band]]:
    """Return the mean F1 of each system in intervals of training frequency: `doubling`, `rare` (up to 60) or `full`.

    Doubling intervals are 1, 2–3, 4–7, 8–15, …
    """
    train = results.train_counts
    if train is None:
        return {}
    curves = {}
    for evaluation in results.evaluations:
        values = np.asarray(evaluation.per_category["f1"], np.float64)
        if how == "doubling":
            edges = [2**k for k in range(int(train.max()).bit_length())]
            parts = [by_frequency(values, train, bands=1, low=edge, high=2 * edge - 1)[0] for edge in edges]
        else:
            parts = by_frequency(values, train, bands=BANDS, high=RARE if how == "rare" else None)
        curves[evaluation.name] = [band for band in parts if band.categories]
    return curves


def abstention_curves(results: ReportResults) -> dict[str, Abstention]:
    """Return the curve of each system with scores: the one in the data, else that of its best category."""
    curves: dict[str, Abstention] = {}
    for run in results.runs:
        curve = results.data.abstentions.get(run.name)
        if curve is None and run.scores is not None:
            curve = abstention(run.scores, results.truth)
        if curve is not None and len(curve.error):
            curves[run.name] = curve
    return curves


MOST = 1000
"""The most rows of confusions, errors and suspects that a file holds."""


def report_tables(results: ReportResults) -> dict[str, Table]:
    """Return every table by the stem of its files; tables without rows are left out."""
    tables = {
        "systems": summary_table(results.evaluations),
        "intervals": interval_table(results.evaluations),
        "ranking": ranking_table(results.evaluations),
        "categories": category_table(results.evaluations),
        "confusions": _confusions(results),
        "errors": _errors(results),
        "suspects": _suspects(results),
    }
    for how in ("rare", "full", "doubling"):
        tables[f"frequency-{how}"] = _frequency(results, how)
    return {stem: table for stem, table in {**tables, **_significance(results)}.items() if table.rows}


def file_stem(title: str) -> str:
    """Turn a title into the stem of a file.

    >>> file_stem("p-test applied to multiple measures, training frequency 1–60")
    'p-test-applied-to-multiple-measures-training-frequency-1-60'
    """
    words = "".join(sign.lower() if sign.isascii() and sign.isalnum() else " " for sign in title).split()
    return "-".join(words)[:80] or "table"


def _significance(results: ReportResults) -> dict[str, Table]:
    """Return the marks as in tables 2 and 3 of yangliu1999, again by band, and every p-value."""
    if results.comparison is None:
        return {}
    signature = results.comparison.signature
    grids = [*results.comparison.tables(), *(results.by_band.tables() if results.by_band is not None else ())]
    tables = {
        file_stem(grid.title): Table(grid.columns, grid.rows, title=grid.title, notes=grid.notes, signature=signature)
        for grid in grids
    }
    every = results.comparison.details()
    return {**tables, "tests": Table(every.columns, every.rows, title="All tests", signature=signature)}


def _frequency(results: ReportResults, how: str) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (name, band.low, band.high, band.categories, band.value)
        for name, bands in frequency_curves(results, how).items()
        for band in bands
    ]
    return Table(("system", "from", "to", "categories", "mean F1"), rows, title="F1 by training documents")


def _confusions(results: ReportResults) -> Table:
    rows: list[tuple[CellValue, ...]] = []
    for k in results.order:
        confused = confusions(results.truth, results.decided(k))
        rows += [
            (
                results.names[k],
                results.categories[missed],
                results.categories[given],
                count,
                int(confused.missed[missed]),
            )
            for missed, given, count in confused.top(MOST)
        ]
    return Table(("system", "missed", "given", "documents", "missed in all"), rows, title="Confusions")


def _errors(results: ReportResults) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (
            results.names[k],
            str(results.runs[k].documents[mistake.row]),
            results.categories[mistake.column],
            mistake.kind,
            mistake.margin,
        )
        for k in results.order
        for mistake in confident_mistakes(results, k, MOST)
    ]
    return Table(("system", "document", "category", "kind", "margin"), rows, title="Errors, most confident first")


def _suspects(results: ReportResults) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (
            suspect.document,
            suspect.category,
            "yes" if suspect.given else "no",
            suspect.against,
            suspect.systems,
            suspect.confidence,
        )
        for suspect in likely_mislabelled(results, MOST)
    ]
    columns = ("document", "category", "labelled", "systems against", "systems", "confidence")
    return Table(columns, rows, title="Labels worth checking")
