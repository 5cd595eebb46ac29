"""Linear SVMs of the categories below one parent: the same few documents, one machine per category.

Problem: that of `svm_local`, for k categories over the same rows. The rows are copied once, with terms renumbered
0, 1, …, so that all weights are near in memory. Sixteen categories are solved at once in single precision
(`sibling_lanes`); from their β the weights and the duality gaps are computed in double precision, and a category whose
gap is not small enough is finished alone.

Ties and order are those of `sibling_lanes.solve_lanes` and `svm_local.solve_rows`; results do not depend on other
groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.sibling_lanes import BIAS, COSTS, STATES, SiblingLanes, measure_lanes, solve_lanes
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_local import Dual, Search, duality_gap, solve_exactly

__all__ = [
    "Gathered",
    "GroupProblem",
    "GroupWeights",
    "Renumbering",
    "gather_rows",
    "group_scores",
    "solve_group",
]


EMPTY = 1e-200
"""A mean square length up to this is that of rows of zeros."""
FINEST = 1e-5
"""The least relative gap that is asked for in single precision, which is exact to about 1e-6."""
SWEEPS = 60
"""Sweeps of the guess. Most groups need 11 to 16; categories that take longer are finished alone."""


class Renumbering(NamedTuple):
    """Scratch space with −1 for every term, before and after, and one flag per term to keep (empty: all are kept)."""

    place: np.ndarray
    kept: np.ndarray


class Gathered(NamedTuple):
    """Rows with terms renumbered 0, 1, …, and the old number of each new term."""

    rows: Rows
    own: np.ndarray


class GroupProblem(NamedTuple):
    """What the machines of a group learn.

    `labels` is rows × categories, `weights` what each row counts for (above 0), `costs` 2 × categories (of negatives,
    of positives): the cost of a row is the product. `terms` is the number of terms.
    """

    labels: np.ndarray
    weights: np.ndarray
    costs: np.ndarray
    terms: int


class GroupWeights(NamedTuple):
    """The machines of a group: the terms that they have weights for, weights (terms × categories) and biases."""

    own: np.ndarray
    weights: np.ndarray
    bias: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def gather_rows(rows: Rows, chosen: np.ndarray, renumbering: Renumbering) -> Gathered:
    """Copy chosen rows and renumber their terms. Cost: the stored values of the rows."""
    (starts, terms, values), (place, kept) = rows, renumbering
    size = 0
    for r in chosen:
        size += starts[r + 1] - starts[r]
    new_starts, new_terms, new_values = np.zeros(len(chosen) + 1, np.int64), np.empty(size, np.uint32), np.empty(size)
    seen, used, at = np.empty(size, np.int32), 0, 0
    # Terms are numbered in the order in which they are first met, so that near rows have near weights.
    for a in range(len(chosen)):
        for p in range(starts[chosen[a]], starts[chosen[a] + 1]):
            t = terms[p]
            if len(kept) and not kept[t]:
                continue
            if place[t] < 0:
                place[t] = used
                seen[used] = t
                used += 1
            new_terms[at], new_values[at] = place[t], values[p]
            at += 1
        new_starts[a + 1] = at
    # Only the terms that were met are reset: the cost does not depend on the number of all terms.
    for t in seen[:used]:
        place[t] = -1
    return Gathered(Rows(new_starts, new_terms[:at], new_values[:at]), seen[:used].copy())


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _squares(rows: Rows) -> np.ndarray:
    """Return |x_i|² of each row."""
    starts, _, values = rows
    squares = np.zeros(len(starts) - 1)
    for r in range(len(squares)):
        for p in range(starts[r], starts[r + 1]):
            squares[r] += values[p] * values[p]
    return squares


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _lanes(problem: GroupProblem, first: int, squares: np.ndarray, biased: bool) -> SiblingLanes:
    """Return up to sixteen categories from `first` on, with β = 0 and the bias, if any, at the share of each class."""
    labels, weights, costs, _ = problem
    n, k = labels.shape
    bits, state = np.zeros(n, np.uint16), np.zeros((STATES, LANES))
    for c in range(first, min(k, first + LANES)):
        inside, lane = 0, c - first
        for r in range(n):
            inside += labels[r, c]
            bits[r] |= labels[r, c] << lane
        # Between −1, where no row is positive, and 1, where all are; in both cases there is nothing to learn.
        state[BIAS, lane] = 2.0 * inside / max(n, 1) - 1.0
        if 0 < inside < n:
            state[BIAS, lane] *= biased
            state[COSTS, lane], state[COSTS + 1, lane] = costs[0, c], costs[1, c]
    return SiblingLanes(bits, weights, squares, np.zeros((n, LANES)), state)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _guess(rows: Rows, block: SiblingLanes, terms: int, search: Search) -> None:
    """Solve in single precision: β, within its bounds, and the biases change in place.

    Rows are scaled to a mean square length of 1: with x = s x' and β = β' / s², C and λ become C s² and λ s².
    """
    labels, weights, squares, beta, state = block
    scale2 = squares.mean()
    scale2 = scale2 if EMPTY < scale2 < np.inf else 1.0
    scaled = Rows(rows.starts, rows.terms, (rows.values / np.sqrt(scale2)).astype(np.float32))
    single = SiblingLanes(
        labels,
        weights.astype(np.float32),
        (squares / scale2).astype(np.float32),
        np.zeros(beta.shape, np.float32),
        state.astype(np.float32),
    )
    single.state[COSTS : COSTS + 2] *= np.float32(scale2)
    solve_lanes(scaled, single, terms, Search(search.penalty * scale2, search.tol, search.sweeps, search.seed))
    for c in range(LANES):
        b = single.state[BIAS, c]
        state[BIAS, c] = b if np.isfinite(b) else 0.0
        for r in range(len(beta)):
            positive = (labels[r] >> c) & 1
            y, cap = 2.0 * positive - 1, weights[r] * state[COSTS + positive, c]
            # Rounding may pass the bounds, and what is beyond single precision is not a number.
            alpha = y * single.beta[r, c] / scale2
            beta[r, c] = y * min(alpha, cap) if alpha > 0 else 0.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _finish(rows: Rows, block: SiblingLanes, lane: int, w: np.ndarray, search: Search) -> tuple[np.ndarray, float]:
    """Solve one lane in double precision from where it is: (w, relative gap); its bias changes in place."""
    labels, weights, squares, beta, state = block
    y, cap = np.empty(len(labels)), np.empty(len(labels))
    for r in range(len(labels)):
        positive = (labels[r] >> lane) & 1
        y[r], cap[r] = 2.0 * positive - 1, weights[r] * state[COSTS + positive, lane]
    dual = Dual(y, cap, squares, beta[:, lane].copy(), w.copy(), state[BIAS, lane : lane + 1])
    ask, done, gap, primal = search.tol, 0, np.inf, 1.0
    # The solver measures the gap while the rows pass and move: only a measure at rest says whether it is reached.
    while gap > search.tol * primal and done < search.sweeps:
        own = Search(search.penalty, ask, search.sweeps - done, search.seed + done)
        _, primal, more = solve_exactly(rows, dual, own)
        gap, done, ask = duality_gap(rows, dual, search.penalty), done + more, 0.5 * ask
    return dual.w, gap / max(primal, 1e-300)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_group(rows: Rows, problem: GroupProblem, search: Search) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve all categories: weights (terms × categories), biases, and the relative duality gap of each.

    A category that none of the rows has gets the bias −1, one that all have 1, and no weights. Cost: sweeps ×
    stored values for each sixteen categories, and for each category that is finished alone.
    """
    k, terms, squares = problem.labels.shape[1], problem.terms, _squares(rows)
    W, bias, gaps = np.zeros((terms, k)), np.zeros(k), np.zeros(k)
    limits = (max(search.tol, FINEST), min(search.sweeps, SWEEPS))
    for first in range(0, k, LANES):
        # The seed depends on the place in the group alone: other groups change nothing.
        block = _lanes(problem, first, squares, search.penalty < np.inf)
        _guess(rows, block, terms, Search(search.penalty, limits[0], limits[1], search.seed + first))
        w, near = measure_lanes(rows, block, terms, search.penalty)
        for c in range(first, min(k, first + LANES)):
            lane = c - first
            # With a free bias, Σ β = 0 is left to the end. A gap that is not a number is not small enough either.
            if not near[lane] <= search.tol or (search.penalty == 0 and block.state[COSTS, lane] > 0):
                own = Search(search.penalty, search.tol, search.sweeps, search.seed + c)
                w[:, lane], near[lane] = _finish(rows, block, lane, w[:, lane], own)
            bias[c], gaps[c] = block.state[BIAS, lane], near[lane]
        for t in range(terms):
            for c in range(first, min(k, first + LANES)):
                W[t, c] = w[t, c - first]
    return W, bias, gaps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def group_scores(rows: Rows, chosen: np.ndarray, machines: tuple[GroupWeights, np.ndarray]) -> np.ndarray:
    """Return the scores of chosen rows, rows × categories; terms without weights count 0.

    Beside the weights, `machines` has scratch space with −1 for every term, before and after. Cost: terms of the group
    + stored values × categories.
    """
    (starts, terms, values), ((own, weights, bias), place) = rows, machines
    k = len(bias)
    for t in range(len(own)):
        place[own[t]] = t
    scores = np.empty((len(chosen), k))
    for a in range(len(chosen)):
        for c in range(k):
            scores[a, c] = bias[c]
        for p in range(starts[chosen[a]], starts[chosen[a] + 1]):
            t = place[terms[p]]
            if t >= 0:
                for c in range(k):
                    scores[a, c] += values[p] * weights[t, c]
    for t in own:
        place[t] = -1
    return scores
