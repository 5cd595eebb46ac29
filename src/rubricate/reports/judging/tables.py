"""The tables of a judgement: every measure of every system, categories, tests."""

from __future__ import annotations

import numpy as np

from rubricate.reports.cells import CellValue
from rubricate.reports.evaluations import category_table
from rubricate.reports.judged import confusion_table, rank_table, significance_matrix, top_confusions, worst_table
from rubricate.reports.judging.consensus import contradicted_labels
from rubricate.reports.judging.few_labels import agreement_tables, review_table
from rubricate.reports.judging.judgement import Judgement
from rubricate.reports.tables import Table

__all__ = ["category_extremes", "judging_tables", "measures_of_systems"]

CONFUSED = 5
"""Systems whose confusion matrix is written."""


def measures_of_systems(judgement: Judgement) -> Table:
    """Tabulate the averages of each system, best first, and those of the trivial systems."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    names = list(dict.fromkeys(name for each in whole for name in each.summaries))
    columns = [(f"{way} {name}", way, name) for way in ("micro", "macro") for name in ("precision", "recall", "f1")]
    examples = [("example F1", "examples", "example_f1")]
    rows: list[tuple[CellValue, ...]] = []
    for each in whole:
        averages = [float(getattr(each, part)[name]) for _, part, name in (*columns, *examples)]
        rows.append((each.name, *averages, *(each.summaries.get(name) for name in names)))
    for name in whole[0].shown_baselines:
        parts = whole[0].baselines[name]
        rows.append((f"({name})", *(parts[way][measure] for _, way, measure in columns), *[None] * (1 + len(names))))
    heads = ("system", *(head for head, *_ in (*columns, *examples)), *names)
    return Table(heads, rows, title="Averages", digits=4)


def category_extremes(judgement: Judgement) -> Table:
    """Tabulate each category, hardest first: true documents, mean and best F1, and the system that has it."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    f1 = np.array([np.asarray(each.per_category["f1"], np.float64) for each in whole])
    counts = whole[0].counts
    true = np.zeros(f1.shape[1], np.int64) if counts is None else counts.tp + counts.fn
    middle = np.nanmedian(f1, axis=0)
    rows: list[tuple[CellValue, ...]] = [
        (
            whole[0].categories[c],
            int(true[c]),
            float(middle[c]),
            float(np.nanmax(f1[:, c])),
            judgement.names[int(np.nanargmax(np.nan_to_num(f1[:, c], nan=-1.0)))],
        )
        for c in np.argsort(middle, kind="stable")
    ]
    return Table(("category", "true", "median F1", "best F1", "best system"), rows, title="Categories, hardest first")


def judging_tables(judgement: Judgement) -> dict[str, Table]:
    """Return every table by the stem of its file."""
    whole = [judgement.evaluations[name] for name in judgement.names]
    by_name = {run.name: run for run in judgement.runs}
    tables = {
        "ranking": rank_table(judgement.ranking),
        "measures": measures_of_systems(judgement),
        "categories": category_extremes(judgement),
        "per_category": category_table(whole),
        "worst": worst_table(whole, 10),
        "confusions": top_confusions([by_name[name] for name in judgement.names]),
    }
    contradicted = contradicted_labels(judgement.runs, most=500)
    if contradicted.rows:
        tables["contradicted"] = contradicted
    agreed, review = agreement_tables(judgement), review_table(judgement)
    if agreed is not None:
        tables["agreement"], tables["agreement_by_category"] = agreed
    if review is not None:
        tables["review"] = review
    for measure in judgement.tested:
        results = judgement.results(measure)
        tables[f"significance_{measure}"] = significance_matrix(judgement.names, results, measure=measure)
    if judgement.comparison is not None:
        grid = judgement.comparison.details()
        tables["tests"] = Table(grid.columns, grid.rows, "Tests of all pairs")
    for name in judgement.names[:CONFUSED]:
        if judgement.evaluations[name].single_label:
            tables[f"confusion_{_stem(name)}"] = confusion_table(by_name[name])
    return tables


def _stem(name: str) -> str:
    """Return a name that is safe in a file name."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)[:60]
