"""Write synthetic stories: the topics of each document, then its title, dateline and sentences.

Given  the assignment, and what the wording of stories is drawn from.
Return the pages: bytes, the ends of title and body of each document, and up to three labels (-1: none).
Cost   linear in the bytes written. Document i depends on the seed and i alone, never on the batch it is in.
Edges  a topic without related ones gets no second label; the first document of each category is never mislabelled,
       so that no category with documents loses all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.splitmix import Whole, below, bracket, mix, permuted, weighted
from rubricate.kernels.story_words import KINDS, Grammar, Pen, Rates, Theme, Topics, expand

__all__ = ["Assignment", "Pages", "write"]

_TITLE, _LEAD, _FOLLOW = (KINDS.index(kind) for kind in ("title", "lead", "follow"))
_SPACE = 32


class Assignment(NamedTuple):
    """Which stories to write.

    `documents` are their numbers and `dates` their month, day and week; the first `train` documents are for training;
    `quotas` are running sums of the documents of each category, row 0 for training, row 1 for test.
    """

    seed: int
    train: int
    quotas: np.ndarray
    documents: np.ndarray
    dates: np.ndarray


class Pages(NamedTuple):
    """What is written: bytes, the ends of title and body of each document, and its labels."""

    out: np.ndarray
    ends: np.ndarray
    labels: np.ndarray


@numba.njit(cache=True, nogil=True)
def _relative(state: np.ndarray, topics: Topics, topic: Whole) -> Whole:
    """Draw a related topic by weight; -1 where there is none."""
    start, stop = topics.related_starts[topic], topics.related_starts[topic + 1]
    if start == stop:
        return -1
    return topics.related[weighted(state, topics.related_sums, start, stop)]


@numba.njit(cache=True, nogil=True)
def _plan(state: np.ndarray, topics: Topics, rates: Rates, subject: np.ndarray) -> Whole:
    """Draw the further topics of a story whose main one is `subject[0]`; return how many topics it has."""
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
def _mislabel(state: np.ndarray, topics: Topics, labels: np.ndarray) -> None:
    """Replace the first label by a related one that the story is not about, where there is one."""
    other = _relative(state, topics, labels[0])
    if other >= 0 and other != labels[1] and other != labels[2]:
        labels[0] = other


@numba.njit(cache=True, nogil=True)
def _focus(state: np.ndarray, topics: Topics, rates: Rates, subject: np.ndarray, sums: np.ndarray) -> Whole:
    """Draw what a further sentence is about: any topic of the story, or now and then another one."""
    dice = below(state, 1000)
    if dice >= rates.stray:
        return subject[0] if below(state, 2) == 0 else subject[below(state, len(subject))]
    other = _relative(state, topics, subject[0]) if 2 * dice < rates.stray else -1
    return other if other >= 0 else weighted(state, sums, 0, len(sums) - 1)


@numba.njit(cache=True, nogil=True)
def write(assignment: Assignment, pages: Pages, grammar: Grammar, topics: Topics, rates: Rates) -> None:
    """Write the stories of an assignment."""
    seed, train, quotas, documents, dates = assignment
    out, ends, labels = pages
    state, subject = np.zeros(1, np.uint64), np.zeros(3, np.int64)
    pen = Pen(state, np.zeros((32, 3), np.int64), out)
    key, end = mix(np.uint64(seed), np.uint64(0)), np.int64(0)
    for row in range(len(documents)):
        i, part = documents[row], 0 if documents[row] < train else 1
        sums, date = quotas[part], dates[row]
        # A keyed permutation spreads each category's quota over the whole period, without a table of documents.
        slot = permuted(i - part * train, sums[-1], key + np.uint64(8 * part))
        subject[:] = -1
        subject[0] = bracket(sums, 0, len(sums) - 1, slot)
        # The state starts from the seed and i alone: every batch, however cut, has the same stories.
        state[0] = mix(key, np.uint64(i + 1))
        count = _plan(state, topics, rates, subject)
        labels[row] = subject
        # The draw comes first, also for the safe document: the texts do not depend on who is mislabelled.
        if below(state, 1000) < rates.mislabelled and slot != sums[subject[0]]:
            _mislabel(state, topics, labels[row])
        end = expand(pen, end, Theme(topics.lists[subject[0], _TITLE], subject[0], date), grammar, topics, rates)
        ends[row, 0] = end
        end = expand(pen, end, Theme(np.int64(grammar.opening), subject[0], date), grammar, topics, rates)
        for turn in range(4 + below(state, 5)):
            out[end] = _SPACE
            about = subject[turn] if turn < count else _focus(state, topics, rates, subject[:count], sums)
            listed = topics.lists[about, _LEAD if turn == 0 else _FOLLOW]
            end = expand(pen, end + 1, Theme(listed, about, date), grammar, topics, rates)
        ends[row, 1] = end
