"""Counts of pairs of codes equal those of a Counter, and the first document of each pair is the first."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.joint_codes import code_spread, joint_codes


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=60))
def test_pairs_are_counted(pairs):
    first, second = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    counts, seen = joint_codes(first, second, 5)
    expected = Counter(pairs)
    for a in range(5):
        for b in range(5):
            assert counts[a * 5 + b] == expected[a, b]
            assert seen[a * 5 + b] == (pairs.index((a, b)) if (a, b) in expected else -1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=60))
def test_slopes_are_summed_where_codes_differ(pairs):
    slopes = np.array([0.5, -1.0, 2.0, 0.0, 3.5])
    first, second = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    total, differ = code_spread(first, second, slopes)
    assert total == sum((slopes[a] - slopes[b]) ** 2 for a, b in pairs)
    assert differ == sum(a != b for a, b in pairs)
