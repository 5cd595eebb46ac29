"""Answers by column against one document at a time: the scores shown, joining, and both ways between the forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from rubricate.training.answers import Answer, AnswerColumns, shown_scores
from rubricate.types import Scores

NAMES = tuple("abcdefg")
VALUES = st.sampled_from([-np.inf, -1.5, -1.0, 0.0, 0.5, 2.0])


@st.composite
def blocks(draw):
    """Scores with ties and -inf, and decisions that never assign -inf."""
    shape = draw(st.tuples(st.integers(0, 6), st.integers(1, len(NAMES))))
    scores = draw(arrays.arrays(np.float64, shape, elements=VALUES))
    decided = draw(arrays.arrays(bool, shape)) & (scores > -np.inf)
    return scores, decided, draw(st.none() | st.integers(1, 8))


def scores_of_one(row, labels, top):
    """Return the scores of the labels of one document, and of its best `top` categories; the oracle."""
    if not labels and top is None:
        return ()
    columns, scores = row
    order = np.argsort(-scores, kind="stable").tolist()
    pairs = [(NAMES[columns[i]], float(scores[i])) for i in order if scores[i] > -np.inf]
    return tuple(pair for place, pair in enumerate(pairs) if (top is not None and place < top) or pair[0] in labels)


def by_document(rows, decided, top):
    names = [tuple(NAMES[c] for c in np.flatnonzero(row)) for row in decided]
    return [scores_of_one(row, labels, top) for row, labels in zip(rows, names, strict=True)]


def as_pairs(starts, columns, values):
    pairs = [(NAMES[c], v) for c, v in zip(columns.tolist(), values.tolist(), strict=True)]
    return [tuple(pairs[a:b]) for a, b in pairwise(starts)]


@given(blocks())
def test_dense_scores_are_shown_as_for_one_document(block):
    scores, decided, top = block
    every = np.arange(scores.shape[1])
    expected = by_document([(every, row) for row in scores], decided, top)
    assert as_pairs(*shown_scores(scores, sparse.csr_array(decided), top)) == expected


@given(blocks(), st.integers(0, 2**32 - 1))
def test_stored_scores_are_shown_as_for_one_document(block, seed):
    scores, decided, top = block
    stored = np.random.default_rng(seed).random(scores.shape) < 0.7
    rows, columns = np.nonzero(stored)
    starts = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
    values = sparse.csr_array((scores[rows, columns], columns, starts), shape=scores.shape)
    some = Scores(values, NAMES[: scores.shape[1]], [str(i) for i in range(len(scores))], -np.inf)
    cells = [(np.flatnonzero(own), row[own]) for own, row in zip(stored, scores, strict=True)]
    assert as_pairs(*shown_scores(some, sparse.csr_array(decided), top)) == by_document(cells, decided, top)


ANSWERS = [
    Answer(("grain", "wheat"), 0.75, ("grain", "wheat"), (("wheat", 2.0), ("grain", 1.0), ("oil", -1.0)), {}, 0.5),
    Answer(None, 0.25, ("oil",), (("oil", 0.1),), {}, 0.01),
    Answer((), 0.5, (), (), {}, 1.0),
]


def test_answers_survive_the_way_to_columns_and_back():
    assert AnswerColumns.of(ANSWERS).answers() == ANSWERS
    assert AnswerColumns.of([]).answers() == []
    unknown = [Answer(("grain",), None, ("grain",))]
    assert AnswerColumns.of(unknown).answers() == unknown


def test_joined_parts_are_the_whole():
    whole = AnswerColumns.of(ANSWERS)
    twice = AnswerColumns.joined([whole, whole])
    assert twice.answers() == ANSWERS + ANSWERS
    assert AnswerColumns.joined([whole]) is whole


def test_labels_are_taken_from_documents_outside():
    refused = AnswerColumns.of(ANSWERS).without_labels(np.array([True, False, False])).answers()
    assert [answer.labels for answer in refused] == [(), None, ()]
    assert refused[0].scores == ANSWERS[0].scores
    assert refused[0].confidence == pytest.approx(0.75)
