"""Predictions without a truth: the documents of a population, cut into decisions where asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.types import Run

__all__ = ["Cut", "Level", "Seed", "read_population"]

Cut = Annotated[str | None, typer.Option(help="Turn scores into decisions: 0.5 or rcut:1.")]
Level = Annotated[float, typer.Option(help="The confidence of the intervals.")]
Seed = Annotated[int, typer.Option(help="The seed of the draws.", min=0)]


def read_population(path: Path, *, cut: str | None = None, need_decisions: bool = True) -> Run:
    """Read the predictions of a file over its own documents and categories.

    Scores without decisions are cut at `cut`; probabilities without a cut at .5, with a word on standard error.
    """
    from scipy import sparse

    from rubricate.labelling.runs import cut_run, read_predictions

    run = read_predictions(path)
    if cut is not None:
        return cut_run(run, cut)
    if run.decisions is None and need_decisions:
        values: Any = run.scores.values if run.scores is not None else None
        stored = values.data if sparse.issparse(values) else values
        if stored is None or float(stored.min(initial=0)) < 0 or float(stored.max(initial=0)) > 1:
            raise InvalidInput(f"{path} has scores but no decisions; give a cut, such as --cut 0.5 or --cut rcut:1")
        typer.echo(f"rubricate: {path} has probabilities but no decisions; cut at .5 (--cut changes it)", err=True)
        return cut_run(run, "0.5")
    return run
