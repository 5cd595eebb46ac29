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
Given    documents as lists of distinct phrases, their categories as lists, their weights; the pool.
Return   the pool, its block arrays grown; the scores before each update where `scores` has rows.
Cost     two visits of the experts of the document's phrases. Weights stay above 1e-300, so that none is lost for ever.
Edges    a document of weight 0 is scored, not learned.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["Pool", "Stream", "compact_pool", "empty_pool", "learn_experts", "score_experts"]

TINY = 1e-300
ROOM = 2
"""Places of a new block."""


class Pool(NamedTuple):
    """The experts: `seen` to `room` have one entry per phrase, `category` to `against` one per expert; `size` one."""

    seen: np.ndarray
    first: np.ndarray
    length: np.ndarray
    room: np.ndarray
    category: np.ndarray
    favour: np.ndarray
    against: np.ndarray
    size: np.ndarray


class Stream(NamedTuple):
    """Documents as lists of phrases, the categories of each, and their weights."""

    documents: Lists
    labels: Lists
    weights: np.ndarray


class _Ledger(NamedTuple):
    """F and A of each category on one document, what they are multiplied by, and which categories are awake.

    `touched` lists the categories awake in the order they were met; `last` is scratch of `_enlist`.
    """

    sums: np.ndarray
    factors: np.ndarray
    awake: np.ndarray
    touched: np.ndarray
    last: np.ndarray


def empty_pool(width: int) -> Pool:
    """Return a pool without experts for `width` phrases."""
    first, length, room = (np.zeros(width, np.int64) for _ in range(3))
    category, favour, against = np.zeros(16, np.int32), np.zeros(16), np.zeros(16)
    return Pool(np.zeros(width), first, length, room, category, favour, against, np.zeros(1, np.int64))


@numba.njit(cache=True, nogil=True)
def _empty_ledger(categories: int) -> _Ledger:
    sums, factors = np.zeros((categories, 2)), np.ones((categories, 2))
    awake, touched = np.zeros(categories, np.bool_), np.empty(categories, np.int64)
    return _Ledger(sums, factors, awake, touched, np.full(categories, -1, np.int64))


@numba.njit(cache=True, nogil=True)
def _with_room(pool: Pool, places: int) -> Pool:
    """Return the pool with room for `places` more experts at its end."""
    seen, first, length, room, category, favour, against, size = pool
    if size[0] + places <= len(category):
        return pool
    more = max(2 * len(category), size[0] + places)
    new_category, new_favour, new_against = np.zeros(more, np.int32), np.zeros(more), np.zeros(more)
    new_category[: size[0]] = category[: size[0]]
    new_favour[: size[0]], new_against[: size[0]] = favour[: size[0]], against[: size[0]]
    return Pool(seen, first, length, room, new_category, new_favour, new_against, size)


@numba.njit(cache=True, nogil=True)
def _add(pool: Pool, w: int, c: int, weight: float) -> Pool:
    """Add an expert for phrase w and category c."""
    if pool.length[w] == pool.room[w]:
        places = max(ROOM, 2 * pool.room[w])
        pool = _with_room(pool, places)
        _, first, length, room, category, favour, against, size = pool
        old, new = first[w], size[0]
        for i in range(length[w]):
            category[new + i], favour[new + i], against[new + i] = category[old + i], favour[old + i], against[old + i]
        first[w], room[w] = new, places
        size[0] += places
    at = pool.first[w] + pool.length[w]
    pool.category[at], pool.favour[at], pool.against[at] = c, max(weight, TINY), 1.0
    pool.length[w] += 1
    return pool


