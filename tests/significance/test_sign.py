"""The sign test against whole-number chances, scipy, and worked examples."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from tests.oracles import significance as oracle

from rubricate.significance.statistics import binomial_tail, sign_test

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_exact_is_the_sum_of_the_chances(pair: tuple[int, int]) -> None:
    k, n = pair
    assert sign_test(k, n, test="s", exact=True).p_value == float(oracle.sign_p(k, n))


@given(counts)
def test_exact_agrees_with_scipy(pair: tuple[int, int]) -> None:
    k, n = pair
    side = "greater" if 2 * k >= n else "less"
    expected = binomtest(k, n, 0.5, alternative=side).pvalue
    assert sign_test(k, n, test="s", exact=True).p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k, n", [(520, 1001), (5_050_000, 10_000_000), (2000, 2000), (1001, 2001)])
def test_long_tails_agree_with_scipy(k: int, n: int) -> None:
    assert binomial_tail(k, n) == pytest.approx(binomtest(k, n, 0.5, alternative="greater").pvalue, rel=1e-10)


def test_tail_formulas_meet_where_they_change() -> None:
    by_integers = binomial_tail(540, 1000)
    import scipy.special as special

    assert by_integers == pytest.approx(special.betainc(540, 461, 0.5), rel=1e-12)


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("n", [1000, 1001])
def test_whole_tail_is_one(n: int, mid_p: bool) -> None:
    assert binomial_tail(0, n, mid_p=mid_p) == pytest.approx(1.0, abs=1e-15)


def test_worked_examples() -> None:
    # By hand: n = 10, k = 8: (45 + 10 + 1)/1024. n = 12: 12 + 1 of 4096 for k = 11. n = 13 is normal: Z = 9/√13.
    assert sign_test(8, 10, test="s").p_value == 56 / 1024
    assert sign_test(2, 10, test="s").p_value == 56 / 1024
    assert sign_test(11, 12, test="s").p_value == 13 / 4096
    found = sign_test(11, 13, test="s")
    assert (found.method, found.statistic) == ("normal", pytest.approx(9 / math.sqrt(13), rel=1e-15))
    assert found.p_value == pytest.approx(norm.sf(9 / math.sqrt(13)), rel=1e-13)


def test_the_switch_is_at_twelve() -> None:
    assert [sign_test(n, n, test="s").method for n in (12, 13)] == ["binomial", "normal"]


def test_mid_p_halves_the_observed_chance() -> None:
    # n = 4, k = 4: P(Z = 4) = 1/16, half of it 1/32.
    assert sign_test(4, 4, test="s", mid_p=True).p_value == 1 / 32
    assert sign_test(600, 1001, test="s", mid_p=True).p_value == pytest.approx(
        (binomial_tail(600, 1001) + binomial_tail(601, 1001)) / 2, rel=1e-9
    )


def test_no_difference_is_no_evidence() -> None:
    found = sign_test(0, 0, test="S", measure="f1")
    assert (found.p_value, found.n, found.symbol) == (1.0, 0, "~")
    assert "never differ" in found.note


@given(counts)
def test_mirrors(pair: tuple[int, int]) -> None:
    k, n = pair
    there, back = sign_test(k, n, test="s"), sign_test(n - k, n, test="s")
    assert (there.p_value, there.statistic, there.effect) == (
        back.p_value,
        -back.statistic,
        pytest.approx(-back.effect),
    )
    assert there.direction == -back.direction
