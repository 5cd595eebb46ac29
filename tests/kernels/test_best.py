"""The k best of a stream: the same as sorting everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.best import offer, ranked

VALUES = st.lists(st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 0.25, 1.0, 7.0, np.inf]), max_size=60)


@given(VALUES, st.integers(0, 12), st.randoms(use_true_random=False))
def test_the_best_are_those_of_a_full_sort_in_whichever_order_they_come(stream, k, random):
    items = list(range(len(stream)))
    random.shuffle(items)
    values, places, kept = np.full(k, np.nan), np.full(k, -1), 0
    for item in items:
        kept = offer(float(stream[item]), item, kept, values, places)
    ranked(kept, values, places)
    wanted = sorted(range(len(stream)), key=lambda item: (-stream[item], item))[:k]
    assert places[:kept].tolist() == wanted
    assert values[:kept].tolist() == [stream[item] for item in wanted]


def test_nothing_offered_leaves_nothing():
    values, places = np.full(3, np.nan), np.full(3, -1)
    ranked(0, values, places)
    assert places.tolist() == [-1, -1, -1]
