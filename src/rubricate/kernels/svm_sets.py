"""The SVMs of many categories on the documents near their margins.

Problem: that of `svm_products` for every category.

Given  the documents, the `Solutions` of all categories and their `CategorySets`, one after the other in the same
       arrays; what to do for which categories.
Return `find_near`    scores of the full solution; the documents near the margin wait to enter
       `start_sets`   those entered, with their β
       `polish_sets`  sweeps until the conditions hold for all documents, and how the free ones take over a β
       `grow_sets`    the documents that wait entered
       `polish_sets` and `grow_sets` say where there is no room for the documents that wait; such categories go on from
       there once they have more.
Cost   of entering: products with the working set. Of the rest: see `svm_products`, and a pass over the documents per
       category and call.
Ties   rows enter in the order of the documents.
Edge   a document whose C is 0 enters only if it has β ≠ 0.

All categories are done in one call: an interpreter that goes from one to the next takes as long as the work on a
category of a hundred documents, and threads wait for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_products import (
    Coded,
    ProductRows,
    set_products,
    set_square,
    sum_products,
    sweep_products,
)
from rubricate.kernels.wrappers import NO_REFERENCES

__all__ = [
    "LANES",
    "AlphaColumns",
    "CategorySets",
    "CategoryView",
    "Solutions",
    "category_of",
    "dual_of",
    "find_near",
    "grow_sets",
    "places_of",
    "polish_sets",
    "side_of",
    "start_sets",
]

LANES = 16
"""Numbers in a block of `row_lanes`."""
OFF = 5
"""Documents outside that violate their margin by so many levels enter the working set of the full solution."""


class AlphaColumns(NamedTuple):
    """The columns of a sparse matrix, one after the other."""

    starts: np.ndarray
    documents: np.ndarray
    values: np.ndarray


class Solutions(NamedTuple):
    """The SVMs of categories (rows of two-dimensional arrays) on all documents (columns).

    `own` are the documents of each category. C of a document is its weight times `costs` (categories × outside, own).
    `penalty` is the λ of ½ λ b², `shift` = 1/λ what Σ β adds to a penalised bias. `full` are the scores with `bias`;
    `answer` what the shares of the free documents add to them, `similarity` their mean product, `free` their number.
    `waiting` documents are to enter the working set. `settled` says whether the conditions hold, `steps` counts those
    that were made, times the documents they were made for.
    """

    own: np.ndarray
    costs: np.ndarray
    weights: np.ndarray
    penalty: float
    shift: float
    bias: np.ndarray
    full: np.ndarray
    answer: np.ndarray
    similarity: np.ndarray
    free: np.ndarray
    waiting: np.ndarray
    settled: np.ndarray
    steps: np.ndarray


class CategorySets(NamedTuple):
    """The documents near the margin of each category: `counts[k]` in `rows` from `starts[k]` on, with β and shares.

    There is room up to `starts[k + 1]`, a multiple of 16. Their products are a square of so many rows in `products`,
    from `blocks[k]` on, with zeros beyond the rows that are there.
    """

    starts: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    beta: np.ndarray
    share: np.ndarray
    blocks: np.ndarray
    products: np.ndarray


class CategoryView(NamedTuple):
    """One category: its documents near the margin, views of their β and shares, and of the products."""

    rows: np.ndarray
    beta: np.ndarray
    share: np.ndarray
    products: Coded


@numba.njit(cache=True, nogil=True, error_model="numpy")
def category_of(documents: ProductRows, sets: CategorySets, k: int) -> CategoryView:
    """Return one category of the sets."""
    start, room = sets.starts[k], sets.starts[k + 1] - sets.starts[k]
    last = start + sets.counts[k]
    square = sets.products[sets.blocks[k] : sets.blocks[k] + room * room].reshape((room, room))
    coded = Coded(square, documents.unit)
    return CategoryView(sets.rows[start:last], sets.beta[start:last], sets.share[start:last], coded)


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def side_of(solutions: Solutions, k: int, document: int) -> tuple[float, float]:
    """Return y and C of a document."""
    own = solutions.own[k, document]
    return (1.0 if own else -1.0), solutions.weights[document] * solutions.costs[k, np.int64(own)]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def places_of(rows: np.ndarray, documents: int) -> np.ndarray:
    """Return the place of each document among the rows, or −1."""
    places = np.full(documents, -1, np.int64)
    for a in range(len(rows)):
        places[rows[a]] = a
    return places


@numba.njit(cache=True, nogil=True, error_model="numpy")
def find_near(
    documents: ProductRows, solutions: Solutions, alpha: AlphaColumns, band: float, first: int, last: int
) -> np.ndarray:
    """Set the scores of some categories; return how many documents of each are near the margin. They wait to enter.

    Near are those with α > 0, and those up to `band` beyond the margin.
    """
    near = np.zeros(last - first, np.int64)
    for k in range(first, last):
        part = slice(alpha.starts[k], alpha.starts[k + 1])
        chosen, beta, waiting = alpha.documents[part], alpha.values[part].copy(), solutions.waiting[k]
        for j in range(len(chosen)):
            y, cap = side_of(solutions, k, chosen[j])
            beta[j] = y * min(beta[j], cap)
            waiting[chosen[j]] = beta[j] != 0
        solutions.full[k] = sum_products(documents, chosen, beta) + solutions.bias[k]
        for d in range(len(waiting)):
            y, cap = side_of(solutions, k, d)
            waiting[d] |= cap > 0 and y * solutions.full[k, d] < 1 + band
            near[k - first] += waiting[d]
    return near


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _grow(documents: ProductRows, solutions: Solutions, sets: CategorySets, k: int) -> bool:
    """Take the documents that wait into a working set; return whether there is room."""
    start, room, n, waiting = sets.starts[k], sets.starts[k + 1] - sets.starts[k], sets.counts[k], solutions.waiting[k]
    for a in range(start, start + n):
        waiting[sets.rows[a]] = False
    m = np.count_nonzero(waiting)
    if n + m > room:
        return False
    end = start + n
    for d in range(len(waiting)):
        if waiting[d]:
            sets.rows[end], sets.beta[end], sets.share[end] = d, 0.0, 0.0
            end += 1
    waiting[:] = False
    sets.counts[k] = n + m
    rows, K = sets.rows[start:end], category_of(documents, sets, k).products.K
    if n == 0:
        set_square(documents, rows, K)
    elif m > 0:
        set_products(documents, rows, rows[n:], K, n)
        for a in range(n):
            for c in range(n, n + m):
                K[c, a] = K[a, c]
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def grow_sets(documents: ProductRows, solutions: Solutions, sets: CategorySets, chosen: np.ndarray) -> np.ndarray:
    """Take the documents that wait into the sets of some categories; return for each whether there was room."""
    grown = np.zeros(len(chosen), np.bool_)
    for place in range(len(chosen)):
        grown[place] = _grow(documents, solutions, sets, chosen[place])
    return grown


@numba.njit(cache=True, nogil=True, error_model="numpy")
def start_sets(
    documents: ProductRows, solutions: Solutions, sets: CategorySets, alpha: AlphaColumns, first: int, last: int
) -> None:
    """Take the documents that wait into empty sets, with their β; there must be room."""
    for k in range(first, last):
        _grow(documents, solutions, sets, k)
        places, start = places_of(category_of(documents, sets, k).rows, len(solutions.weights)), sets.starts[k]
        for j in range(alpha.starts[k], alpha.starts[k + 1]):
            document = alpha.documents[j]
            if places[document] >= 0:
                y, cap = side_of(solutions, k, document)
                sets.beta[start + places[document]] = y * min(alpha.values[j], cap)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def dual_of(documents: ProductRows, solutions: Solutions, own: CategoryView, k: int) -> Dual:
    """Return the SVM of a category on its working set; w is f = Kβ, of a multiple of 16 numbers."""
    n = len(own.rows)
    y, cap, squares = np.empty(n), np.empty(n), np.empty(n)
    f, bias = np.zeros(-(-n // LANES) * LANES, np.float32), np.array([solutions.bias[k]])
    for a in range(n):
        document = own.rows[a]
        y[a], cap[a] = side_of(solutions, k, document)
        squares[a], f[a] = documents.squares[document], solutions.full[k, document] - bias[0]
    return Dual(y, cap, squares, own.beta, f, bias)


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _balance(beta: np.ndarray, cap: np.ndarray) -> None:
    """Make the sum of β zero: what it lacks is spread over the free documents."""
    free, total = 0, 0.0
    for a in range(len(beta)):
        free += beta[a] != 0 and abs(beta[a]) < cap[a]
        total += beta[a]
    for a in range(len(beta)):
        if free > 0 and beta[a] != 0 and abs(beta[a]) < cap[a]:
            beta[a] -= total / free


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _reached(solutions: Solutions, own: CategoryView, k: int, off: float) -> int:
    """Let the documents outside wait that violate their margin by more than `off`; return how many do."""
    waiting, reached = solutions.waiting[k], 0
    for d in range(len(waiting)):
        y, cap = side_of(solutions, k, d)
        waiting[d] = cap > 0 and y * solutions.full[k, d] < 1 - off
    for d in own.rows:
        waiting[d] = False
    for d in range(len(waiting)):
        reached += waiting[d]
    return reached


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _set_shares(documents: ProductRows, solutions: Solutions, own: CategoryView, k: int, cap: np.ndarray) -> None:
    """Set how the free documents take over the β of one that is left out.

    Each takes a share by the room it has, min(α, C − α), so that none is brought to a bound if there is room for
    twice the largest C. Without a bias nobody has to: Σ β may be anything.
    """
    beta, share, total, most, free = own.beta, own.share, 0.0, 0.0, 0
    for a in range(len(beta)):
        share[a] = min(abs(beta[a]), cap[a] - abs(beta[a]))
        total, most = total + share[a], max(most, cap[a])
        free += beta[a] != 0 and abs(beta[a]) < cap[a]
    solutions.free[k] = free
    share /= max(total, 1e-300)
    answer = sum_products(documents, own.rows, share)
    similarity = 0.0
    for a in range(len(beta)):
        similarity += share[a] * answer[own.rows[a]]
    if total <= 0:
        similarity = documents.squares.max()
    solutions.similarity[k] = similarity
    if solutions.penalty == np.inf or total < 2 * most:
        share[:], answer[:] = 0.0, 0.0
    for d in range(len(answer)):
        solutions.answer[k, d] = answer[d]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def polish_sets(
    documents: ProductRows, solutions: Solutions, sets: CategorySets, chosen: np.ndarray, search: Search
) -> np.ndarray:
    """Sweep over the sets of some categories until no document outside violates its margin, then set the shares.

    Return for each whether there was room for all that came to violate it.
    """
    done = np.zeros(len(chosen), np.bool_)
    for place in range(len(chosen)):
        k = chosen[place]
        while _grow(documents, solutions, sets, k):
            own = category_of(documents, sets, k)
            dual = dual_of(documents, solutions, own, k)
            worst, sweeps = sweep_products(own.products, dual, search)
            solutions.steps[k] += sweeps * len(own.rows)
            if search.penalty == 0:
                _balance(own.beta, dual.cap)
            solutions.bias[k] = dual.bias[0] if search.penalty == 0 else own.beta.sum() * solutions.shift
            solutions.full[k] = sum_products(documents, own.rows, own.beta) + solutions.bias[k]
            solutions.settled[k] = worst <= search.tol
            if _reached(solutions, own, k, OFF * search.tol) == 0:
                _set_shares(documents, solutions, own, k, dual.cap)
                done[place] = True
                break
    return done
