"""Where a category's ranking can be cut, and the micro-macro search over all categories.

A cut worth trying lies just under a positive: to go further down, to just above the next positive, only adds false
positives. So a category has one step for each distinct score of its positives, ascending, and a last step at +inf,
"none". Category c owns `values[starts[c]:starts[c + 1]]` of the `CutSteps`.

Given  the cells (scores, dense or stored ones with their columns) and the steps.
Fill   for each step how many cells reach it, and the highest score under it (-inf where there is none).
Cost   one comparison per cell, and log2(steps of the category) more for a cell that reaches the lowest positive.
Ties   equal scores are one step; no cut ever lies inside a tie.
Edges  -inf reaches no step, +inf the last one. Without documents nothing is counted. NaN must not occur.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists, Rows

__all__ = ["CutSteps", "StoredScores", "Tables", "balance", "count_dense", "count_stored", "scores_at_cells"]


class CutSteps(NamedTuple):
    """The steps of all categories; `counts` (given as 0) and `under` (given as -inf) are filled."""

    starts: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    under: np.ndarray


class StoredScores(NamedTuple):
    """Scores with their columns; `missing[c]` more cells of category c have the score `floor`."""

    columns: np.ndarray
    values: np.ndarray
    missing: np.ndarray
    floor: float


class Tables(NamedTuple):
    """What the cut at each step assigns (`assigned`), how much of it is right (`hits`), and whether it is allowed."""

    starts: np.ndarray
    hits: np.ndarray
    assigned: np.ndarray
    positives: np.ndarray
    allowed: np.ndarray


class _Goal(NamedTuple):
    """What a step is judged by: micro · micro-F1 + macro · F1.

    `hits` are those of all other categories, `total` is their assigned documents plus the positives of all categories:
    with them the micro-F1 of a step is 2(hits + its hits) / (total + its assigned).
    """

    hits: int
    total: int
    micro: float
    macro: float


@numba.njit(cache=True, nogil=True)
def _first_above(values: np.ndarray, stretch: tuple[int, int], value: float) -> int:
    """Return the first place of an ascending stretch that lies above the value; its end where none does."""
    low, high = stretch
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@numba.njit(cache=True, nogil=True)
def _accumulate(steps: CutSteps) -> None:
    """Turn the cells between two steps into the cells at or above each."""
    starts, counts = steps.starts, steps.counts
    for c in range(len(starts) - 1):
        for j in range(starts[c + 1] - 2, starts[c] - 1, -1):
            counts[j] += counts[j + 1]


@numba.njit(cache=True, nogil=True)
def count_dense(scores: np.ndarray, steps: CutSteps) -> None:
    """Fill the steps from documents × categories."""
    starts, values, counts, under = steps
    documents, categories = scores.shape
    for d in range(documents):
        for c in range(categories):
            value, first, stop = scores[d, c], starts[c], starts[c + 1]
            above = first
            # Most cells score less than the lowest positive: for them one comparison is all.
            if value >= values[first]:
                above = _first_above(values, (first, stop), value)
                counts[above - 1] += 1
            if above < stop and value > under[above]:
                under[above] = value
    _accumulate(steps)


@numba.njit(cache=True, nogil=True)
def count_stored(scores: StoredScores, steps: CutSteps) -> None:
    """Fill the steps from stored scores and the floor of the others."""
    starts, values, counts, under = steps
    stored, categories = len(scores.values), len(scores.missing)
    # All cells of a category that are not stored have one score: they follow the stored ones, counted together.
    for i in range(stored + categories):
        c = scores.columns[i] if i < stored else i - stored
        value = scores.values[i] if i < stored else scores.floor
        times = 1 if i < stored else scores.missing[c]
        if times == 0:
            continue
        first, stop = starts[c], starts[c + 1]
        above = _first_above(values, (first, stop), value)
        if above > first:
            counts[above - 1] += times
        if above < stop and value > under[above]:
            under[above] = value
    _accumulate(steps)


@numba.njit(cache=True, nogil=True)
def scores_at_cells(cells: Lists, scores: Rows, floor: float) -> np.ndarray:
    """Return the score at each cell, `floor` where none is stored, by one merge of rows with ascending columns."""
    at_cells = np.full(len(cells.items), floor)
    for d in range(len(cells.starts) - 1):
        i, stop = scores.starts[d], scores.starts[d + 1]
        for j in range(cells.starts[d], cells.starts[d + 1]):
            while i < stop and scores.terms[i] < cells.items[j]:
                i += 1
            if i < stop and scores.terms[i] == cells.items[j]:
                at_cells[j] = scores.values[i]
    return at_cells


@numba.njit(cache=True, nogil=True)
def _best_step(tables: Tables, c: int, goal: _Goal) -> int:
    """Return the step of a category that does best by the goal, the highest of equals; the last if none is allowed."""
    first, last = tables.starts[c], tables.starts[c + 1] - 1
    best, chosen = -1.0, last
    # From the last step down with a strict comparison: of equals the one that assigns fewest documents wins.
    for j in range(last, first - 1, -1):
        if tables.allowed[j]:
            hits, assigned = tables.hits[j], tables.assigned[j]
            micro = 2.0 * (goal.hits + hits) / max(goal.total + assigned, 1)
            value = goal.micro * micro + goal.macro * (2.0 * hits / max(assigned + tables.positives[c], 1))
            if value > best:
                best, chosen = value, j
    return chosen


@numba.njit(cache=True, nogil=True)
def balance(tables: Tables, weight: float, passes: int) -> np.ndarray:
    """Return the step of each category after coordinate ascent on micro-F1 + weight · macro-F1.

    Starts at each category's best F1, then goes over the categories in order, `passes` times.
    Cost: (passes + 1) · steps.
    """
    categories = len(tables.starts) - 1
    chosen = np.empty(categories, np.int64)
    all_positives = tables.positives.sum()
    for c in range(categories):
        chosen[c] = _best_step(tables, c, _Goal(0, 0, 0.0, 1.0))
    all_hits, all_assigned = tables.hits[chosen].sum(), tables.assigned[chosen].sum()
    for _ in range(passes):
        for c in range(categories):
            # Micro-F1 depends on a category only through these two sums, so a step is judged in constant time.
            all_hits -= tables.hits[chosen[c]]
            all_assigned -= tables.assigned[chosen[c]]
            chosen[c] = _best_step(tables, c, _Goal(all_hits, all_assigned + all_positives, 1.0, weight / categories))
            all_hits += tables.hits[chosen[c]]
            all_assigned += tables.assigned[chosen[c]]
    return chosen
