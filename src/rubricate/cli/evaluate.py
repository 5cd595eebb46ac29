"""`rubricate evaluate`: every measure, for predictions of any system."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.cli.options.hierarchy import HierarchyOptions
from rubricate.cli.options.predictions import PredictionOptions, Runs, Truth
from rubricate.cli.options.printing import Form, Undefined

if TYPE_CHECKING:
    from rubricate.evaluation import Evaluation

__all__ = ["evaluate"]

_Measure = Annotated[list[str] | None, typer.Option(help="One more measure, such as f_beta:2; may be repeated.")]
_Limit = Annotated[int | None, typer.Option(help="TR: 11-point average precision looks down to this rank.", min=1)]
_PerCategory = Annotated[bool, typer.Option("--per-category", help="Also the values of each category.")]
_ByFrequency = Annotated[bool, typer.Option("--by-frequency", help="Also F1 by training frequency.")]
_Bands = Annotated[int, typer.Option(help="Intervals of equal width for --by-frequency.", min=1)]
_Highest = Annotated[int | None, typer.Option(help="The highest training frequency shown; 60 in YL99's figure 4.")]
_Bootstrap = Annotated[int, typer.Option(help="Resamples of the documents for confidence intervals.", min=0)]
_Level = Annotated[float, typer.Option(help="The confidence of the intervals.")]
_Seed = Annotated[int, typer.Option(help="The seed of the resamples.", min=0)]

_Population = Annotated[
    Path | None,
    typer.Option(
        help="Predictions for all documents, of which TRUTH labels a sample: estimate the measures over all of them."
    ),
]


def evaluate(
    truth: Truth,
    runs: Runs,
    *,
    predictions: PredictionOptions,
    measure: _Measure = None,
    undefined: Undefined = "zero",
    limit: _Limit = None,
    per_category: _PerCategory = False,
    by_frequency: _ByFrequency = False,
    bands: _Bands = 10,
    highest: _Highest = None,
    bootstrap: _Bootstrap = 0,
    level: _Level = 0.95,
    seed: _Seed = 0,
    population: _Population = None,
    structure: HierarchyOptions,
    form: Form,
) -> None:
    """Measure how well the predictions in some files agree with the truth.

    A file is CSV, JSON Lines or Parquet (columns document,category,score,decision, or document,labels, or one column
    per category), a TREC run or qrels, or a fastText label file; its content decides which. A pair without a score is
    not ranked. Without decisions and without --cut only the ranking is measured.

    With --hierarchy also: labels with their ancestors (hP, hR, hF), extended precision and recall that credit near
    misses (Sun and Lim), lowest-common-ancestor measures, the numbers by depth, and how far wrong decisions are.

    With --population TRUTH may be a file of `rubricate sample`: estimates over all documents, with intervals.

    --json prints one object per run, each on its own line.
    """
    if population is not None:
        from rubricate.cli.output.population_text import print_population

        print_population(truth, runs, population, cut=predictions.cut, level=level, form=form.chosen)
        return
    from rubricate.evaluation.evaluating import evaluate as evaluated

    if by_frequency:
        predictions.need_frequencies()
    tree = structure.read()
    results = [
        evaluated(
            run,
            measures=tuple(measure or ()),
            undefined=cast(Any, undefined),
            limit=limit,
            bands=bands,
            highest=highest,
            bootstrap=bootstrap,
            level=level,
            seed=seed,
            **tree.options,
        )
        for run in predictions.read(truth, runs)
    ]
    tree.warn_outside(results[0].categories)
    for result in results:
        if not result.micro:
            print(f"rubricate: {result.name} has scores but no decisions; --cut makes some", file=sys.stderr)
    if form.chosen == "json":
        typer.echo("\n".join(json.dumps(result.to_dict(), ensure_ascii=False) for result in results))
        return
    flat = [name for name in measure or () if name in results[0].baselines["rejector"]["micro"]]
    shown = _tables(results, flat, per_category=per_category, by_frequency=by_frequency, intervals=bootstrap > 0)
    from rubricate.reports.tables import render

    typer.echo("\n\n".join(render(table, form.chosen) for table in shown))


def _tables(
    results: Sequence[Evaluation],
    extra: Sequence[str],
    *,
    per_category: bool,
    by_frequency: bool,
    intervals: bool,
) -> list[Any]:
    from rubricate.reports import evaluations as tables
    from rubricate.reports.hierarchies import hierarchy_tables

    shown = [tables.summary_table(results, extra=extra)]
    if any(result.ranking for result in results):
        shown.append(tables.ranking_table(results))
    shown += hierarchy_tables(results)
    if per_category:
        shown.append(tables.category_table(results))
    if by_frequency:
        shown.append(tables.frequency_table(results))
    if intervals:
        shown.append(tables.interval_table(results))
    return shown
