"""Names of phrases that are put together on demand are those put together at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.text.ngrams import TermNames


@pytest.mark.slow
@given(st.data())
def test_names_on_demand_are_those_made_at_once(data):
    names, expected = TermNames(["a", "b"], between="-"), ["a", "b"]
    for _ in range(data.draw(st.integers(0, 4))):
        if data.draw(st.booleans()):
            fresh = data.draw(st.lists(st.text("cd", min_size=1), max_size=3))
            names.extend(fresh)
            expected += fresh
            continue
        pairs = []
        for _ in range(data.draw(st.integers(0, 3))):
            extended, last = (data.draw(st.integers(0, len(expected) - 1)) for _ in range(2))
            pairs.append((extended, last))
            expected.append(f"{expected[extended]}-{expected[last]}")
        names.add_phrases(np.array(pairs, np.int32).reshape(-1, 2))
    assert len(names) == len(expected)
    for number in data.draw(st.lists(st.integers(-len(expected), len(expected) - 1), max_size=4)):
        assert names[number] == expected[number]
    assert names[1:] == expected[1:]
    assert list(names) == expected
