"""Write synthetic stories: the topics of each document, then its title, dateline and sentences.

Given  the seed, the documents to write with their month, day and week, how many documents are for training, running
       sums of the documents of each category (row 0 training, row 1 test), and the tables of `story_words`.
Return the bytes in `out`; the ends of title and body of each document in `ends`; up to three labels (-1: none).
Cost   linear in the bytes written. Document i depends on the seed and i alone, never on the batch it is in.
Edges  a topic without related ones gets no second label; the first document of each category is never mislabelled,
       so that no category with documents loses all of them.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.splitmix import Whole, below, bracket, mix, permuted, weighted
from rubricate.kernels.story_words import KINDS, Grammar, Rates, Topics, expand

__all__ = ["write"]

_TITLE, _LEAD, _FOLLOW = (KINDS.index(kind) for kind in ("title", "lead", "follow"))
_SPACE = 32


@numba.njit(cache=True, nogil=True)
def _relative(state: np.ndarray, topics: Topics, topic: Whole) -> Whole:
    """A related topic by weight, or -1."""
    start, stop = topics.related_starts[topic], topics.related_starts[topic + 1]
    if start == stop:
        return -1
    return topics.related[weighted(state, topics.related_sums, start, stop)]


@numba.njit(cache=True, nogil=True)
def _plan(state: np.ndarray, topics: Topics, rates: Rates, subject: np.ndarray) -> Whole:
    """Fill in the further topics of a story whose main one is `subject[0]`; how many topics it has."""
    count = 1
    dice = below(state, 1000)
    wanted = 3 if dice < rates.third else 2 if dice < rates.second else 1
    while count < wanted:
        other = _relative(state, topics, subject[0])
        if other < 0 or other == subject[count - 1]:
            break
        subject[count] = other
        count += 1
    return count


@numba.njit(cache=True, nogil=True)
def _label(
    state: np.ndarray, topics: Topics, rates: Rates, subject: np.ndarray, safe: bool, labels: np.ndarray
) -> None:
    """The topics as labels; now and then the first is replaced by a related one that the story is not about."""
    for k in range(3):
        labels[k] = subject[k]
    if below(state, 1000) < rates.mislabelled and not safe:
        other = _relative(state, topics, subject[0])
        if other >= 0 and other != subject[1] and other != subject[2]:
            labels[0] = other


@numba.njit(cache=True, nogil=True)
def _focus(
    state: np.ndarray, topics: Topics, rates: Rates, subject: np.ndarray, count: Whole, turn: Whole, sums: np.ndarray
) -> Whole:
    """What sentence `turn` is about: each topic of the story once, then any of them; now and then another one."""
    if turn < count:
        return subject[turn]
    dice = below(state, 1000)
    if dice >= rates.stray:
        return subject[0] if below(state, 2) == 0 else subject[below(state, count)]
    other = _relative(state, topics, subject[0]) if 2 * dice < rates.stray else -1
    return other if other >= 0 else weighted(state, sums, 0, len(sums) - 1)


@numba.njit(cache=True, nogil=True)
def write(
    seed: Whole,
    documents: np.ndarray,
    dates: np.ndarray,
    train: Whole,
    quotas: np.ndarray,
    grammar: Grammar,
    topics: Topics,
    rates: Rates,
    out: np.ndarray,
    ends: np.ndarray,
    labels: np.ndarray,
) -> None:
    """Write the stories of `documents`."""
    state, stack, subject = np.zeros(1, np.uint64), np.zeros((32, 3), np.int64), np.zeros(3, np.int64)
    key, end = mix(np.uint64(seed), np.uint64(0)), np.int64(0)
    for row in range(len(documents)):
        i, part = documents[row], 0 if documents[row] < train else 1
        sums, date = quotas[part], dates[row]
        slot = permuted(i - part * train, sums[-1], key + np.uint64(8 * part))
        subject[:] = -1
        subject[0] = bracket(sums, 0, len(sums) - 1, slot)
        state[0] = mix(key, np.uint64(i + 1))
        count = _plan(state, topics, rates, subject)
        _label(state, topics, rates, subject, slot == sums[subject[0]], labels[row])
        listed, about = topics.lists[subject[0], _TITLE], subject[0]
        end = expand(state, stack, out, end, grammar, topics, rates, date, listed, about)
        ends[row, 0] = end
        end = expand(state, stack, out, end, grammar, topics, rates, date, np.int64(grammar.opening), about)
        for turn in range(4 + below(state, 5)):
            out[end] = _SPACE
            about = _focus(state, topics, rates, subject, count, turn, sums)
            listed = topics.lists[about, _LEAD if turn == 0 else _FOLLOW]
            end = expand(state, stack, out, end + 1, grammar, topics, rates, date, listed, about)
        ends[row, 1] = end
