"""`rubricate sample`: choose the documents that people should label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rubricate.cli.output import check_ending
from rubricate.cli.prediction_options import Cut, Level, Seed, read_population
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.types import Run

__all__ = ["sample"]

_Runs = Annotated[list[Path], typer.Argument(help="Predictions for all documents; several files are joined.")]
_Size = Annotated[int | None, typer.Option("-n", help="How many documents; with --extend how many further ones.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The file to fill in.")]
_Design = Annotated[
    str, typer.Option(help="uniform; stratified (predicted category and confidence); neyman (least variance).")
]
_Measure = Annotated[
    str,
    typer.Option(help="What to plan for: micro_f1, micro_precision, micro_recall, macro_f1, prevalence."),
]
_Width = Annotated[float | None, typer.Option(help="Choose the size for an interval of this width instead of -n.")]
_Extend = Annotated[Path | None, typer.Option(help="An earlier sample, labelled or not: add documents to it.")]


@command("sample")
def sample(
    runs: _Runs,
    *,
    n: _Size = None,
    output: _Output,
    design: _Design = "uniform",
    measure: _Measure = "micro_f1",
    width: _Width = None,
    level: Level = 0.95,
    extend: _Extend = None,
    cut: Cut = None,
    seed: Seed = 0,
) -> None:
    """Choose documents for people to label, and write the file they fill in.

    Columns: document, labels (write them over the ?, separated by ;), and how each document was drawn: stratum, size,
    probability, batch, design, check. Label from the top, and change only the column labels.

    rubricate evaluate TO-LABEL RUN --population RUN then says how good the system is on all documents.
    """
    from rubricate.labelling.sample import draw_sample, planned_size
    from rubricate.labelling.sample_files import read_sample, write_sample

    check_ending("-o", output, (".csv",), optional=True)
    run = _joined([read_population(path, cut=cut) for path in runs])
    earlier = None if extend is None else read_sample(extend)
    if (n is None) == (width is None):
        raise InvalidInput("give the number of documents (-n 200) or the width of the interval (--width 0.05)")
    if width is not None:
        known = 0 if earlier is None else len(earlier.sample.documents)
        n = planned_size(run, width, measure=measure, design=design, level=level) - known
        typer.echo(f"rubricate: {n + known:,} documents for an interval of width {width:g} of {measure}", err=True)
        if n < 1:
            raise InvalidInput("the earlier sample is large enough for that width; label it")
    drawn = draw_sample(
        run, n or 0, design=design, measure=measure, seed=seed, earlier=None if earlier is None else earlier.sample
    )
    write_sample(drawn, output, labels=None if earlier is None else earlier.cells)


def _joined(parts: list[Run]) -> Run:
    """Return the runs of one system over different documents as one run."""
    if len(parts) == 1:
        return parts[0]
    from rubricate.labelling.runs import join_runs

    return join_runs(parts)
