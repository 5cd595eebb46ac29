"""Stories of the synthetic newswire: one at a time against the slow twin, the permutation of documents, refusals."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles import newswire_stories as oracle

from rubricate.corpora import stories as desks
from rubricate.native.newswire import LITERAL, Assignment, Grammar, Rates, Topics, write_stories

STORIES, CATEGORIES = 1 << 20, 60


@cache
def desk_of(seed):
    return desks.desk_of(STORIES, CATEGORIES, seed)


@pytest.mark.slow
@given(number=st.integers(0, STORIES - 1), wire=st.integers(0, 2))
def test_every_story_is_the_one_of_the_slow_twin(number, wire):
    desk = desk_of(wire)
    counts = np.diff(desk.quotas[int(number >= desk.train)]).tolist()
    written = desk.write(number, number + 1)
    date = desks._calendar(np.array([written.fields["date"][0]], dtype="datetime64[s]"))[0]
    parts = {"grammar": desk.wording.grammar, "topics": desk.topics, "rates": desks._RATES, "date": date}
    title, body, labels = oracle.story(wire, number, train=desk.train, counts=counts, **parts)
    assert (written.titles[0], written.bodies[0]) == (title, body)
    assert written.labels.indices.tolist() == sorted(desk.columns[labels].tolist())
    count_cases(3)


def whole(*numbers):
    return np.array(numbers, np.int64)


def one_word(categories):
    """Tables that write "a" for everything, of topics that are not related."""
    nothing, lists = np.zeros(categories + 1, np.int64), np.zeros((categories, 7), np.int64)
    steps = {"pieces": whole(0, 1), "operations": whole(LITERAL), "arguments": whole(0), "sequences": whole(0, 1)}
    grammar = Grammar(
        np.frombuffer(b"a", np.uint8), *steps.values(), whole(0, 1), whole(0, 1), whole(0, 0, 0), np.zeros(12, int), 0
    )
    topics = Topics(np.full(categories, -1), nothing, whole(), nothing, whole(), whole(0), lists, nothing[1:])
    return grammar, topics, Rates(0, 0, 0, 0, 1000, 0, 1000)


def assignment_of(train, test, seed=0, documents=None):
    """One document of each category, in training and in test."""
    quotas = np.array([np.minimum(np.arange(max(train, test) + 1), part) for part in (train, test)])
    documents = np.arange(train + test) if documents is None else documents
    return Assignment(seed, train, quotas, documents, np.ones((len(documents), 3), np.int64))


@given(seed=SEEDS, train=st.integers(1, 300), test=st.integers(1, 40))
def test_documents_are_spread_by_the_permutation_written_out(seed, train, test):
    tables = one_word(max(train, test))
    out, ends, labels = write_stories(assignment_of(train, test, seed), tables, max_bytes=20)
    key = oracle.mix(seed, 0)
    wanted = oracle.permutation(train, key) + oracle.permutation(test, key + 8 & oracle.MASK)
    assert labels[:, 0].tolist() == wanted
    assert sorted(wanted[:train]) == list(range(train))
    assert (labels[:, 1:] == -1).all()
    text = bytes(out[: ends[-1, 1]]).decode()
    assert {*text.replace(" ", "")} == {"A"}
    assert (np.diff(ends.ravel()) > 0).all()
    count_cases(train + test)


def test_no_story_is_asked_for():
    out, ends, labels = write_stories(assignment_of(2, 1, documents=whole()), one_word(2), max_bytes=20)
    assert (len(out), ends.shape, labels.shape) == (0, (0, 2), (0, 3))


@pytest.mark.parametrize("number", [-1, 3])
def test_a_document_out_of_range_is_refused(number):
    with pytest.raises(ValueError, match="from 0 to 2"):
        write_stories(assignment_of(2, 1, documents=whole(0, number)), one_word(2), max_bytes=20)


def test_tables_that_do_not_fit_are_refused():
    plain = assignment_of(2, 1)
    with pytest.raises(ValueError, match="dates has 1"):
        write_stories(plain._replace(dates=plain.dates[:1]), one_word(2), max_bytes=20)
    with pytest.raises(ValueError, match="parents has 3"):
        write_stories(plain, one_word(3), max_bytes=20)
    with pytest.raises(ValueError, match="2 training documents"):
        write_stories(plain._replace(quotas=plain.quotas + 1), one_word(2), max_bytes=20)
    with pytest.raises(TypeError, match="int64, not of int32"):
        write_stories(plain._replace(documents=plain.documents.astype(np.int32)), one_word(2), max_bytes=20)
