from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.errors import InvalidInput
from rubricate.measures.averages import by_frequency
from rubricate.significance import compare
from rubricate.significance.comparison import bands
from rubricate.significance.sign_tests import macro_sign


@given(st.lists(st.integers(0, 300), min_size=1, max_size=40).filter(any), st.integers(1, 12))
def test_equal_bands_are_those_of_the_frequency_curves(frequency: list[int], how: int) -> None:
    train = np.array(frequency)
    curve = [band for band in by_frequency(np.zeros(len(train)), train, bands=how) if band.categories]
    found = bands(train, how)
    assert [label for label, _ in found] == [f"{band.low}–{band.high}" for band in curve]
    assert [int(chosen.sum()) for _, chosen in found] == [band.categories for band in curve]


@pytest.mark.parametrize("edges", [[0], [60, 0], [-1, 5], [0, 0, 5]])
def test_edges_must_rise(edges: list[int]) -> None:
    with pytest.raises(InvalidInput, match="rise"):
        bands(np.array([1, 2]), edges)


def test_no_band_and_none_within() -> None:
    with pytest.raises(InvalidInput, match="1 or more"):
        bands(np.array([1, 2]), 0)
    with pytest.raises(InvalidInput, match="within the bands"):
        bands(np.array([1, 2]), [10, 20])


def test_tests_by_band_are_tests_on_the_categories_of_the_band(make_run, noisy) -> None:
    truth, (good, bad) = noisy(9, (150, 40), 0.03, 0.12)
    train = np.arange(1, 41)
    b = np.concatenate([bad[:, :20], good[:, 20:]], axis=1)
    runs = [make_run(n, truth, d, train_counts=train) for n, d in (("a", good), ("b", b))]
    found = compare(runs, tests=["S", "s", "permutation:macro_f1"], by_frequency=2, samples=199)
    assert [(one.band, one.test, one.symbol) for one in found] == [
        ("1–20", "S", ">>"),
        ("1–20", "s", ">>"),
        ("1–20", "permutation", ">>"),
        ("21–40", "S", "~"),
        ("21–40", "s", "~"),
        ("21–40", "permutation", "~"),
    ]
    alone = macro_sign(*(make_run(n, truth[:, :20], d[:, :20]) for n, d in (("a", good), ("b", b))))
    assert found.results[0].p_value == alone.p_value
    assert "training frequency 1–20" in str(found)


def test_bands_need_training_frequencies(make_run, noisy) -> None:
    truth, decided = noisy(9, (30, 4), 0.1, 0.2)
    with pytest.raises(InvalidInput, match="train_counts"):
        compare([make_run(n, truth, d) for n, d in zip("ab", decided, strict=True)], by_frequency=2)
