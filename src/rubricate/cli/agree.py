"""`rubricate agree`: how far annotators agree, and whether a model may stand in for one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli.options import Form
from rubricate.cli.output import progress
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.labelling import Agreement, AlternativeAnnotator

__all__ = ["agree"]

_Files = Annotated[list[Path], typer.Argument(help="The labels of each annotator, one file each; at least two.")]
_Model = Annotated[
    Path | None, typer.Option(help="A model's labels: test whether it may stand in for an annotator (three or more).")
]
_Epsilon = Annotated[float, typer.Option(help="How much worse than a person the model may be, because it is cheaper.")]
_Draws = Annotated[int, typer.Option(help="Resamples of the documents for the intervals.", min=0)]
_Level = Annotated[float, typer.Option(help="The confidence of the intervals.")]
_Seed = Annotated[int, typer.Option(help="The seed of the resamples.", min=0)]
_Disagreements = Annotated[int, typer.Option(help="List this many documents that were labelled differently.", min=0)]


@command("agree")
def agree(
    files: _Files,
    *,
    model: _Model = None,
    epsilon: _Epsilon = 0.2,
    draws: _Draws = 1000,
    level: _Level = 0.95,
    seed: _Seed = 0,
    disagreements: _Disagreements = 10,
    form: Form,
) -> None:
    """Measure how far annotators agree: percent, kappa, Krippendorff's alpha, Gwet's AC1, with intervals.

    Each file has the labels of one annotator, in any form that `rubricate evaluate` reads. Documents that an annotator
    did not label are left out for that annotator. The interval of a category is that of alpha.

    --model adds the alternative annotator test (Calderon, Reichart and Dror 2025).
    """
    from rubricate.io.predictions import read_truth, run_names
    from rubricate.labelling import agreement, alternative_annotator

    if len(files) < 2:
        raise InvalidInput("agreement needs at least two annotators; give one file for each")
    names = run_names(files)
    with progress("reading and comparing"):
        labels = [read_truth(path) for path in files]
        found = agreement(labels, names=names, draws=draws, level=level, seed=seed, disagreements=disagreements)
    test = None
    if model is not None:
        test = alternative_annotator(labels, read_truth(model), names=names, epsilon=epsilon)
    if form.chosen == "json":
        whole = found.to_dict() | ({} if test is None else {"alternative_annotator": test.to_dict()})
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return
    from rubricate.reports.tables import render

    typer.echo("\n\n".join(render(table, form.chosen) for table in _tables(found, test)))


def _tables(found: Agreement, test: AlternativeAnnotator | None) -> list[Any]:
    from rubricate.reports.tables import Table

    title = f"Agreement of {len(found.annotators)} annotators on {found.documents:,} documents"
    percent = f"{found.level:.0%} interval".replace("%", " %")
    overall = [(name, value.estimate, value.low, value.high) for name, value in found.overall.items()]
    tables = [
        Table(("on label sets", "estimate", "low", "high"), overall, title, ("– : 0/0, all labels are equal",)),
        Table(
            ("category", "percent", "kappa", "alpha", "ac1", "low", "high"),
            [(c.category, c.percent, c.kappa, c.alpha, c.ac1, c.low, c.high) for c in found.categories],
            notes=(f"low and high: {percent} of alpha",),
        ),
    ]
    if found.disagreements:
        rows: list[tuple[Any, ...]] = [
            (item.document, item.distance, *(_cell(item.labels[name]) for name in found.annotators))
            for item in found.disagreements
        ]
        tables.append(Table(("document", "MASI distance", *found.annotators), rows, "Labelled differently"))
    if test is not None:
        rows = [(name, test.documents[name], test.p_values[name], _yes(test.wins[name])) for name in test.wins]
        verdict = "passes" if test.passes else "does not pass"
        note = f"the model {verdict}: winning rate {test.winning_rate:.2f}, advantage {test.advantage:.2f}"
        notes = (f"{note}, epsilon {test.epsilon:g}", *([test.note] if test.note else []))
        columns = ("annotator", "documents", "p", "model wins")
        tables.append(Table(columns, rows, "Alternative annotator test", notes))
    return tables


def _cell(labels: tuple[str, ...] | None) -> str:
    return "not labelled" if labels is None else "; ".join(labels) or "(none)"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
