"""Turn a study into the data of reports, one report per corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rubricate.errors import MissingExtra
from rubricate.experiments.expectations import expected
from rubricate.experiments.study import CorpusResult
from rubricate.reports.data import ReportData, RunLearningCurve
from rubricate.reports.exports import report_tables
from rubricate.reports.figures import available_forms, report_figures, write_figure
from rubricate.reports.findings import findings
from rubricate.reports.page import render_page
from rubricate.reports.results import ReportResults, results_of
from rubricate.storage import write_file
from rubricate.types import Evidence

__all__ = ["WrittenReport", "study_data", "write_report"]


def study_data(result: CorpusResult, *, commands: Sequence[str] = ()) -> ReportData:
    """Collect what a report shows of the trials on one corpus; `commands` are those that repeat the study."""
    plan, corpus = result.plan, result.corpus
    trials = {trial_result.run.name: trial_result.trial for trial_result in result.trials}

    def explain(run: str, row: int, category: str) -> Sequence[Evidence]:
        return trials[run].explain(row, category)

    first = result.trials[0].trial
    return ReportData(
        runs=result.runs,
        title=f"{plan.title}: {corpus.name}",
        documents=corpus.test,
        corpus_note=corpus_note(result),
        commands=commands,
        explain=explain,
        analyzer=first.settings.analyzer,
        learning=_curves(result),
        seconds={trial_result.run.name: trial_result.seconds for trial_result in result.trials},
        undefined=plan.undefined,
        resamples=plan.resamples,
        seed=plan.seed,
        extras={"estimate": expected(result), **({"hierarchy": corpus.taxonomy} if corpus.taxonomy else {})},
    )


def corpus_note(result: CorpusResult) -> str:
    """Describe the source of the documents, and say so if they are synthetic."""
    corpus = result.corpus
    kind = "Synthetic documents, made by a program" if corpus.synthetic else "Documents"
    sizes = (
        f"{len(corpus.train):,} to learn from, {len(corpus.test):,} to test on, {len(corpus.categories):,} categories"
    )
    licence = f" Licence: {corpus.licence.rstrip('.')}." if corpus.licence else ""
    note = f" {result.note}" if result.note else ""
    return f"{kind} of the corpus {corpus.name}, split {corpus.split}: {sizes}.{licence}{note}"


def _curves(result: CorpusResult) -> list[RunLearningCurve]:
    measure = {"micro_f1": "miF1", "macro_f1": "maF1"}.get(result.plan.learning.measure, result.plan.learning.measure)
    return [
        RunLearningCurve(name, [size for size, _ in points], [value for _, value in points], measure=measure)
        for name, points in result.learning.items()
    ]


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
