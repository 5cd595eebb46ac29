"""Stories of the synthetic newswire: tables for the compiled writer (native/newswire.c), and the call of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core

__all__ = [
    "DATE", "KINDS", "LIST", "LITERAL", "NAME", "NUMBER", "TOPIC",
    "Assignment", "Grammar", "Rates", "Topics", "write_stories",
]  # fmt: skip

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
    """Which stories to write: their numbers, and their month, day and week. The first `train` stories are for training.

    `quotas` are running sums of the documents of each category, row 0 for training, row 1 for test.
    """

    seed: int
    train: int
    quotas: np.ndarray
    documents: np.ndarray
    dates: np.ndarray


def write_stories(
    assignment: Assignment, tables: tuple[Grammar, Topics, Rates], *, max_bytes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bytes, the ends of title and body of each story, and up to three labels of each (-1: none).

    `max_bytes` is an upper bound of the bytes of a story.
    """
    _, train, quotas, documents, dates = assignment
    categories, stories = quotas.shape[1] - 1, len(documents)
    check_lengths(stories, dates=dates)
    check_lengths(categories, parents=tables[1].parents, lists=tables[1].lists)
    last = train + int(quotas[1, -1])
    if quotas[0, -1] != train or (stories and not 0 <= documents.min() <= documents.max() < last):
        raise ValueError(f"documents must be from 0 to {last - 1}, and the quotas those of {train} training documents")
    out, ends = np.empty(stories * max_bytes, np.uint8), np.empty((stories, 2), np.int64)
    labels = np.empty((stories, 3), np.int64)
    core.rb_write_stories(assignment, stories, categories, *tables, out, ends, labels)
    return out, ends, labels
