"""`rubricate reproduce`: the tables of a paper, recomputed, beside the published figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import options as printing
from rubricate.errors import InvalidFile
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.papers.figures import Drawing, Figure
    from rubricate.papers.reproduction import Cell, Reproduction

__all__ = ["reproduce"]

_Paper = Annotated[str | None, typer.Argument(help="The paper, such as yang-liu-1999; without one, list them.")]
_Table = Annotated[list[str] | None, typer.Option(help="Only this table (1, 2, 3, text); may be repeated.")]
_Figures = Annotated[Path | None, typer.Option(help="Draw the figures into this folder, as SVG and PNG.")]
_Again = Annotated[Path | None, typer.Option("--from", help="Show an earlier --json output; nothing is computed.")]
_Report = Annotated[Path | None, typer.Option(help="Write one page per paper, and an index, into this folder.")]
_Details = Annotated[bool, typer.Option("--details", help="One line per cell, with difference and tolerance.")]


@command("reproduce")
def reproduce(
    paper: _Paper = None,
    *,
    table: _Table = None,
    figures: _Figures = None,
    again: _Again = None,
    report: _Report = None,
    details: _Details = False,
    as_json: printing.Json = False,
    as_markdown: printing.Markdown = False,
    as_csv: printing.Csv = False,
) -> None:
    """Recompute the tables of a paper and show each figure next to the published one.

    --json prints a list of cells: paper, table, row, column, published, ours, tolerance, agrees, note, origin, verdict
    (same, better, off, not counted). Rows with recovered settings are marked. --markdown prints the whole
    page. --report writes it as HTML: what the paper asked, its tables next to ours with verdicts, figures, what differs
    and why, every setting with its origin, times then and now; index.html covers all papers in the folder. Without a
    paper, the known ones are listed.
    """
    from rubricate.papers import reproduction
    from rubricate.papers.figures import Drawing
    from rubricate.reports.reproduction_report import StepClock, write_paper_report

    form = printing.chosen_form(json=as_json, markdown=as_markdown, csv=as_csv)
    if paper is None:
        names = reproduction.papers()
        typer.echo(json.dumps(names) if form == "json" else "\n".join(names))
        return
    known = reproduction.load_reproduction(paper)
    drawn: Sequence[Figure | Drawing] = ()
    clock = StepClock(_say)
    if again is None:
        cells, drawn = reproduction.reproduce(paper, tables=tuple(table or ()), say=clock)
    else:
        cells = reproduction.read_again(paper, _read(again))
        cells = [cell for cell in cells if not table or cell.table in table]
    paths = sorted(figures.glob("*.svg")) if figures is not None and again is not None else []
    if paths:
        drawn = [Drawing(path.stem, path.stem.replace("-", " "), path.read_text("utf-8")) for path in paths]
    if figures is not None and again is None:
        from rubricate.reports.figures import write_figure

        paths = [path for figure in drawn for path in write_figure(figure, figures)]
    if report is not None:
        write_paper_report(known, cells, report, figures=drawn, seconds=None if again else clock.stop())
        if form == "text":
            typer.echo(str(report / f"{paper}.html"))
            return
    typer.echo(_shown(known, cells, paths=paths, form=form, details=details))


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror})", path=path, remedy="give an existing file") from None
    except ValueError:
        raise InvalidFile("not JSON", path=path, remedy="give the output of 'rubricate reproduce --json'") from None


def _say(step: str) -> None:
    """Print the current step if standard error is a terminal."""
    if sys.stderr.isatty():
        print(f"rubricate: {step} …", file=sys.stderr)


def _shown(known: Reproduction, cells: list[Cell], *, paths: list[Path], form: str, details: bool) -> str:
    from rubricate.papers.reproduction import to_json
    from rubricate.reports import reproductions as view
    from rubricate.reports.tables import render

    if form == "json":
        return json.dumps(to_json(cells), ensure_ascii=False, indent=2)
    if form == "csv":
        return render(view.in_full("", cells), "csv")
    if form == "markdown":
        return view.to_page(
            known, cells, figures=[f"{path.parent.name}/{path.name}" for path in paths if path.suffix == ".svg"]
        )
    parts = []
    for name, table in known.tables.items():
        inside = [cell for cell in cells if cell.table == name]
        if inside:
            chosen = view.in_full if details or name == "text" else view.compact
            parts.append(render(chosen(table.title, inside), form))
    parts += [render(table, form) for table in (view.differences(cells), view.remarks(cells)) if table.rows]
    parts.append("\n".join(f"{name}: {tally}" for name, tally in view.tallies(cells).items()))
    return "\n\n".join(parts)
