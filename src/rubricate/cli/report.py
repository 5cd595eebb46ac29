"""`rubricate report`: the page on anyone's predictions; nothing is trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from rubricate.cli.options import Json, Undefined
from rubricate.cli.output import progress
from rubricate.cli.prediction_options import PredictionOptions, Runs, Truth
from rubricate.registry import command

__all__ = ["report"]

_Output = Annotated[Path, typer.Option("--output", "-o", help="The folder of the report.", metavar="DIR")]
_By = Annotated[
    str,
    typer.Option(help="The measure that ranks: macro_f1, micro_f1, accuracy, weighted_f1, mcc, kappa, …"),
]
_Draws = Annotated[int, typer.Option("--bootstrap", help="Resamples of the documents for intervals.", min=1)]
_Level = Annotated[float, typer.Option(help="The confidence of the intervals.")]
_Adjust = Annotated[str, typer.Option(help="Correction over all pairs: holm, bh (Benjamini–Hochberg) or none.")]
_Seed = Annotated[int, typer.Option(help="The seed of the resamples.", min=0)]
_Title = Annotated[str, typer.Option(help="The heading of the page.")]


@command("report")
def report(
    truth: Truth,
    runs: Runs,
    *,
    output: _Output,
    predictions: PredictionOptions,
    by: _By = "macro_f1",
    bootstrap: _Draws = 1000,
    level: _Level = 0.95,
    adjust: _Adjust = "holm",
    undefined: Undefined = "zero",
    seed: _Seed = 0,
    title: _Title = "Judging report",
    as_json: Json = False,
) -> None:
    """Judge anyone's predictions on one page: ranking, groups, all pairs, and details on demand.

    The files are those of `rubricate evaluate`; --cut turns scores into decisions. DIR gets report.html, tables/ (CSV
    and LaTeX) and figures/ (SVG). Prints the path of the page, or with --json the ranking.
    """
    from rubricate.reports.judgement import report as judged

    read = predictions.read(truth, runs)
    pairs = len(read) * (len(read) - 1) // 2
    with progress("judging", 2 * (len(read) + pairs)) as advance:
        judgement = judged(
            None,
            read,
            by=by,
            draws=bootstrap,
            level=level,
            adjust=cast(Any, adjust),
            undefined=cast(Any, undefined),
            seed=seed,
            title=title,
            advance=advance,
        )
    with progress("writing"):
        page = judgement.write(output)
    if as_json:
        typer.echo(json.dumps({"page": str(page), **judgement.ranking.to_dict()}, ensure_ascii=False, indent=2))
    else:
        typer.echo(str(page))
