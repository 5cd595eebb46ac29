"""Permutation and bootstrap against full enumeration, and their draws against each other."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracles import significance as oracle

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import indicator
from rubricate.significance import System
from rubricate.significance.bootstrap import bootstrap
from rubricate.significance.permutation import permutation
from rubricate.significance.permutation_family import plain_tail
from rubricate.significance.system_pair import ADDS, SystemPair, pair_patterns
from rubricate.significance.systems import codes

UNDEFINED = {"zero": 0.0, "one": 1.0, "omit": math.nan}
MEASURES = {"micro_f1": oracle.f1, "macro_f1": oracle.macro_f1}
small = arrays(np.int8, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.integers(0, 7))


def _systems(table: np.ndarray) -> tuple[list[np.ndarray], list[System]]:
    dense = [table >> bit & 1 == 1 for bit in range(3)]
    true = indicator(dense[0])
    return dense, [System(n, truth=true, decided=indicator(d)) for n, d in zip("ab", dense[1:], strict=True)]


@pytest.mark.slow
def test_all_swaps_are_counted_when_they_are_few() -> None:
    compared = []

    @settings(max_examples=100)
    @given(small, st.sampled_from(sorted(MEASURES)), st.sampled_from(sorted(UNDEFINED)))
    def check(table: np.ndarray, measure: str, undefined: str) -> None:
        (truth, a, b), systems = _systems(table)
        twin = partial(MEASURES[measure], undefined=UNDEFINED[undefined])
        found = permutation(*systems, measure=measure, undefined=undefined)
        difference = twin(truth, a) - twin(truth, b)
        assert found.n == (a != b).any(axis=1).sum()
        if found.n == 0 or math.isnan(difference):
            assert (found.method, found.p_value) == ("none", 1.0)
            return
        assert found.method == "all swaps"
        assert found.p_value == pytest.approx(oracle.permutation_p(truth, a, b, twin), abs=1e-12)
        assert found.effect == pytest.approx(difference, abs=1e-12)
        compared.append(found.p_value)

    check()
    assert len(compared) >= 30, "most cases had nothing to compare"


@pytest.mark.slow
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_drawn_swaps_come_near_all_swaps(measure: str) -> None:
    table = np.random.default_rng(3).integers(0, 8, (14, 3)).astype(np.int8)
    (truth, a, b), systems = _systems(table)
    expected = oracle.permutation_p(truth, a, b, MEASURES[measure])
    swaps = SystemPair(codes(*systems), measure, "zero").swaps()
    observed = abs(MEASURES[measure](truth, a) - MEASURES[measure](truth, b))
    share = plain_tail(swaps, observed, draws=20_000, rng=np.random.default_rng(1))
    assert share == pytest.approx(expected, abs=0.015)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    arrays(np.int8, st.tuples(st.integers(2, 4), st.integers(1, 3)), elements=st.integers(0, 7)),
    st.sampled_from(["zero", "one"]),
)
def test_bootstrap_has_the_moments_of_all_draws(table: np.ndarray, undefined: str) -> None:
    (truth, a, b), systems = _systems(table)
    for measure, slow in MEASURES.items():
        twin = partial(slow, undefined=UNDEFINED[undefined])
        every = np.array(oracle.bootstrap_differences(truth, a, b, twin))
        found = SystemPair(codes(*systems), measure, undefined).bootstrap(4000, seed=5)
        assert found.mean() == pytest.approx(every.mean(), abs=0.05)
        assert found.std() == pytest.approx(every.std(), abs=0.05)
        assert np.abs(found[:, None] - every[None, :]).min(axis=1).max() < 1e-12, "a difference no draw can have"


@given(arrays(np.int8, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.integers(0, 7)))
def test_patterns_stand_for_all_documents(table: np.ndarray) -> None:
    _, systems = _systems(table)
    cells = codes(*systems)
    for by_category in (False, True):
        found = pair_patterns(cells, ADDS, by_category=by_category)
        assert found.sizes.sum() == len(table)
        assert np.array_equal(np.bincount(found.codes), found.sizes)
        for add, one in zip(ADDS, found.observed(), strict=True):
            expected = add[table].sum(axis=0)
            assert one[0].tolist() == (expected.tolist() if by_category else [expected.sum()])


def test_equal_documents_make_one_pattern() -> None:
    _, systems = _systems(np.tile(np.array([[3, 0, 5]], np.int8), (1000, 1)))
    assert len(pair_patterns(codes(*systems), ADDS, by_category=True).sizes) == 1


@pytest.mark.slow
@pytest.mark.parametrize("test", [permutation, bootstrap])
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_seed_decides_and_order_does_not(test, measure, make_run, noisy) -> None:
    truth, decided = noisy(2, (300, 12), 0.055, 0.055)
    runs = [make_run(n, truth, d) for n, d in zip("ab", decided, strict=True)]
    order = np.random.default_rng(0).permutation(300)
    again = [make_run(n, truth[order], d[order]) for n, d in zip("ab", decided, strict=True)]
    found = test(*runs, measure=measure, samples=999)
    assert found.p_value == test(*again, measure=measure, samples=999).p_value
    assert found == test(*runs, measure=measure, samples=999)
    assert found.p_value != test(*runs, measure=measure, samples=999, seed=1).p_value


@pytest.mark.slow
def test_bootstrap_interval_encloses_the_difference(make_run, noisy) -> None:
    truth, decided = noisy(2, (400, 10), 0.05, 0.09)
    runs = [make_run(n, truth, d) for n, d in zip("ab", decided, strict=True)]
    found, basic = bootstrap(*runs), bootstrap(*runs, method="basic")
    assert found.interval is not None
    assert basic.interval is not None
    low, high = found.interval
    assert low < found.effect < high
    assert basic.interval == pytest.approx((2 * found.effect - high, 2 * found.effect - low), abs=1e-12)
    assert bootstrap(*runs, level=0.5).interval[0] > low
    assert found.better == "a"


@pytest.mark.parametrize("test", [permutation, bootstrap])
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_nothing_defined_is_no_evidence(test, measure: str) -> None:
    """Nothing is true and a assigns nothing: its F1 is 0/0, and left out."""
    _, systems = _systems(np.array([[4, 0], [0, 4]], np.int8))
    found = test(*systems, measure=measure, undefined="omit")
    assert (found.p_value, found.statistic, found.symbol) == (1.0, 0.0, "~")
    assert "0/0" in found.note


def test_wrong_options(make_run) -> None:
    run = make_run("a", np.eye(2, dtype=bool), np.eye(2, dtype=bool))
    with pytest.raises(UnknownName, match="micro_f1"):
        permutation(run, run, measure="mirco_f1")
    with pytest.raises(UnknownName, match="percentile"):
        bootstrap(run, run, method="bca")
    for test in (permutation, bootstrap):
        with pytest.raises(InvalidInput, match="samples"):
            test(run, run, samples=0)