@numba.njit(cache=True, nogil=True)
def _sum(held: np.ndarray, pool: Pool, ledger: _Ledger) -> int:
    """Add up F and A of each category with an expert awake; return how many those are, listed in `touched`."""
    first, length, category, favour, against = pool.first, pool.length, pool.category, pool.favour, pool.against
    sums, awake, touched = ledger.sums, ledger.awake, ledger.touched
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
def _enlist(pool: Pool, document: tuple[np.ndarray, np.ndarray], ledger: _Ledger, beta: float) -> Pool:
    """Make the experts that the document's categories lack, and add them to the sums."""
    held, own = document
    sums, last = ledger.sums, ledger.last
    for w in held:
        for i in range(pool.first[w], pool.first[w] + pool.length[w]):
            last[pool.category[i]] = w
        # As if the expert had been there from the start: wrong, and multiplied by β, on each document with the phrase.
        weight = beta ** pool.seen[w]
        for c in own:
            if last[c] != w:
                pool = _add(pool, w, c, weight)
                sums[c, 0] += max(weight, TINY)
                sums[c, 1] += 1.0
    last[:] = -1
    return pool


@numba.njit(cache=True, nogil=True)
def _weigh(ledger: _Ledger, count: int, own: np.ndarray, loss: float) -> None:
    """Set what the weights for and against each category are multiplied by; `own` are those of the document."""
    sums, factors, _, touched, _ = ledger
    # First as if the document were in none of them; then those of the document are overwritten.
    for c in touched[:count]:
        F, A = sums[c]
        factors[c, 0], factors[c, 1] = loss * (F + A) / (loss * F + A), (F + A) / (loss * F + A)
    for c in own:
        F, A = sums[c]
        if F + A > 0.0:
            factors[c, 0], factors[c, 1] = (F + A) / (F + loss * A), loss * (F + A) / (F + loss * A)


@numba.njit(cache=True, nogil=True)
def _update(held: np.ndarray, pool: Pool, factors: np.ndarray) -> None:
    first, length, category, favour, against = pool.first, pool.length, pool.category, pool.favour, pool.against
    for w in held:
        for i in range(first[w], first[w] + length[w]):
            c = category[i]
            favour[i] = max(favour[i] * factors[c, 0], TINY)
            against[i] = max(against[i] * factors[c, 1], TINY)


@numba.njit(cache=True, nogil=True)
def learn_experts(stream: Stream, pool: Pool, scores: np.ndarray, beta: float) -> Pool:
    """Learn the documents in their order; return the pool.

    `scores` is documents × categories and filled with the scores before each update, or 0 × categories.
    """
    (starts, terms), (label_starts, labels), weights = stream
    ledger = _empty_ledger(scores.shape[1])
    sums, factors, awake, touched, _ = ledger
    for d in range(len(starts) - 1):
        held, own = terms[starts[d] : starts[d + 1]], labels[label_starts[d] : label_starts[d + 1]]
        count = _sum(held, pool, ledger)
        if len(scores) > 0:
            for c in touched[:count]:
                scores[d, c] = sums[c, 0] / (sums[c, 0] + sums[c, 1])
        if weights[d] > 0.0:
            if len(own) > 0:
                pool = _enlist(pool, (held, own), ledger, beta)
            _weigh(ledger, count, own, beta ** weights[d])
            _update(held, pool, factors)
            for w in held:
                pool.seen[w] += weights[d]
        sums[touched[:count]] = 0.0
        awake[touched[:count]] = False
        # A category whose first experts this document made is in `own`, not yet in `touched`.
        sums[own] = 0.0
    return pool


@numba.njit(cache=True, nogil=True)
def score_experts(documents: Lists, categories: int, pool: Pool) -> np.ndarray:
    """Return the scores, documents × categories."""
    starts, terms = documents
    scores, ledger = np.zeros((len(starts) - 1, categories)), _empty_ledger(categories)
    sums, _, awake, touched, _ = ledger
    for d in range(len(starts) - 1):
        count = _sum(terms[starts[d] : starts[d + 1]], pool, ledger)
        for c in touched[:count]:
            scores[d, c] = sums[c, 0] / (sums[c, 0] + sums[c, 1])
        sums[touched[:count]] = 0.0
        awake[touched[:count]] = False
    return scores


@numba.njit(cache=True, nogil=True)
def compact_pool(pool: Pool) -> Pool:
    """Return the pool without spare places, the blocks in the order of the phrases, categories ascending."""
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
    return Pool(seen, places, length, length.copy(), new_category, new_favour, new_against, np.full(1, total, np.int64))
