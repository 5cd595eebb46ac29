"""Write a report: the page alone, or a folder with the page, its tables and its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rubricate.atomic import write_file
from rubricate.errors import MissingExtra
from rubricate.reports.data import ReportData
from rubricate.reports.exports import report_tables
from rubricate.reports.figures import available_forms, write_figure
from rubricate.reports.findings import findings
from rubricate.reports.page.rendering import render_page
from rubricate.reports.results import ReportResults, results_of
from rubricate.reports.study_figures import report_figures

__all__ = ["WrittenReport", "write_report"]

LONG = 200
"""A table with more rows is written only as CSV: nobody prints it."""


@dataclass(frozen=True)
class WrittenReport:
    """The path of the report, its findings, the files beside it, and notes on what was left out."""

    page: Path
    findings: tuple[str, ...]
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def write_report(study: ReportData, path: str | Path, *, figures: bool | None = None) -> WrittenReport:
    """Write the report of a study.

    A path that ends in `.html` gets the page alone. Any other path is a folder, created where it is missing, that
    gets `report.html`, `tables/*.csv` and `*.tex`, `figures/*.svg`, `*.png` and `*.pdf`. PNG and PDF need the extra
    `report`: without it `figures=None` adds a note, True raises an error; False leaves all figures out. Files are
    replaced in one step, so that a reader never sees half of one.
    """
    results = results_of(study)
    target = Path(path)
    if target.suffix.lower() in (".html", ".htm"):
        write_file(target, render_page(results).encode("utf-8", "replace"))
        return WrittenReport(target, tuple(findings(results)))
    page = target / "report.html"
    write_file(page, render_page(results).encode("utf-8", "replace"))
    files, notes = list(_write_tables(results, target / "tables")), []
    if figures is not False:
        if "png" not in available_forms():
            problem = MissingExtra("report", "figures as PNG and PDF")
            if figures:
                raise problem
            notes.append(f"figures/ has SVG alone: {problem}")
        for figure in report_figures(results):
            files += write_figure(figure, target / "figures", heading=False)
    return WrittenReport(page, tuple(findings(results)), tuple(files), tuple(notes))


def _write_tables(results: ReportResults, folder: Path) -> Iterator[Path]:
    for stem, table in report_tables(results).items():
        yield write_file(folder / f"{stem}.csv", (table.to_csv() + "\n").encode("utf-8", "replace"))
        if len(table.rows) <= LONG:
            yield write_file(folder / f"{stem}.tex", (table.to_latex() + "\n").encode("utf-8", "replace"))
