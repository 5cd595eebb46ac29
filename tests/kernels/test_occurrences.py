"""The places of words against a list comprehension."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.occurrences import occurrences


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(6, 8))
def test_every_word_has_its_places_in_order(ids, words):
    starts, places = occurrences(np.array(ids, np.int32), words)
    assert len(starts) == words + 1
    for word in range(words):
        found = places[starts[word] : starts[word + 1]].tolist()
        assert found == [place for place, one in enumerate(ids) if one == word]
