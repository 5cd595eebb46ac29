"""`rubricate evaluate`: every measure, for predictions of any system."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.cli.options import Form, Undefined
from rubricate.cli.output import print_tables, progress
from rubricate.cli.prediction_options import PredictionOptions, Runs, Truth
from rubricate.cli.training_options import EngineName, HierarchyOptions, check_engine
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.measures import Evaluation
    from rubricate.reports.tables import Table
    from rubricate.significance.ranking import Ranking
    from rubricate.types import Run

__all__ = ["evaluate"]

_Measure = Annotated[list[str] | None, typer.Option(help="One more measure, such as f_beta:2; may be repeated.")]
_Limit = Annotated[int | None, typer.Option(help="TR: the last rank that 11-point average precision looks at.", min=1)]
_PerCategory = Annotated[bool, typer.Option("--per-category", help="Also print the values of each category.")]
_ByFrequency = Annotated[bool, typer.Option("--by-frequency", help="Also print F1 by training frequency.")]
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
_Worst = Annotated[
    int | None, typer.Option(help="Also print the N worst categories of each system.", min=1, metavar="N")
]
_Confusion = Annotated[bool, typer.Option("--confusion", help="Also print confusion matrices and the top confusions.")]
_Table = Annotated[str | None, typer.Option("--table", help="Print this table alone; an unknown name lists them.")]
_Population = Annotated[
    Path | None,
    typer.Option(
        help="Predictions for all documents, of which TRUTH labels a sample: estimate the measures over all of them."
    ),
]

DRAWS = 1000
"""Resamples of a ranking where --bootstrap gives no number."""


@dataclass(frozen=True)
class _Frequency:
    """F1 by training frequency: whether to print it, and over which intervals."""

    by_frequency: _ByFrequency = False
    bands: _Bands = 10
    highest: _Highest = None


@dataclass(frozen=True)
class _Resampling:
    """How documents are resampled for confidence intervals."""

    bootstrap: _Bootstrap = 0
    level: _Level = 0.95
    seed: _Seed = 0

    def of_ranking(self, engine: str) -> dict[str, Any]:
        """Return the keyword arguments of `rank_systems`."""
        return {"draws": self.bootstrap or DRAWS, "level": self.level, "seed": self.seed, "engine": engine}


@dataclass(frozen=True)
class _Comparing:
    """Tables that rank the systems and show where they fail, and which table is printed alone."""

    by: _By = None
    sort: _Sort = None
    worst: _Worst = None
    confusion: _Confusion = False
    table: _Table = None


@command("evaluate")
def evaluate(
    truth: Truth,
    runs: Runs,
    *,
    predictions: PredictionOptions,
    measure: _Measure = None,
    undefined: Undefined = "zero",
    limit: _Limit = None,
    per_category: _PerCategory = False,
    frequency: _Frequency,
    resampling: _Resampling,
    comparing: _Comparing,
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
    check_engine(engine)
    if population is not None:
        from rubricate.cli.summaries import print_population

        print_population(truth, runs, population, cut=predictions.cut, level=resampling.level, form=form.chosen)
        return
    if frequency.by_frequency:
        predictions.need_frequencies()
    tree = structure.read()
    read = predictions.read(truth, runs)
    options = {"measures": tuple(measure or ()), "undefined": undefined, "limit": limit, "engine": engine}
    options |= {"bands": frequency.bands, "highest": frequency.highest, **asdict(resampling), **tree.options}
    results = _results(read, options)
    unknown_labels = {name for run in read if run.unknown_labels is not None for name in run.unknown_labels.categories}
    tree.warn_outside([*results[0].categories, *sorted(unknown_labels)])
    _say_undecided(results)
    ranking = _ranked(read, comparing.by, undefined=undefined, **resampling.of_ranking(engine))
    if form.chosen == "json":
        typer.echo("\n".join(json.dumps(each, ensure_ascii=False) for each in _objects(results, ranking)))
        return
    flat = [name for name in measure or () if name in results[0].baselines["rejector"]["micro"]]
    by_category, by_frequency = per_category or comparing.sort is not None, frequency.by_frequency
    shown = _tables(results, flat, per_category=by_category, by_frequency=by_frequency, sort=comparing.sort)
    shown |= _judging_tables(results, read, comparing, ranking=ranking, intervals=resampling.bootstrap > 0)
    print_tables(shown, form.chosen, only=comparing.table)


def _results(runs: Sequence[Run], options: dict[str, Any]) -> list[Evaluation]:
    from rubricate.measures.evaluation import evaluate as evaluated

    results = []
    with progress("evaluating", len(runs)) as advance:
        for run in runs:
            results.append(evaluated(run, **options))
            advance(1)
    return results


def _say_undecided(results: Sequence[Evaluation]) -> None:
    for result in results:
        if not result.micro:
            print(f"rubricate: {result.name} has scores but no decisions; --cut makes some", file=sys.stderr)


def _ranked(runs: Sequence[Run], by: str | None, *, undefined: str, **resampling: Any) -> Ranking | None:
    """Rank the runs that have decisions, where that was asked for."""
    decided = [run for run in runs if run.decisions is not None]
    if by is None or not decided:
        return None
    from rubricate.significance.ranking import rank_systems

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
    from rubricate.reports import evaluation_tables as tables
    from rubricate.reports.evaluation_tables import hierarchy_tables
    from rubricate.reports.system_tables import abstention_table, measure_table, sorted_categories

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
    results: Sequence[Evaluation],
    runs: Sequence[Run],
    comparing: _Comparing,
    *,
    ranking: Ranking | None,
    intervals: bool,
) -> dict[str, Table]:
    """Return the tables that compare the systems, by name."""
    from rubricate.reports import system_tables as judged
    from rubricate.reports.evaluation_tables import interval_table

    shown = {} if ranking is None else {"ranking": judged.rank_table(ranking)}
    if comparing.worst is not None:
        shown["worst"] = judged.worst_table(results, comparing.worst)
    if comparing.confusion:
        single = [run for run, result in zip(runs, results, strict=True) if result.single_label and result.micro]
        for run in single:
            shown["confusion" if len(single) == 1 else f"confusion:{run.name}"] = judged.confusion_table(run)
        shown["confusions"] = judged.top_confusions(runs)
    if intervals:
        shown["intervals"] = interval_table(results)
    return shown
