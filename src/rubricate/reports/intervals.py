"""Intervals of the table of systems: those of `evaluate`, of the averages that the table shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from rubricate.evaluation import Evaluation
from rubricate.evaluation.intervals import decision_intervals
from rubricate.types import Run

__all__ = ["with_shown_intervals"]


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
