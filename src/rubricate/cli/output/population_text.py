"""What `rubricate evaluate --population` prints: estimates over all documents from a labelled sample."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rubricate.cli.options.populations import read_population
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.labelling import LabelledSample, PopulationEstimates
    from rubricate.types import Run

__all__ = ["print_population"]


def print_population(
    labelled: Path, runs: Sequence[Path], population: Path, *, cut: str | None, level: float, form: str
) -> None:
    """Estimate measures over the population from the labelled documents, and print them."""
    from rubricate.labelling.population.estimates import population_estimates
    from rubricate.labelling.sampling.sample_files import read_labelled

    if len(runs) != 1:
        raise InvalidInput(f"--population goes with one run, got {len(runs)}; give the runs one at a time")
    whole = read_population(population, cut=cut)
    sample = read_labelled(labelled, whole)
    if runs[0].resolve() != population.resolve():
        _check_same(read_population(runs[0], cut=cut), whole, sample)
    found = population_estimates(sample, whole, level=level)
    if form == "json":
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        return
    from rubricate.reports.tables import render

    typer.echo("\n\n".join(render(table, form) for table in _tables(found, whole.name)))


def _check_same(run: Run, whole: Run, sample: LabelledSample) -> None:
    """Refuse predictions of the labelled documents that differ from those of the population."""
    here = {str(name): row for row, name in enumerate(run.documents)}
    names = [str(whole.documents[row]) for row in sample.rows]
    lost = [name for name in names if name not in here]
    if lost:
        raise InvalidInput(f"the run has no predictions for {len(lost)} labelled documents, such as {lost[0]}")
    for name, row in zip(names, sample.rows, strict=True):
        if _decided(run, here[name]) != _decided(whole, int(row)):
            raise InvalidInput(
                f"the run and the population differ about document {name!r}; give predictions of the same system"
            )


def _decided(run: Run, row: int) -> set[str]:
    matrix: Any = run.decisions.values if run.decisions is not None else None
    return {run.categories[c] for c in matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]}


def _tables(found: PopulationEstimates, name: str) -> list[Any]:
    from rubricate.reports.tables import Table

    title = f"{name}: {found.documents:,} documents, {found.labelled:,} of them labelled"
    averages = [row for row in found.estimates if row.category is None]
    rest = [row for row in found.estimates if row.category is not None]
    percent = f"low and high: {100 * found.level:g} % interval; – : too few labels for a number"
    first = Table(
        ("measure", "estimate", "low", "high"),
        [(row.measure, row.estimate, row.low, row.high) for row in averages],
        title,
        (percent, *found.notes),
    )
    columns = ("category", "labelled", "measure", "estimate", "low", "high")
    cells = [(row.category or "", row.labelled, row.measure, row.estimate, row.low, row.high) for row in rest]
    return [first, Table(columns, cells)]
