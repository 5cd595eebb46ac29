"""All systems resampled together: each draw weighs the documents, the same weights for every system.

Intervals of one system need only its cells; ranks need the systems of one draw to have met the same documents. Cost:
draws × documents per system, in a compiled loop over patterns; systems are dealt to the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rubricate.engines import Engine, one_blas_thread, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.evaluation.measuring import outside_labels, true_labels
from rubricate.measures.counting.tables import canonical
from rubricate.measures.intervals.cells import CountCells
from rubricate.measures.intervals.estimates import cell_interval
from rubricate.measures.intervals.interval import Interval
from rubricate.native.resampling import sum_pattern_weights
from rubricate.types import Floats, Run, Undefined

__all__ = ["document_weights", "joint_draws", "run_cells"]


def run_cells(run: Run) -> CountCells:
    """Return the patterns of a run that has decisions and truth."""
    if run.decisions is None:
        raise InvalidInput(f"run {run.name!r} has scores but no decisions; cut the scores (--cut, or run.cut(0.5))")
    return CountCells.of(true_labels(run), canonical(run.decisions.values), outside_labels(run))


def document_weights(documents: int, *, draws: int, seed: int) -> NDArray[np.uint8]:
    """Return how often each document is drawn in each resample: documents × draws; counts above 255 do not occur."""
    if documents < 1 or draws < 1:
        raise InvalidInput(f"{draws} draws of {documents} documents; give at least one of each")
    rng, weights = np.random.default_rng(seed), np.empty((draws, documents), np.uint8)
    for b in range(draws):
        weights[b] = np.bincount(rng.integers(0, documents, documents), minlength=documents)
    return np.ascontiguousarray(weights.T)


def joint_draws(
    cells: Sequence[CountCells],
    name: str,
    *,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    undefined: Undefined = "zero",
    advance: Callable[[int], None] = lambda steps: None,
    engine: Engine | str = "threads",
) -> tuple[list[Interval], Floats]:
    """Return the interval of a measure for each system, and its values in the same resamples: systems × draws.

    The systems are the tasks of the engine.
    """
    weights = document_weights(cells[0].documents, draws=draws, seed=seed)
    every = []
    for drawn in stream_tasks(partial(_resampled, weights, name, level, undefined), cells, engine=engine):
        every.append(drawn)
        advance(1)
    return [interval for interval, _ in every], np.array([values for _, values in every])


def _resampled(
    weights: NDArray[np.uint8], name: str, level: float, undefined: Undefined, cells: CountCells
) -> tuple[Interval, Floats]:
    """Return the interval of a measure for one system, and its values in all resamples."""
    with one_blas_thread():
        patterns = sum_pattern_weights(cells.codes, weights, len(cells.sizes)).T
        return cell_interval(cells, name, patterns, level=level, undefined=undefined)
