"""Labels that most systems contradict: either hard documents, or mistakes of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.io.predictions import RunOptions, read_runs
from rubricate.io.runs import as_run
from rubricate.labelling import Agreement, Review, agreement, review_order
from rubricate.measures import Evaluation
from rubricate.measures.averages import mean
from rubricate.measures.evaluation_result import evaluate_run
from rubricate.measures.probabilities import (
    Reliability,
    are_probabilities,
    brier,
    calibration_error,
    log_loss,
    reliability,
)
from rubricate.measures.rankings import roc_auc
from rubricate.measures.tables import canonical
from rubricate.reports.tables import CellValue, Table
from rubricate.significance import Comparison, Significance, compare
from rubricate.significance.corrections import CriticalDifference, critical_difference
from rubricate.significance.ranking import Ranking, rank_systems
from rubricate.types import Decisions, Run, Sparse, Undefined

__all__ = ["FEWEST", "Calibration", "Judgement", "agreement_tables", "contradicted_labels", "report", "review_table"]

FEWEST = 3
"""Systems from which on a majority says something."""


def contradicted_labels(runs: Sequence[Run], *, most: int = 20) -> Table:
    """Tabulate the documents where most systems give a label that the truth lacks, the most agreed first.

    A document counts where more than half of the systems give the same label that is not true; documents are ordered
    by how many more systems give it than give the true labels (their mean). Fewer than three systems: no rows.
    """
    columns = ("document", "given", "most systems say", "say so", "agree with the given")
    title, count = "Labels that most systems contradict", len(runs)
    truth = runs[0].truth
    if count < FEWEST or truth is None:
        return Table(columns, [], title)
    true, said = canonical(truth), _votes(runs)
    right = sparse.csr_array(said.multiply(true))
    wrong = sparse.csr_array(said - right)
    wrong.eliminate_zeros()
    label, votes = _best(wrong)
    labels = np.maximum(np.diff(true.indptr), 1)
    agreed = np.asarray(right.sum(axis=1)).ravel() / labels
    chosen = np.flatnonzero(2 * votes > count)
    order = chosen[np.argsort(-(votes - agreed)[chosen], kind="stable")][:most]
    names, ids = runs[0].categories, runs[0].documents
    rows: list[tuple[CellValue, ...]] = [
        (
            str(ids[row]),
            "; ".join(names[c] for c in true.indices[true.indptr[row] : true.indptr[row + 1]]) or "(none)",
            names[label[row]],
            int(votes[row]),
            round(float(agreed[row])),
        )
        for row in order
    ]
    note = f"Documents with a label that the truth lacks but most of the {count} systems give: {len(chosen):,}."
    return Table(columns, rows, title, (note,))


def _votes(runs: Sequence[Run]) -> Sparse:
    """Return how many systems give each document each label."""
    total = sparse.csr_array((len(runs[0].documents), len(runs[0].categories)), dtype=np.float64)
    for run in runs:
        if run.decisions is not None:
            total = sparse.csr_array(total + canonical(run.decisions.values).astype(np.float64))
    return total


def _best(matrix: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """Return the column and the value of the largest entry of each row; 0 and 0 for an empty row."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    first = order[np.unique(rows[order], return_index=True)[1]]
    label, value = np.zeros(matrix.shape[0], np.int64), np.zeros(matrix.shape[0])
    label[rows[first]], value[rows[first]] = matrix.indices[first], matrix.data[first]
    return label, value


CATEGORIES = 20
"""Categories listed, those that are agreed on least first."""


