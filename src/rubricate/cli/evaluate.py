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
from rubricate.cli.options.stores import EngineName
from rubricate.cli.output.progress import progress
from rubricate.cli.output.tables import print_tables

if TYPE_CHECKING:
    from rubricate.evaluation import Evaluation
    from rubricate.evaluation.ranking import Ranking
    from rubricate.reports.tables import Table
    from rubricate.types import Run

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

_By = Annotated[
    str | None,
    typer.Option(help="Rank the systems by a measure: macro_f1, micro_f1, accuracy, weighted_f1, mcc, kappa, …"),
]
_Sort = Annotated[str | None, typer.Option(help="Sort the table of categories by a column, such as f1.")]
_Worst = Annotated[int | None, typer.Option(help="Also the N worst categories of each system.", min=1, metavar="N")]
_Confusion = Annotated[bool, typer.Option("--confusion", help="Also confusion matrices and the top confusions.")]
_Table = Annotated[str | None, typer.Option("--table", help="Print this table alone; an unknown name lists them.")]
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
    by: _By = None,
    sort: _Sort = None,
    worst: _Worst = None,
    confusion: _Confusion = False,
    table: _Table = None,
    population: _Population = None,
    engine: EngineName = "threads",
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

    --by ranks the systems, with intervals of values and ranks, and letters: systems that share one are not
    distinguishable. --csv prints one table, the first or the one of --table.

    --engine dask:ADDRESS measures resamples (--bootstrap, --by) on a cluster, with the same numbers.

    --json prints one object per run, each on its own line.
    """
    if engine != "threads":
        from rubricate.engines import check_engine

        check_engine(engine)
    if population is not None:
        from rubricate.cli.output.population_text import print_population

        print_population(truth, runs, population, cut=predictions.cut, level=level, form=form.chosen)
        return
    from rubricate.evaluation.evaluating import evaluate as evaluated

    if by_frequency:
        predictions.need_frequencies()
    tree = structure.read()
    read = predictions.read(truth, runs)
    options = {"measures": tuple(measure or ()), "undefined": cast(Any, undefined), "limit": limit, "bands": bands}
    options |= {"highest": highest, "bootstrap": bootstrap, "level": level, "seed": seed, **tree.options}
    results = []
    with progress("evaluating", len(read)) as advance:
        for run in read:
            results.append(evaluated(run, engine=engine, **cast(Any, options)))
            advance(1)
    strays = {name for run in read if run.strays is not None for name in run.strays.categories}
    tree.warn_outside([*results[0].categories, *sorted(strays)])
    for result in results:
        if not result.micro:
            print(f"rubricate: {result.name} has scores but no decisions; --cut makes some", file=sys.stderr)
    resampling = {"draws": bootstrap or DRAWS, "level": level, "seed": seed, "engine": engine}
    ranking = _ranked(read, by, undefined=undefined, **cast(Any, resampling))
    if form.chosen == "json":
        typer.echo("\n".join(json.dumps(each, ensure_ascii=False) for each in _objects(results, ranking)))
        return
    flat = [name for name in measure or () if name in results[0].baselines["rejector"]["micro"]]
    shown = _tables(results, flat, per_category=per_category or sort is not None, by_frequency=by_frequency, sort=sort)
    shown |= _judging_tables(results, read, ranking, worst=worst, confusion=confusion)
    if bootstrap:
        from rubricate.reports.evaluations import interval_table

        shown["intervals"] = interval_table(results)
    print_tables(shown, form.chosen, only=table)


DRAWS = 1000
"""Resamples of a ranking where --bootstrap gives no number."""


def _ranked(runs: Sequence[Run], by: str | None, *, undefined: str, **resampling: Any) -> Ranking | None:
    """Rank the runs that have decisions, where that was asked for."""
    decided = [run for run in runs if run.decisions is not None]
    if by is None or not decided:
        return None
    from rubricate.evaluation.ranking import rank_systems

    steps = len(decided) * (len(decided) + 1) // 2
    with progress(f"ranking by {by}", steps) as advance:
        return rank_systems(decided, by=by, undefined=cast(Any, undefined), advance=advance, **resampling)


def _objects(results: Sequence[Evaluation], ranking: Ranking | None) -> list[dict[str, Any]]:
    """Return one object per run; with a ranking each has its line of it."""
    objects = [result.to_dict() for result in results]
    lines = {} if ranking is None else {line["system"]: line for line in ranking.to_dict()["systems"]}
    for each in objects:
        if each["run"] in lines:
            each["rank"] = {"by": ranking.by if ranking else "", **lines[each["run"]]}
    return objects


def _tables(
    results: Sequence[Evaluation],
    extra: Sequence[str],
    *,
    per_category: bool,
    by_frequency: bool,
    sort: str | None,
) -> dict[str, Table]:
    """Return the tables of the evaluations by name."""
    from rubricate.reports import evaluations as tables
    from rubricate.reports.hierarchies import hierarchy_tables
    from rubricate.reports.judged import abstention_table, measure_table, sorted_categories

    shown = {"summary": tables.summary_table(results, extra=extra)}
    if results[0].single_label and any(result.summaries for result in results):
        shown["measures"] = measure_table(results)
    abstained = abstention_table(results)
    if abstained is not None:
        shown["abstentions"] = abstained
    if any(result.ranking for result in results):
        shown["scores"] = tables.ranking_table(results)
    for place, each in enumerate(hierarchy_tables(results), start=1):
        shown[f"hierarchy{place}"] = each
    if per_category:
        categories = tables.category_table(results)
        shown["categories"] = categories if sort is None else sorted_categories(categories, sort)
    if by_frequency:
        shown["frequency"] = tables.frequency_table(results)
    return shown


def _judging_tables(
    results: Sequence[Evaluation], runs: Sequence[Run], ranking: Ranking | None, *, worst: int | None, confusion: bool
) -> dict[str, Table]:
    from rubricate.reports import judged

    shown = {} if ranking is None else {"ranking": judged.rank_table(ranking)}
    if worst is not None:
        shown["worst"] = judged.worst_table(results, worst)
    if confusion:
        single = [run for run, result in zip(runs, results, strict=True) if result.single_label and result.micro]
        for run in single:
            shown["confusion" if len(single) == 1 else f"confusion:{run.name}"] = judged.confusion_table(run)
        shown["confusions"] = judged.top_confusions(runs)
    return shown
