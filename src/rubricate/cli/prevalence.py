"""`rubricate prevalence`: how common each category is among documents that nobody has labelled, or only some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli.options import Form
from rubricate.cli.prediction_options import Cut, Level, Seed, read_population
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.types import Run, Sparse

__all__ = ["prevalence"]

_Run = Annotated[Path, typer.Argument(help="Predictions of a system for the documents.")]
_Truth = Annotated[Path | None, typer.Option(help="Labels of some of these documents, drawn at random.")]
_HeldOut = Annotated[Path | None, typer.Option(help="Labels of other documents, which the system was not trained on.")]
_HeldOutRun = Annotated[Path | None, typer.Option(help="The same system's predictions of those documents.")]
_Method = Annotated[
    str | None, typer.Option(help="cc, pcc, acc, pacc, em or sample; by default what the labels given allow.")
]
_Draws = Annotated[int, typer.Option(help="Resamples of the documents for the intervals.", min=0)]


@command("prevalence")
def prevalence(
    run: _Run,
    *,
    truth: _Truth = None,
    held_out: _HeldOut = None,
    held_out_run: _HeldOutRun = None,
    method: _Method = None,
    cut: Cut = None,
    draws: _Draws = 200,
    level: Level = 0.95,
    seed: Seed = 0,
    form: Form,
) -> None:
    """Estimate how common each category is, where counting a system's labels would be wrong.

    With --truth (labels of a random sample, such as the file of rubricate sample) the estimate is that of rubricate
    evaluate --population. With --held-out and --held-out-run the counts are corrected by the system's error rates, and
    each category is tested for drift between the two sets of documents.
    """
    from rubricate.labelling.quantification import drift, to_dict
    from rubricate.labelling.quantification import prevalence as estimated
    from rubricate.labelling.sample_files import read_labelled

    whole = read_population(run, cut=cut)
    sample = None if truth is None else read_labelled(truth, whole)
    held = _held_out(held_out, held_out_run, whole, cut)
    rows = estimated(whole, truth=sample, held_out=held, method=method, draws=draws, level=level, seed=seed)
    moved = None if held is None else drift(whole, held[0])
    if form.chosen == "json":
        typer.echo(json.dumps(to_dict(rows, moved), ensure_ascii=False, indent=2))
        return
    from rubricate.reports.tables import Table, render

    columns = ("category", "prevalence", "low", "high", "method")
    cells: list[tuple[Any, ...]] = [(row.category, row.estimate, row.low, row.high, row.method) for row in rows]
    note = f"low and high: {100 * level:g} % interval; – : too few labels for a number"
    tables = [Table(columns, cells, f"{whole.name}: {len(whole.documents):,} documents", (note,))]
    if moved is not None:
        cells = [(row.category, row.before, row.now, row.p_value, row.adjusted_p) for row in moved]
        tables.append(Table(("category", "held out", "now", "p", "p (Holm)"), cells, "Drift of the decisions"))
    typer.echo("\n\n".join(render(table, form.chosen) for table in tables))


def _held_out(labels: Path | None, run: Path | None, whole: Run, cut: str | None) -> tuple[Run, Sparse] | None:
    if labels is None and run is None:
        return None
    if labels is None or run is None:
        raise InvalidInput("held-out labels and the predictions of those documents go together; give both")
    from rubricate.labelling.runs import held_out_run

    return held_out_run(labels, run, whole, cut=cut)
