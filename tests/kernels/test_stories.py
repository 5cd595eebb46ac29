"""Stories of the made newswire, one at a time, against the slow twin."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import newswire_stories as oracle

from rubricate.corpora.newswire_maker import desk as desks

STORIES, CATEGORIES = 1 << 20, 60


@cache
def desk_of(seed):
    return desks.desk_of(STORIES, CATEGORIES, seed)


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
