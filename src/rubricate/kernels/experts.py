"""Sleeping experts: learn from documents one by one, and score them.

Problem  each pair of phrase and category may have an expert with two weights, for and against. On a document, the
         experts of its phrases are awake; with F and A the sums of their weights for and against a category,
             score = F / (F + A)                                       0 where no expert is awake
         Then those that were wrong lose, and the sum of all that are awake is restored (freund1997, section 4):
             the document is in the category      against · β, all · (F + A) / (F + βA)
             it is not                            for · β,     all · (F + A) / (βF + A)
         A document of weight s has β^s in place of β.
Pool     a document of a category makes an expert, before the update, of each of its phrases that has none there: with
         weights β^n for, n the documents with the phrase so far, as if it had been awake and wrong on each; 1 against.
         The experts of a phrase lie in a block (`first`, `length`, `room`); a full block moves to the end with twice
         the room. `size` holds how many places are taken.
Given    documents by row (`starts`, `terms`: distinct phrases), their categories by row, their weights; the pool.
Return   the pool, its block arrays grown; the scores before each update where `scores` has rows.
Cost     two visits of the experts of the document's phrases. Weights stay above 1e-300, so that none is lost for ever.
Edges    a document of weight 0 is scored, not learned.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["Pool", "compact_pool", "empty_pool", "learn_experts", "score_experts"]

Pool = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""seen, first, length, room (one a phrase); category, favour, against (one an expert); size."""
TINY = 1e-300
ROOM = 2
"""Places of a new block."""


def empty_pool(width: int) -> Pool:
    """No experts for so many phrases."""
    zeros = [np.zeros(width, np.int64) for _ in range(3)]
    weights = [np.zeros(16) for _ in range(2)]
    return np.zeros(width), *zeros, np.zeros(16, np.int32), *weights, np.zeros(1, np.int64)  # type: ignore[return-value]


@numba.njit(cache=True, nogil=True)
def _with_room(pool: Pool, places: int) -> Pool:
    """The pool with room for so many more at its end."""
    seen, first, length, room, category, favour, against, size = pool
    if size[0] + places <= len(category):
        return pool
    more = max(2 * len(category), size[0] + places)
    new_category, new_favour, new_against = np.zeros(more, np.int32), np.zeros(more), np.zeros(more)
    new_category[: size[0]] = category[: size[0]]
    new_favour[: size[0]], new_against[: size[0]] = favour[: size[0]], against[: size[0]]
    return seen, first, length, room, new_category, new_favour, new_against, size


@numba.njit(cache=True, nogil=True)
def _add(pool: Pool, w: int, c: int, weight: float) -> Pool:
    """An expert for phrase w and category c."""
    if pool[2][w] == pool[3][w]:
        places = max(ROOM, 2 * pool[3][w])
        pool = _with_room(pool, places)
        _, first, length, room, category, favour, against, size = pool
        old, new = first[w], size[0]
        for i in range(length[w]):
            category[new + i], favour[new + i], against[new + i] = category[old + i], favour[old + i], against[old + i]
        first[w], room[w] = new, places
        size[0] += places
    _, first, length, _, category, favour, against, _ = pool
    at = first[w] + length[w]
    category[at], favour[at], against[at] = c, max(weight, TINY), 1.0
    length[w] += 1
    return pool


@numba.njit(cache=True, nogil=True)
def _sum(held: np.ndarray, pool: Pool, sums: np.ndarray, awake: np.ndarray, touched: np.ndarray) -> int:
    """F and A of each category with an expert awake; how many those are, and which."""
    _, first, length, _, category, favour, against, _ = pool
    count = 0
    for w in held:
        for i in range(first[w], first[w] + length[w]):
            c = category[i]
            if not awake[c]:
                awake[c], touched[count] = True, c
                count += 1
            sums[c, 0] += favour[i]
            sums[c, 1] += against[i]
    return count


@numba.njit(cache=True, nogil=True)
def _enlist(held: np.ndarray, own: np.ndarray, beta: float, pool: Pool, sums: np.ndarray, last: np.ndarray) -> Pool:
    """Make the experts that the document's categories lack, and add them to the sums."""
    for w in held:
        for i in range(pool[1][w], pool[1][w] + pool[2][w]):
            last[pool[4][i]] = w
        weight = beta ** pool[0][w]
        for c in own:
            if last[c] != w:
                pool = _add(pool, w, c, weight)
                sums[c, 0] += max(weight, TINY)
                sums[c, 1] += 1.0
    last[:] = -1
    return pool


