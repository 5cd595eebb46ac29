"""`rubricate study`: a plan → a table, significance tests and a report."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import training_options as stores
from rubricate.cli.options import Json
from rubricate.cli.summaries import cut_lines
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.experiments.study import CorpusResult, Study
    from rubricate.reports.report import WrittenReport

__all__ = ["study"]

FINDINGS = 5

_PlanFile = Annotated[str, typer.Argument(help="A TOML file, or a plan that comes with Rubricate: five.")]
_Report = Annotated[Path | None, typer.Option(help="Write the report into this folder, or one page to a .html file.")]


@command("study")
def study(
    plan: _PlanFile = "five",
    *,
    store: stores.StoreFolder = None,
    report: _Report = None,
    fresh: stores.Fresh = False,
    engine: stores.EngineName = "threads",
    as_json: Json = False,
) -> None:
    """Run a plan: corpora × representations × systems × thresholds, judged by measures and tests.

    Without a plan: the five systems of Yang and Liu (1999), on Reuters-21578 if it is found, otherwise on the embedded
    synthetic corpus. Every training is kept in the store: Ctrl-C, a crash or a kill loses at most the ones being
    computed, and the same command resumes from there. With --report the last lines are the findings and the
    path of the report.
    """
    from rubricate.cli.output import progress
    from rubricate.engines import run_tasks
    from rubricate.experiments.plan_file import read_plan
    from rubricate.experiments.runner import run_study
    from rubricate.experiments.store import Store

    run_tasks(str, [], engine=engine)  # refuse an unknown engine before any work
    chosen, kept = read_plan(plan), Store(store, fresh=fresh)
    with stores.keeping(kept.folder), progress() as show:
        done = run_study(chosen, store=kept, engine=engine, progress=show)
        written = [_write(done, result, report=report, plan=plan) for result in done.results] if report else []
    if as_json:
        typer.echo(json.dumps(_json(done, kept.folder, written), ensure_ascii=False, indent=2, allow_nan=False))
        return
    typer.echo("\n\n".join(_table(result) for result in done.results))
    for page, result in zip(written, done.results, strict=False):
        typer.echo("\n".join(["", *(f"- {sentence}" for sentence in page.findings[:FINDINGS]), *page.notes]))
        typer.echo(f"report on {result.corpus.name}: {page.page}" if len(written) > 1 else str(page.page))


def _write(done: Study, result: CorpusResult, *, report: Path, plan: str) -> WrittenReport:
    """Write the report on a corpus; with several corpora, each gets its own folder."""
    from rubricate.reports.report import study_data, write_report

    place = report
    if len(done.results) > 1:
        place = report.with_suffix("") / f"{done.results.index(result) + 1}-{result.corpus.name}"
    command = f"rubricate study {shlex.quote(plan)} --report {shlex.quote(str(report))}"
    return write_report(study_data(result, commands=[command]), place)


def _table(result: CorpusResult) -> str:
    corpus = result.corpus
    kind = " (synthetic)" if corpus.synthetic else ""
    sizes = f"{len(corpus.train):,} + {len(corpus.test):,} documents, {len(corpus.categories):,} categories"
    rows = [result.row(i) for i in range(len(result.trials))]
    wide = max(len("system"), *(len(trial.choice.name) for trial in result.trials))
    lines = [result.note] if result.note else []
    lines += [f"{corpus.name}, {corpus.split}{kind}: {sizes}", f"{'system':{wide}}" + "".join(map(_head, rows[0]))]
    for trial, row in zip(result.trials, rows, strict=True):
        cells = "".join(
            f"{value:{max(9, len(name) + 2)}.{5 if name == 'error' else 4}f}" for name, value in row.items()
        )
        lines.append(f"{trial.choice.name:{wide}}{cells}")
    if all(length == 1 for length in corpus.train.labels.sum(axis=1)):
        cuts = dict.fromkeys(" ".join(repr(trial.trial.procedure.cut).split()) for trial in result.trials)
        lines += [line for cut in cuts if cut != "Rcut()" for line in cut_lines(cut)]
    if result.comparison is not None:
        lines += ["", str(result.comparison)]
    return "\n".join(lines)


def _head(name: str) -> str:
    return f"{name:>{max(9, len(name) + 2)}}"


def _json(done: Study, store: Path, written: list[WrittenReport]) -> dict[str, Any]:
    reports = [{"page": str(page.page), "findings": list(page.findings), "notes": list(page.notes)} for page in written]
    return done.to_dict() | {"store": str(store), "reports": reports}
