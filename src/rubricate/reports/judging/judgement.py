"""`rubricate.report`: everything that a report on anyone's predictions shows, computed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.evaluation import Evaluation
from rubricate.evaluation.measuring import evaluate_run
from rubricate.evaluation.ranking import Ranking, rank_systems
from rubricate.files.predictions.reading import RunOptions, read_runs
from rubricate.files.predictions.runs import as_run
from rubricate.labelling import Agreement, Review, agreement, review_order
from rubricate.measures.brier import brier
from rubricate.measures.calibration_error import calibration_error
from rubricate.measures.counting.averages import mean
from rubricate.measures.log_loss import log_loss
from rubricate.measures.rankings.probabilities import Reliability, are_probabilities, reliability
from rubricate.measures.roc_auc import roc_auc
from rubricate.significance import Comparison, Significance, compare
from rubricate.significance.comparing.critical_difference import CriticalDifference, critical_difference
from rubricate.types import Decisions, Run, Undefined

__all__ = ["Calibration", "Judgement", "report"]

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
        from rubricate.reports.judged import rank_table

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
        from rubricate.reports.judging.writing import write_judgement

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
