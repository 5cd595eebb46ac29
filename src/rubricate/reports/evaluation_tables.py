"""Intervals of the table of systems: those of `evaluate`, of the averages that the table shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures import Evaluation, HierarchyEvaluation
from rubricate.measures.evaluation_intervals import decision_intervals
from rubricate.measures.evaluation_result import COLUMNS
from rubricate.reports.tables import CellValue, Table
from rubricate.types import Ints, Run, Sparse

__all__ = [
    "Confusions",
    "category_table",
    "confusions",
    "depth_table",
    "distance_table",
    "frequency_table",
    "hierarchy_table",
    "hierarchy_tables",
    "interval_table",
    "ranking_table",
    "summary_table",
    "with_shown_intervals",
]


def with_shown_intervals(
    result: Evaluation, run: Run, *, columns: Sequence[tuple[str, str]], draws: int, seed: int = 0
) -> Evaluation:
    """Return the evaluation with the resampled intervals of these (average, measure) pairs in place of its own.

    They equal those of `evaluate(…, bootstrap=draws)`; rankings and hierarchies, which the table does not show, are not
    resampled.
    """
    if draws < 1 or not result.documents:
        return result
    level = next((interval.level for intervals in result.intervals.values() for interval in intervals), 0.95)
    every = decision_intervals(result, run, draws=draws, level=level, seed=seed)
    shown = {f"{way}.{name}": (every[f"{way}.{name}"],) for way, name in columns}
    return dataclasses.replace(result, intervals={**result.intervals, **shown})


@dataclass(frozen=True, eq=False)
class Confusions:
    """Entry (c, g) of `pairs`: documents where c was missed and g wrongly given.

    `missed[c]` are the documents where c was missed, `alone[c]` those of them where nothing was wrongly given;
    `given[g]` the documents where g was wrongly given, `extra[g]` those of them where nothing was missed.
    """

    pairs: Sparse
    missed: Ints
    alone: Ints
    given: Ints
    extra: Ints

    def top(self, limit: int) -> list[tuple[int, int, int]]:
        """Return (missed, given, documents), most documents first; ties put the lower categories first."""
        whole = self.pairs.tocoo()
        best = np.lexsort((whole.col, whole.row, -whole.data))[:limit]
        return [(int(whole.row[k]), int(whole.col[k]), int(whole.data[k])) for k in best]


def confusions(truth: Sparse, decided: Sparse) -> Confusions:
    """Count the confusions. For single-label data `pairs` is the confusion matrix without its diagonal.

    A document with two missed and two wrongly given categories counts in four pairs: nobody knows which replaced
    which. Cost: missed × wrongly given categories, summed over the documents.

    >>> from rubricate.labels import indicator
    >>> pairs = confusions(indicator([[1, 0], [1, 0]]), indicator([[0, 1], [0, 0]]))
    >>> pairs.top(1), pairs.missed.tolist(), pairs.alone.tolist()
    ([(0, 1, 1)], [2, 0], [1, 0])
    """
    both = truth.multiply(decided)
    missed, given = (sparse.csr_array((part > both).astype(np.int64)) for part in (truth, decided))
    pairs = sparse.csr_array(missed.T @ given)
    pairs.eliminate_zeros()
    pairs.sort_indices()
    lone_missed, lone_given = (
        _per_category(own, np.diff(other.indptr) == 0) for own, other in ((missed, given), (given, missed))
    )
    return Confusions(pairs, _per_category(missed, None), lone_missed, _per_category(given, None), lone_given)


def _per_category(matrix: Sparse, rows: np.ndarray | None) -> Ints:
    kept = matrix if rows is None else matrix[np.flatnonzero(rows)]
    return np.bincount(kept.indices, minlength=matrix.shape[1]).astype(np.int64)


_WORDS = {
    "ancestors": "labels with their ancestors",
    "lca": "labels with the paths to lowest common ancestors",
    "distance": "extended, by distance",
    "similarity": "extended, by similarity",
}
_COLUMNS = {"precision": "P", "recall": "R", "f1": "F1", "accuracy": "accuracy", "error": "error"}


def hierarchy_tables(results: Sequence[Evaluation]) -> list[Table]:
    """Return all three tables of the systems that were measured with a hierarchy; none without such a system."""
    if not any(evaluation.hierarchy for evaluation in results):
        return []
    return [hierarchy_table(results), depth_table(results), distance_table(results)]


def _known(results: Sequence[Evaluation]) -> list[tuple[str, HierarchyEvaluation]]:
    return [(evaluation.name, evaluation.hierarchy) for evaluation in results if evaluation.hierarchy is not None]


def hierarchy_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate micro- and macro-averages, one row per system and kind of measure: P, R, F1, accuracy, error."""
    columns = dict(_COLUMNS)
    columns |= {name: name for _, measured in _known(results) for name in measured.micro["distance"] if ":" in name}
    rows: list[tuple[CellValue, ...]] = []
    for name, measured in _known(results):
        for kind in sorted(measured.micro, key=list(_WORDS).index):
            for how, averages in (("micro", measured.micro[kind]), ("macro", measured.macro[kind])):
                by_part = {_part(measure): value for measure, value in averages.items()}
                rows.append((name, _WORDS[kind], how, *(by_part.get(part) for part in columns)))
    first = _known(results)[0][1]
    notes = [
        "Ancestors and paths: micro sums over documents (hP, hR, hF), macro is the mean over them; "
        "extended: micro and macro over categories.",
    ]
    if first.outside:
        notes.append(f"Categories outside the hierarchy, which contribute nothing: {len(first.outside)}.")
    heads = ("system", "measures of", "average", *columns.values())
    return Table(heads, rows, title="With the hierarchy", notes=notes, signature=first.signature)