def agreement_tables(judgement: Judgement) -> tuple[Table, Table] | None:
    """Tabulate how far the best systems agree, on label sets and by category; None for one system."""
    found = judgement.agreed
    if found is None:
        return None
    overall: list[tuple[CellValue, ...]] = [
        (name, each.estimate, each.low, each.high) for name, each in found.overall.items()
    ]
    sets = Table(
        ("on label sets", "estimate", "low", "high"),
        overall,
        f"Agreement of the {len(found.annotators)} best systems",
        (f"low and high: {found.level:.0%} intervals over resamples of the documents",),
        digits=4,
    )
    least = sorted(found.categories, key=lambda each: (np.isnan(each.alpha), each.alpha))[:CATEGORIES]
    rows: list[tuple[CellValue, ...]] = [
        (each.category, each.percent, each.kappa, each.alpha, each.ac1, each.low, each.high) for each in least
    ]
    heads = ("category", "percent", "kappa", "alpha", "ac1", "low", "high")
    return sets, Table(heads, rows, "Categories that systems agree on least", ("low and high: of alpha",), digits=4)


def review_table(judgement: Judgement) -> Table | None:
    """Tabulate the decisions of the best system with probabilities that a person should check first."""
    if judgement.review is None:
        return None
    name, found = judgement.review
    rows: list[tuple[CellValue, ...]] = [
        (each.document, each.category, "assigned" if each.decision else "not assigned", each.wrong, each.gain)
        for each in found.decisions
    ]
    heads = ("document", "category", "decision", "probably wrong", "expected gain in micro-F1")
    return Table(heads, rows, f"Decisions of {name} to check first", digits=6)


Advance = Callable[[int], None]
AGREEING, CHECKED = 10, 20
"""Systems whose agreement is measured, best first; decisions to check."""
MOST_RANKED = 60
"""Systems up to which diagrams of mean ranks can be read."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far the probabilities of a system can be trusted."""

    brier: float
    ece: float
    log_loss: float
    auc: float
    curve: Reliability


