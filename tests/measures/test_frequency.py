"""Means by training frequency: equal widths, every category once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.errors import InvalidInput
from rubricate.measures import by_frequency

counted = st.lists(st.tuples(st.integers(0, 100), st.floats(0, 1)), min_size=1, max_size=30)


@given(counted, st.integers(1, 12))
def test_bands_have_one_width_and_hold_every_trained_category_once(pairs, bands):
    train, values = (np.array(part) for part in zip(*pairs, strict=True))
    found = by_frequency(values.astype(float), train, bands=bands)
    assert len({band.high - band.low for band in found}) == 1
    assert [band.low for band in found[1:]] == [band.high + 1 for band in found[:-1]]
    assert len(found) <= bands
    assert sum(band.categories for band in found) == (train >= 1).sum()
    for band in found:
        inside = values[(train >= band.low) & (train <= band.high)]
        assert band.value == pytest.approx(inside.mean() if len(inside) else np.nan, nan_ok=True)


def test_the_two_ranges_of_yangliu1999():
    values, train = np.array([0.1, 0.2, 0.6, 0.9]), np.array([1, 6, 60, 2877])
    near = by_frequency(values, train, high=60)
    assert [(band.low, band.high) for band in near] == [(1 + 6 * i, 6 + 6 * i) for i in range(10)]
    assert near[0].value == pytest.approx(0.15)
    assert sum(band.categories for band in near) == 3
    full = by_frequency(values, train)
    assert (full[0].low, full[0].high, full[-1].high) == (1, 288, 2880)
    assert full[-1].value == 0.9


def test_undefined_values_are_left_out_of_the_mean():
    assert by_frequency(np.array([np.nan, 0.5]), np.array([3, 4]), bands=1)[0].value == 0.5


def test_errors_say_what_to_do():
    with pytest.raises(InvalidInput, match="2 values for 1 training counts"):
        by_frequency(np.zeros(2), np.zeros(1, int))
    with pytest.raises(InvalidInput, match="at least one, low to high"):
        by_frequency(np.zeros(1), np.ones(1, int), bands=0)
