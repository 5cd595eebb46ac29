"""Where a category's ranking can be cut, and the micro-macro search over all categories.

A cut worth trying lies just under a positive: to go on down to the next positive only adds false positives.
So a category has one step for each distinct score of its positives, ascending, and a last step at +inf, "none".
Category c owns `steps[starts[c]:starts[c + 1]]`.

Given  the cells (scores, dense or stored ones with their columns) and the steps.
Return for each step how many cells reach it, and the highest score under it (-inf where there is none).
Cost   one comparison a cell, and log2(steps of the category) more for a cell that reaches the lowest positive.
Ties   equal scores are one step; no cut ever lies inside a tie.
Edges  -inf reaches no step, +inf the last one. Without documents nothing is counted. NaN must not occur.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["balance", "count_dense", "count_stored", "scores_at_cells"]


@numba.njit(cache=True, nogil=True)
def _place(
    value: float, times: int, start: int, stop: int, steps: np.ndarray, counts: np.ndarray, under: np.ndarray
) -> None:
    """Count `times` cells of one value under the highest step that they reach, and raise what lies under the next."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if steps[middle] <= value:
            low = middle + 1
        else:
            high = middle
    if low > start:
        counts[low - 1] += times
    if low < stop and value > under[low]:
        under[low] = value


@numba.njit(cache=True, nogil=True)
def _gather(starts: np.ndarray, counts: np.ndarray) -> None:
    """From the cells between two steps to the cells at or above each."""
    for c in range(len(starts) - 1):
        for j in range(starts[c + 1] - 2, starts[c] - 1, -1):
            counts[j] += counts[j + 1]


@numba.njit(cache=True, nogil=True)
def count_dense(
    values: np.ndarray, starts: np.ndarray, steps: np.ndarray, counts: np.ndarray, under: np.ndarray
) -> None:
    """Fill `counts` (given as 0) and `under` (given as -inf) from documents × categories."""
    documents, categories = values.shape
    for d in range(documents):
        for c in range(categories):
            value, first = values[d, c], starts[c]
            if value < steps[first]:
                if value > under[first]:
                    under[first] = value
            else:
                _place(value, 1, first, starts[c + 1], steps, counts, under)
    _gather(starts, counts)


@numba.njit(cache=True, nogil=True)
def count_stored(
    columns: np.ndarray,
    data: np.ndarray,
    missing: np.ndarray,
    floor: float,
    starts: np.ndarray,
    steps: np.ndarray,
    counts: np.ndarray,
    under: np.ndarray,
) -> None:
    """As `count_dense`, from stored cells; `missing[c]` more cells of category c have the score `floor`."""
    for i in range(len(data)):
        _place(data[i], 1, starts[columns[i]], starts[columns[i] + 1], steps, counts, under)
    for c in range(len(missing)):
        if missing[c] > 0:
            _place(floor, missing[c], starts[c], starts[c + 1], steps, counts, under)
    _gather(starts, counts)


@numba.njit(cache=True, nogil=True)
def scores_at_cells(
    cell_starts: np.ndarray,
    cell_columns: np.ndarray,
    starts: np.ndarray,
    columns: np.ndarray,
    data: np.ndarray,
    floor: float,
) -> np.ndarray:
    """The score at each cell (rows with ascending columns) from stored ones, in one merge; `floor` where none is."""
    found = np.full(len(cell_columns), floor)
    for d in range(len(cell_starts) - 1):
        i, stop = starts[d], starts[d + 1]
        for j in range(cell_starts[d], cell_starts[d + 1]):
            while i < stop and columns[i] < cell_columns[j]:
                i += 1
            if i < stop and columns[i] == cell_columns[j]:
                found[j] = data[i]
    return found


@numba.njit(cache=True, nogil=True)
def _best_step(
    first: int,
    last: int,
    hits: np.ndarray,
    assigned: np.ndarray,
    positives: int,
    allowed: np.ndarray,
    rest: tuple[int, int],
    shares: tuple[float, float],
) -> int:
    """The step from `first` to `last` with the highest shares[0] · micro-F1 + shares[1] · F1; the highest of equals.

    Where no step is allowed, the last.

    `rest` has the hits of all other categories, and their assigned documents plus all positives.
    """
    best, chosen = -1.0, last
    for j in range(last, first - 1, -1):
        if allowed[j]:
            micro = 2.0 * (rest[0] + hits[j]) / max(rest[1] + assigned[j], 1)
            value = shares[0] * micro + shares[1] * (2.0 * hits[j] / max(assigned[j] + positives, 1))
            if value > best:
                best, chosen = value, j
    return chosen


@numba.njit(cache=True, nogil=True)
def balance(
    starts: np.ndarray,
    hits: np.ndarray,
    assigned: np.ndarray,
    positives: np.ndarray,
    allowed: np.ndarray,
    weight: float,
    passes: int,
) -> np.ndarray:
    """The step of each category after coordinate ascent on micro-F1 + weight · macro-F1.

    Starts at each category's best F1, then goes over the categories in order, `passes` times.
    Cost (passes + 1) · steps.
    """
    categories = len(starts) - 1
    chosen = np.empty(categories, np.int64)
    all_positives = positives.sum()
    for c in range(categories):
        first, last = starts[c], starts[c + 1] - 1
        chosen[c] = _best_step(first, last, hits, assigned, positives[c], allowed, (0, 0), (0.0, 1.0))
    all_hits, all_assigned = hits[chosen].sum(), assigned[chosen].sum()
    for _ in range(passes):
        for c in range(categories):
            first, last = starts[c], starts[c + 1] - 1
            all_hits -= hits[chosen[c]]
            all_assigned -= assigned[chosen[c]]
            rest, shares = (all_hits, all_assigned + all_positives), (1.0, weight / categories)
            chosen[c] = _best_step(first, last, hits, assigned, positives[c], allowed, rest, shares)
            all_hits += hits[chosen[c]]
            all_assigned += assigned[chosen[c]]
    return chosen