@dataclass(frozen=True, eq=False)
class Judgement:
    """The systems judged: their ranking, the tests of all pairs, evaluations, calibration. `write` makes the report."""

    title: str
    runs: tuple[Run, ...]
    ranking: Ranking
    comparison: Comparison | None
    evaluations: Mapping[str, Evaluation]
    calibration: Mapping[str, Calibration] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the size and the winner."""
        first = self.ranking.systems[0]
        best = f"{first.system} first by {self.ranking.by} with {first.value:.4f}"
        return f"<report on {len(self.runs)} systems, {len(self.runs[0].documents):,} documents: {best}>"

    def _repr_html_(self) -> str:
        from rubricate.reports.system_tables import rank_table

        return rank_table(self.ranking)._repr_html_()

    @property
    def names(self) -> list[str]:
        """Return the systems, best first."""
        return [system.system for system in self.ranking.systems]

    def results(self, measure: str) -> list[Significance]:
        """Return the corrected tests of all pairs on a measure."""
        every = [*(self.comparison or ()), *self.ranking.results]
        kept = {(r.a, r.b): r for r in every if r.measure == measure}
        return list(kept.values())

    @property
    def tested(self) -> list[str]:
        """Return the measures that all pairs were tested on, that of the ranking first."""
        measures = [self.ranking.by, *dict.fromkeys(result.measure for result in self.comparison or ())]
        return [measure for measure in dict.fromkeys(measures) if self.results(measure)]

    @cached_property
    def differences(self) -> list[CriticalDifference]:
        """Return the critical differences by Nemenyi and by Wilcoxon and Holm; none for one system or for too many."""
        if not 2 <= len(self.runs) <= MOST_RANKED:
            return []
        return [critical_difference(self.runs, way="nemenyi"), critical_difference(self.runs, way="wilcoxon")]

    @cached_property
    def agreed(self) -> Agreement | None:
        """How far the best systems agree; None for one system."""
        by_name = {run.name: run for run in self.runs}
        names = self.names[:AGREEING]
        labels = [decisions for name in names if (decisions := by_name[name].decisions) is not None]
        return agreement(labels, names=names, draws=200, disagreements=0) if len(labels) > 1 else None

    @cached_property
    def review(self) -> tuple[str, Review] | None:
        """The best system with probabilities, and its decisions that a person should check first."""
        name = next((name for name in self.names if name in self.calibration), None)
        if name is None:
            return None
        return name, review_order(next(run for run in self.runs if run.name == name), budget=CHECKED)

    def write(self, folder: str | Path) -> Path:
        """Write `report.html`, `tables/` (CSV and LaTeX) and `figures/` (SVG) into a folder; return the page."""
        from rubricate.reports.judgement_page import write_judgement

        return write_judgement(self, Path(folder))


def report(
    truth: Any,
    runs: Sequence[Any] | Mapping[str, Any],
    path: str | Path | None = None,
    *,
    by: str = "macro_f1",
    cut: float | None = None,
    draws: int = 1000,
    level: float = 0.95,
    adjust: Literal["holm", "bh", "none"] = "holm",
    undefined: Undefined = "zero",
    seed: int = 0,
    title: str = "Judging report",
    reading: RunOptions | None = None,
    advance: Advance = lambda steps: None,
) -> Judgement:
    """Judge anyone's predictions: rank the systems, test all pairs, and write the report if a path is given.

    Parameters
    ----------
    truth : path, Decisions or labels
        The true labels; None where the runs have them.
    runs : sequence of Run or paths, or mapping of names to decisions
        The predictions of each system.
    path : path, optional
        The folder to write to; without it nothing is written.
    by : str
        The measure that ranks: macro_f1, micro_f1, accuracy, weighted_f1, balanced_accuracy, mcc, kappa, …
    cut : float, optional
        Cuts the scores of runs that have some into decisions.
    draws, level, adjust, undefined, seed
        As in `rank_systems`.
    title : str
        The heading of the page.
    reading : mapping, optional
        Options of `read_runs` for paths, such as {"missing": "wrong"}.
    advance : callable
        Is told of each step that is done.
    """
    judged = _runs(truth, runs, reading or {})
    judged = [run.cut(cut) if cut is not None and run.scores is not None else run for run in judged]
    lacking = [run.name for run in judged if run.decisions is None]
    if lacking:
        raise InvalidInput(f"{', '.join(lacking[:5])} has scores but no decisions; give a cut (--cut 0.5, or cut=0.5)")
    options: dict[str, Any] = {"adjust": adjust, "undefined": undefined, "seed": seed, "advance": advance}
    comparison = compare(judged, **options) if len(judged) > 1 else None
    known = [result for result in comparison or () if result.measure == by]
    ranking = rank_systems(judged, by=by, draws=draws, level=level, results=known, **options)
    evaluations, calibrated = {}, {}
    for run in judged:
        evaluations[run.name] = evaluate_run(replace(run, scores=None), undefined=undefined)
        if run.scores is not None and are_probabilities(run.scores):
            calibrated[run.name] = _calibration(run)
        advance(1)
    judgement = Judgement(title, tuple(judged), ranking, comparison, evaluations, calibrated)
    if path is not None:
        judgement.write(path)
    return judgement


def _runs(truth: Any, runs: Sequence[Any] | Mapping[str, Any], reading: RunOptions) -> list[Run]:
    if isinstance(runs, Mapping):
        return [as_run(truth, decisions, name=str(name)) for name, decisions in runs.items()]
    every = list(runs)
    if not every:
        raise InvalidInput("no run to judge; give at least one")
    if all(isinstance(run, Run) for run in every):
        return every
    if not isinstance(truth, (str, Path, Decisions)):
        raise InvalidInput("runs given as files need the truth as a file, or as Decisions; give its path")
    return read_runs(truth, every, **reading)


def _calibration(run: Run) -> Calibration:
    truth, scores = run.truth, run.scores
    if truth is None or scores is None:
        raise InvalidInput(f"run {run.name!r} has no truth or no scores")
    return Calibration(
        brier=mean(brier(scores, truth)),
        ece=float(calibration_error(scores, truth, pooled=True)[0]),
        log_loss=mean(log_loss(scores, truth)),
        auc=mean(np.asarray(roc_auc(scores, truth))),
        curve=reliability(scores, truth),
    )