@numba.njit(cache=True, nogil=True)
def _weigh(awake: np.ndarray, own: np.ndarray, loss: float, sums: np.ndarray, factors: np.ndarray) -> None:
    """What the weights for and against each category are multiplied by; `own` are those of the document."""
    for c in awake:
        F, A = sums[c]
        factors[c, 0], factors[c, 1] = loss * (F + A) / (loss * F + A), (F + A) / (loss * F + A)
    for c in own:
        F, A = sums[c]
        if F + A > 0.0:
            factors[c, 0], factors[c, 1] = (F + A) / (F + loss * A), loss * (F + A) / (F + loss * A)


@numba.njit(cache=True, nogil=True)
def _update(held: np.ndarray, pool: Pool, factors: np.ndarray) -> None:
    _, first, length, _, category, favour, against, _ = pool
    for w in held:
        for i in range(first[w], first[w] + length[w]):
            c = category[i]
            favour[i] = max(favour[i] * factors[c, 0], TINY)
            against[i] = max(against[i] * factors[c, 1], TINY)


@numba.njit(cache=True, nogil=True)
def learn_experts(
    starts: np.ndarray,
    terms: np.ndarray,
    label_starts: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    beta: float,
    categories: int,
    pool: Pool,
    scores: np.ndarray,
) -> Pool:
    """Learn the documents in their order; fill in `scores`, or leave them out where it has no rows."""
    sums, factors = np.zeros((categories, 2)), np.ones((categories, 2))
    awake, touched = np.zeros(categories, np.bool_), np.empty(categories, np.int64)
    last = np.full(categories, -1, np.int64)
    for d in range(len(starts) - 1):
        held, own = terms[starts[d] : starts[d + 1]], labels[label_starts[d] : label_starts[d + 1]]
        count = _sum(held, pool, sums, awake, touched)
        if len(scores) > 0:
            for c in touched[:count]:
                scores[d, c] = sums[c, 0] / (sums[c, 0] + sums[c, 1])
        if weights[d] > 0.0:
            if len(own) > 0:
                pool = _enlist(held, own, beta, pool, sums, last)
            _weigh(touched[:count], own, beta ** weights[d], sums, factors)
            _update(held, pool, factors)
            for w in held:
                pool[0][w] += weights[d]
        sums[touched[:count]] = 0.0
        awake[touched[:count]] = False
        sums[own] = 0.0
    return pool


@numba.njit(cache=True, nogil=True)
def score_experts(starts: np.ndarray, terms: np.ndarray, categories: int, pool: Pool) -> np.ndarray:
    """The scores, documents × categories."""
    scores, sums = np.zeros((len(starts) - 1, categories)), np.zeros((categories, 2))
    awake, touched = np.zeros(categories, np.bool_), np.empty(categories, np.int64)
    for d in range(len(starts) - 1):
        count = _sum(terms[starts[d] : starts[d + 1]], pool, sums, awake, touched)
        for c in touched[:count]:
            scores[d, c] = sums[c, 0] / (sums[c, 0] + sums[c, 1])
        sums[touched[:count]] = 0.0
        awake[touched[:count]] = False
    return scores


@numba.njit(cache=True, nogil=True)
def compact_pool(pool: Pool) -> Pool:
    """The pool without spare places, the blocks in the order of the phrases, categories ascending."""
    seen, first, length, _, category, favour, against, _ = pool
    total = length.sum()
    places = np.zeros(len(first), np.int64)
    new_category, new_favour, new_against = np.empty(total, np.int32), np.empty(total), np.empty(total)
    at = 0
    for w in range(len(first)):
        block = slice(first[w], first[w] + length[w])
        order = np.argsort(category[block])
        places[w] = at
        for i in order:
            new_category[at], new_favour[at], new_against[at] = category[block][i], favour[block][i], against[block][i]
            at += 1
    return seen, places, length, length.copy(), new_category, new_favour, new_against, np.full(1, total, np.int64)
