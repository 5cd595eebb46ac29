"""Write a judgement: everything is made first, then written, so that an error leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rubricate.atomic import write_file
from rubricate.errors import InvalidInput
from rubricate.experiments.figure import Drawing, Matrix
from rubricate.reports.figures import write_figure
from rubricate.reports.judging.drawings import difference_diagram, matrix_figure
from rubricate.reports.judging.judgement import Judgement
from rubricate.reports.judging.page import judging_page
from rubricate.reports.judging.tables import judging_tables

__all__ = ["write_judgement"]

LONG = 500
"""A table with more rows is written only as CSV."""


def write_judgement(judgement: Judgement, folder: Path) -> Path:
    """Write the page, the tables and the drawings; return the path of the page."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; give a folder for the report (-o DIR)")
    contents: dict[Path, str] = {folder / "report.html": judging_page(judgement)}
    for stem, table in judging_tables(judgement).items():
        contents[folder / "tables" / f"{stem}.csv"] = table.to_csv() + "\n"
        if len(table.rows) <= LONG:
            contents[folder / "tables" / f"{stem}.tex"] = table.to_latex(label=f"tab:{stem}") + "\n"
    for path, text in contents.items():
        write_file(path, text.encode("utf-8", "replace"))
    for figure in _figures(judgement):
        write_figure(figure, folder / "figures", heading=False)
    return folder / "report.html"


def _figures(judgement: Judgement) -> Iterator[Matrix | Drawing]:
    for result in judgement.differences:
        svg = difference_diagram(result)
        yield Drawing(f"critical_difference_{result.way}", svg.label, svg.file())
    for measure in judgement.tested:
        yield matrix_figure(judgement.names, judgement.results(measure), measure=measure)
