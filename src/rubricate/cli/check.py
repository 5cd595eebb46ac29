"""`rubricate check`: every problem of every submission, before anything is measured."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli.options import Fixed, Form
from rubricate.cli.prediction_options import PredictionOptions, Runs, Truth
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.io.predictions import Problem

__all__ = ["check"]

PROBLEMS = 2
"""The exit code where a file has a problem: that of wrong input."""

_Reading = Annotated[
    PredictionOptions, Fixed(cut=None, train=None, train_counts=None, held_out=None, held_out_run=None)
]


@command("check")
def check(truth: Truth, runs: Runs, *, predictions: _Reading, form: Form) -> None:
    """Read all submissions and list every problem of every file, with its line and how to fix it.

    Besides what evaluate refuses (a missing file, documents or categories that do not fit, rows that cannot be read),
    it reports percentages instead of probabilities, values outside 0 and 1, a category without a column, other
    spellings of a category, and identical submissions. What --missing, --unknown and --duplicates allow is not a
    problem.

    Exits with code 2 if there is a problem, otherwise with 0.
    """
    problems = predictions.check(truth, runs)
    if form.chosen == "json":
        typer.echo(json.dumps([_plain(problem) for problem in problems], ensure_ascii=False, indent=2))
    elif form.chosen != "text":
        typer.echo(_table(problems, form.chosen))
    elif problems:
        _print_table(problems)
    else:
        typer.echo(f"no problem in {len(runs) + 1} files")
    if problems:
        raise typer.Exit(PROBLEMS)


def _plain(problem: Problem) -> dict[str, Any]:
    return {
        "file": str(problem.path),
        "line": problem.line,
        "problem": problem.problem,
        "fix": problem.remedy,
        "rows": problem.rows,
        "stops": problem.stops,
    }


def _print_table(problems: Sequence[Problem]) -> None:
    """Print the problems as a table whose cells are wrapped to the width of the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("file", overflow="fold", max_width=40)
    table.add_column("line", justify="right")
    for name in ("problem", "fix"):
        table.add_column(name, overflow="fold", ratio=1)
    for each in problems:
        more = f" (and {each.rows - 1:,} more lines like it)" if each.rows > 1 else ""
        line = "" if each.line is None else str(each.line)
        table.add_row(*map(Text, (str(each.path), line, each.problem + more, each.remedy)))
    Console(file=sys.stdout, width=shutil.get_terminal_size((120, 24)).columns).print(table)
    typer.echo(f"\n{len(problems)} problems in {len({each.path for each in problems})} files")


def _table(problems: Sequence[Problem], form: str) -> str:
    from rubricate.reports.tables import Table, render

    rows = [(str(each.path), each.line, each.problem, each.rows, each.remedy) for each in problems]
    return render(Table(("file", "line", "problem", "rows", "fix"), rows), form)
