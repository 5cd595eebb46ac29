"""Stories of the synthetic newswire: tables for the compiled writer (native/newswire.c), and a call of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core

__all__ = [
    "DATE",
    "KINDS",
    "LIST",
    "LITERAL",
    "NAME",
    "NUMBER",
    "TOPIC",
    "Assignment",
    "Grammar",
    "Pages",
    "Rates",
    "Topics",
    "write_stories",
]

LITERAL, LIST, TOPIC, NAME, NUMBER, DATE = range(6)
KINDS = ("actors", "thing", "deed", "title", "lead", "follow", "firm")


class Grammar(NamedTuple):
    """Literals (`pieces` of `blob`), sequences of (operation, argument) pairs, and lists of sequences.

    `ranks[n]` is the sum of 1/1 … 1/n in whole numbers, `opening` the list of datelines.
    """

    blob: np.ndarray
    pieces: np.ndarray
    operations: np.ndarray
    arguments: np.ndarray
    sequences: np.ndarray
    lists: np.ndarray
    ranks: np.ndarray
    syllables: np.ndarray
    months: np.ndarray
    opening: int


class Topics(NamedTuple):
    """The tree, related topics with running sums of weights, the lists of each topic, the numbers of made-up names."""

    parents: np.ndarray
    child_starts: np.ndarray
    children: np.ndarray
    related_starts: np.ndarray
    related: np.ndarray
    related_sums: np.ndarray
    lists: np.ndarray
    subjects: np.ndarray


class Rates(NamedTuple):
    """How often, in a thousand: what makes the corpus as hard as it is.

    `second` and `third`: a story has at least two, three topics; `mislabelled`: its first label is a related one.
    `stray`: a sentence is about another topic. A phrase comes from a `child` of the topic if it has any, else up to
    `own` from the topic itself, up to `parent` from its parent, else from its grandparent.
    """

    second: int
    third: int
    mislabelled: int
    stray: int
    own: int
    child: int
    parent: int


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

    @property
    def length(self) -> int:
        """Return the number of stories."""
        return len(self.documents)

    @property
    def categories(self) -> int:
        """Return the number of categories."""
        return int(self.quotas.shape[1]) - 1


class Pages(NamedTuple):
    """What is written: bytes, the ends of title and body of each document, and up to three labels (-1: none)."""

    out: np.ndarray
    ends: np.ndarray
    labels: np.ndarray


def write_stories(assignment: Assignment, grammar: Grammar, topics: Topics, rates: Rates, *, max_bytes: int) -> Pages:
    """Write the stories of an assignment; `max_bytes` is the length of the longest story that the grammar can make."""
    documents, quotas = assignment.documents, assignment.quotas
    check_lengths(len(documents), dates=assignment.dates)
    check_lengths(assignment.categories, parents=topics.parents, lists=topics.lists, subjects=topics.subjects)
    last = assignment.train + int(quotas[1, -1])
    if int(quotas[0, -1]) != assignment.train or (
        len(documents) and not 0 <= documents.min() <= documents.max() < last
    ):
        raise ValueError(f"documents must be numbers from 0 to {last - 1}, and quotas those of {assignment.train}")
    pages = Pages(
        np.empty(len(documents) * max_bytes, np.uint8),
        np.empty((len(documents), 2), np.int64),
        np.empty((len(documents), 3), np.int64),
    )
    core.rb_write_stories(assignment, grammar, topics, rates, pages)
    return pages
