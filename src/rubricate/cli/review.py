"""`rubricate review`: which decisions a person should check first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from rubricate.cli.options import Form
from rubricate.cli.prediction_options import Cut, read_population
from rubricate.registry import command

__all__ = ["review"]

_Run = Annotated[Path, typer.Argument(help="Predictions of a system: scores and decisions.")]
_Budget = Annotated[int, typer.Option(help="How many decisions can be checked.", min=1)]
_Measure = Annotated[str, typer.Option(help="What to improve: micro_f1 or macro_f1.")]
_Truth = Annotated[
    Path | None, typer.Option(help="Labels of some of the documents, to turn scores into probabilities.")
]


@command("review")
def review(
    run: _Run,
    *,
    budget: _Budget = 100,
    measure: _Measure = "micro_f1",
    truth: _Truth = None,
    cut: Cut = None,
    form: Form,
) -> None:
    """List the decisions whose checking gains the most F1, and how F1 should grow as they are checked.

    Scores should be probabilities; if they are not, labels of some documents (--truth) turn them into probabilities.
    """
    from rubricate.labelling.review import review_order
    from rubricate.labelling.sample_files import read_labelled

    whole = read_population(run, cut=cut)
    sample = None if truth is None else read_labelled(truth, whole)
    found = review_order(whole, budget=budget, measure=measure, truth=sample)
    if form.chosen == "json":
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        return
    from rubricate.reports.tables import Table, render

    cells: list[tuple[Any, ...]] = [
        (place, row.document, row.category, "yes" if row.decision else "no", row.wrong, row.gain)
        for place, row in enumerate(found.decisions, start=1)
    ]
    columns = ("rank", "document", "category", "assigned", "wrong", "gain")
    first = Table(columns, cells, f"{whole.name}: decisions to check first", ("wrong: its probability",), digits=6)
    second = Table(("checked", f"expected {measure}"), found.curve, "What the checks should bring")
    typer.echo("\n\n".join(render(table, form.chosen) for table in (first, second)))
