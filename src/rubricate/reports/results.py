"""The numbers of a report, computed once from its data: evaluations, tests, tests on rare categories."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from rubricate.measures import Evaluation, Interval
from rubricate.measures.evaluation import evaluate
from rubricate.measures.tables import canonical
from rubricate.reports.data import ReportData
from rubricate.reports.evaluation_tables import with_shown_intervals
from rubricate.significance import Comparison, compare
from rubricate.types import Ints, Run, Significance, Sparse

__all__ = ["COLUMNS", "ReportResults", "outcome", "rare_edge", "results_of"]

COLUMNS = {
    "micro-F1": ("micro", "f1", "permutation", "micro_f1"),
    "macro-F1": ("macro", "f1", "permutation", "macro_f1"),
    "recall": ("micro", "recall", "p", "recall"),
    "precision": ("micro", "precision", "p", "precision"),
    "error": ("micro", "error", "p", "error"),
}
"""The columns of the table of systems: average, measure, and the test (with its measure) behind the marks."""

T = TypeVar("T")
TESTS = ("s", "S", "T", "T'", "p", "permutation")
SAMPLES = 1_999
"""The fewest swaps of a permutation test; 200 per pair where that is more, so that Holm leaves room for p = .005."""

RARE = 60
"""Categories with at most this many training documents are rare: the range of figure 4 of yangliu1999."""


@dataclass(frozen=True, eq=False)
class ReportResults:
    """The numbers that the sections of a report show; `comparison` and `by_band` are None for a single system."""

    data: ReportData
    evaluations: tuple[Evaluation, ...]
    comparison: Comparison | None = None
    by_band: Comparison | None = None
    rare: int | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of `make`, called only once per key: for values that several sections need."""
        if key not in self._known:
            self._known[key] = make()
        return cast(T, self._known[key])

    @property
    def runs(self) -> Sequence[Run]:
        """Return the runs, in the order given."""
        return self.data.runs

    @property
    def names(self) -> list[str]:
        """Return the names of the systems."""
        return [run.name for run in self.runs]

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the categories, in the order of the columns."""
        return self.runs[0].categories

    @cached_property
    def truth(self) -> Sparse:
        """Return the true labels."""
        return canonical(self.runs[0].truth)

    @cached_property
    def test_counts(self) -> Ints:
        """Count the test documents of each category."""
        return np.bincount(self.truth.indices, minlength=len(self.categories)).astype(np.int64)

    @property
    def train_counts(self) -> Ints | None:
        """Return the training documents of each category, where a run has them."""
        return next((run.train_counts for run in self.runs if run.train_counts is not None), None)

    @cached_property
    def order(self) -> list[int]:
        """Return the positions of the systems by falling micro-F1."""
        return self.best_first("micro-F1")

    def best_first(self, column: str) -> list[int]:
        """Return the positions of the systems, best first by a column; ties keep their order, undefined come last."""
        turn = 1 if column == "error" else -1
        return sorted(range(len(self.runs)), key=lambda k: np.nan_to_num(turn * self.value(k, column), nan=np.inf))

    def decided(self, system: int) -> Sparse:
        """Return the decisions of a system."""
        run = self.runs[system]
        return canonical(run.decisions.values if run.decisions is not None else self.truth)

    def value(self, system: int, column: str) -> float:
        """Return a number of the table of systems."""
        average, measure, *_ = COLUMNS[column]
        return float(getattr(self.evaluations[system], average)[measure])

    def interval(self, system: int, column: str) -> Interval | None:
        """Return the interval: by the document bootstrap, else (no resamples) Wilson's for proportions, else None."""
        average, measure, *_ = COLUMNS[column]
        intervals = self.evaluations[system].intervals.get(f"{average}.{measure}", ())
        return intervals[0] if intervals else None


def rare_edge(train_counts: Ints, *, least: int = 3) -> int | None:
    """Return the most training documents with which a category counts as rare.

    60 as in yangliu1999, figure 4; the median where fewer than `least` categories would be on one side; None where
    the median does not divide them either. Categories without a training document belong to neither side.

    >>> rare_edge(np.array([1, 5, 9, 70, 80, 900])), rare_edge(np.array([1, 2, 3, 10, 11, 12]))
    (60, 3)
    """
    seen = np.sort(train_counts[train_counts > 0])
    for edge in (RARE, int(np.quantile(seen, 0.5, method="lower")) if len(seen) else 0):
        if least <= int((seen <= edge).sum()) <= len(seen) - least:
            return edge
    return None


def results_of(data: ReportData) -> ReportResults:
    """Evaluate every run and test every pair. Cost: that of `evaluate` and `compare` with `data.resamples`."""
    plain = ReportResults(data, tuple(evaluate(run, undefined=data.undefined, level=data.level) for run in data.runs))
    chosen = [(average, measure) for average, measure, *_ in COLUMNS.values()]
    evaluations = tuple(
        with_shown_intervals(evaluation, data.runs[k], columns=chosen, draws=data.resamples, seed=data.seed)
        for k, evaluation in enumerate(plain.evaluations)
    )
    results = ReportResults(data, evaluations)
    edge = None if results.train_counts is None else rare_edge(results.train_counts)
    if len(data.runs) == 1:
        return ReportResults(data, evaluations, rare=edge)
    return ReportResults(
        data, evaluations, _compared(data, None), _compared(data, _edges(results, edge)) if edge else None, edge
    )


def _edges(results: ReportResults, edge: int) -> list[int]:
    counts = results.train_counts
    return [0, edge, int(counts.max()) if counts is not None else edge + 1]


def _compared(data: ReportData, edges: list[int] | None) -> Comparison:
    tests = TESTS if edges is None else ("S", "permutation:macro_f1")
    pairs = len(data.runs) * (len(data.runs) - 1) // 2
    return compare(
        list(data.runs),
        tests=tests,
        undefined=data.undefined,
        samples=max(SAMPLES, 200 * pairs - 1),
        seed=data.seed,
        by_frequency=edges,
    )


def outcome(
    comparison: Comparison | None, pair: tuple[str, str], test: str, *, measure: str = "", band: str = ""
) -> Significance | None:
    """Return the result of a test on a pair, in either order; the names in the result tell which system is `a`."""
    for result in comparison or ():
        if (
            {result.a, result.b} == set(pair)
            and result.test == test
            and result.band == band
            and measure in ("", result.measure)
        ):
            return result
    return None