def _part(measure: str) -> str:
    """Return `f1` for `extended_f1`; a measure with a β stays whole."""
    return measure.rpartition("_")[2] if ":" not in measure else measure


def depth_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate one row per system and depth."""
    rows: list[tuple[CellValue, ...]] = [
        (
            name,
            "outside" if level.depth is None else level.depth,
            level.categories,
            level.tp,
            level.fp,
            level.fn,
            level.precision,
            level.recall,
            level.f1,
            level.macro_f1,
            level.path_f1,
        )
        for name, measured in _known(results)
        for level in measured.levels
    ]
    columns = ("system", "depth", "categories", "TP", "FP", "FN", "miP", "miR", "miF1", "maF1", "hF")
    notes = ["Depth: links from the root. hF: of the nodes at that depth that are a label or above one."]
    return Table(columns, rows, title="By depth", notes=notes)


def distance_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate one row per system and direction, one column per distance."""
    known = _known(results)
    most = max((len(part) for _, measured in known for part in (measured.far.assigned, measured.far.missed)), default=0)
    rows: list[tuple[CellValue, ...]] = []
    for name, measured in known:
        for sort, part, alone in (
            ("wrongly given", measured.far.assigned, measured.far.assigned_alone),
            ("missed", measured.far.missed, measured.far.missed_alone),
        ):
            rows.append((name, sort, *(part[k] if k < len(part) else 0 for k in range(1, most)), alone))
    columns = ("system", "labels", *(f"{k} link{'s' * (k > 1)}" for k in range(1, most)), "nothing near")
    notes = ["Links to the nearest right label (of missed ones: to the nearest label given)."]
    return Table(columns, rows, title="How far off wrong decisions are", notes=notes)


RANKING = {
    "11pt": ("eleven_point",),
    "AP": ("average_precision",),
    "R-prec": ("r_precision",),
    "coverage": ("coverage_error",),
    "rank loss": ("ranking_loss",),
    "AP by category": ("by_category", "average_precision"),
    "AUC": ("by_category", "roc_auc"),
    "miBEP": ("break_even", "micro"),
    "maBEP": ("break_even", "macro"),
    "opt miF1": ("optimal_f1", "micro"),
    "opt maF1": ("optimal_f1", "macro"),
}
"""The columns of the ranking table, and the place of each number in `Evaluation.ranking`."""


def _at(parts: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = parts
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _named(parts: Mapping[str, Any], name: str) -> Any:
    """Return the value under a dotted name; a key may hold a dot itself, as `f_beta:0.5` does."""
    if name in parts:
        return parts[name]
    step, _, rest = name.partition(".")
    inside = parts.get(step)
    return _named(inside, rest) if isinstance(inside, Mapping) else None


def summary_table(results: Sequence[Evaluation], *, extra: Sequence[str] = ()) -> Table:
    """Tabulate miR miP miF1 maF1 error of each run and of the trivial rejector and acceptor; `extra` as mi and ma."""
    columns = dict(COLUMNS)
    for name in extra:
        columns |= {f"mi {name}": ("micro", name), f"ma {name}": ("macro", name)}
    if results[0].single_label:
        columns |= {"accuracy": ("summaries", "accuracy")}
    averages = [
        (
            evaluation.name,
            {"micro": evaluation.micro, "macro": evaluation.macro, "summaries": evaluation.summaries},
        )
        for evaluation in results
        if evaluation.micro
    ]
    averages += [(name, _baseline(results[0], name)) for name in results[0].shown_baselines]
    rows = [(name, *(_at(averages_of_run, path) for path in columns.values())) for name, averages_of_run in averages]
    return Table(("system", *columns), rows, notes=_notes(results), signature=_signature(results))


def _baseline(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """Return the averages of a baseline; one answer per document makes its accuracy its recall."""
    averages = evaluation.baselines[name]
    return {**averages, "summaries": {"accuracy": averages["micro"]["recall"]}}


def _notes(results: Sequence[Evaluation]) -> list[str]:
    """Describe what was measured, with the signature of each run where they differ."""
    first = results[0]
    signatures = [] if _signature(results) else [f"{run.name}: {run.signature}" for run in results]
    return [
        f"{first.documents} documents, {len(first.categories)} categories, 0/0 counts as {first.convention}",
        *signatures,
    ]


def _signature(results: Sequence[Evaluation]) -> str:
    """Return the signature of the runs where they share one, else an empty text."""
    signatures = {str(evaluation.signature) for evaluation in results}
    return signatures.pop() if len(signatures) == 1 else ""


def ranking_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate the measures of the scores, one row per run with scores; Brier and ECE where they are probabilities."""
    scored = [evaluation for evaluation in results if evaluation.ranking]
    calibrated = ("log_loss", "brier", "ece") if any(evaluation.probability for evaluation in scored) else ()
    rows = [
        (
            evaluation.name,
            *(_at(evaluation.ranking, path) for path in RANKING.values()),
            *(evaluation.probability.get(name) for name in calibrated),
        )
        for evaluation in scored
    ]
    flagged = [
        evaluation.name for evaluation in scored if _at(evaluation.ranking, ("break_even", "micro_interpolated"))
    ]
    notes = [f"miBEP of {', '.join(flagged)} is interpolated"] if flagged else []
    notes.append("miBEP and opt miF1: one global threshold; the others but 'by category' and ma: means over documents")
    return Table(("system", *RANKING, *calibrated), rows, title="Ranking", notes=notes)


def category_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate every value of every category, one row per run and category."""
    columns = list(dict.fromkeys(name for evaluation in results for name in evaluation.per_category))
    rows: list[tuple[CellValue, ...]] = []
    for evaluation in results:
        values = [
            evaluation.per_category[name].tolist() if name in evaluation.per_category else None for name in columns
        ]
        for i, category in enumerate(evaluation.categories):
            rows.append((evaluation.name, category, *(None if column is None else column[i] for column in values)))
    return Table(("system", "category", *columns), rows, title="Per category")


def frequency_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate the mean F1 of the categories in each interval of training frequency, one column per run."""
    banded = [evaluation for evaluation in results if evaluation.by_frequency]
    bands = banded[0].by_frequency if banded else ()
    rows = [
        (band.low, band.high, band.categories, *(evaluation.by_frequency[i].value for evaluation in banded))
        for i, band in enumerate(bands)
    ]
    names = [evaluation.name for evaluation in banded]
    return Table(("from", "to", "categories", *names), rows, title="F1 by training documents of the category")


def interval_table(results: Sequence[Evaluation]) -> Table:
    """Tabulate every interval: the measure, its value, low, high, the method."""
    rows: list[tuple[CellValue, ...]] = []
    for evaluation in results:
        for name, intervals in evaluation.intervals.items():
            where, _, rest = name.partition(".")
            parts = getattr(evaluation, where)
            value = _named(parts if isinstance(parts, Mapping) else parts.to_dict(), rest)
            rows += [
                (evaluation.name, name, value, interval.low, interval.high, interval.method) for interval in intervals
            ]
    level = next(
        (
            interval.level
            for evaluation in results
            for intervals in evaluation.intervals.values()
            for interval in intervals
        ),
        0.95,
    )
    return Table(
        ("system", "measure", "value", "low", "high", "method"), rows, title=f"Intervals of {level:.0%} confidence"
    )
