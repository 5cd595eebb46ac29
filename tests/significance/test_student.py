"""The t-test on paired differences against scipy, and its exact variant against full enumeration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, permutation_test, ttest_1samp, wilcoxon
from tests.oracles import significance as oracle

from rubricate.significance import statistics as sign_flips
from rubricate.significance.statistics import flip_tail, t_test

eighths = st.lists(st.integers(-8, 8).filter(bool), min_size=1, max_size=9)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_student_up_to_forty(n: int) -> None:
    d = np.random.default_rng(n).normal(0.3, 1, n)
    found, expected = t_test(d, test="T"), ttest_1samp(d, 0)
    assert found.method == "student"
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue / 2, rel=1e-11)


def test_normal_beyond_forty() -> None:
    d = np.random.default_rng(3).normal(0.3, 1, 41)
    found = t_test(d, test="T")
    assert found.method == "normal"
    assert found.p_value == pytest.approx(norm.sf(abs(ttest_1samp(d, 0).statistic)), rel=1e-12)


def test_zeros_are_left_out() -> None:
    d = np.array([0.0, 0.25, 0.0, -0.5, 0.125])
    assert t_test(d, test="T") == t_test(d[d != 0], test="T")
    assert t_test(d, test="T").n == 3


def test_worked_example() -> None:
    # d = 1, 2, 3: mean 2, s = 1, s.e. = 1/√3, T = 2√3; P(t_2 > 2√3) = 1/2 − T/(2√(2 + T²)).
    found = t_test(np.array([1.0, 2.0, 3.0]), test="T")
    assert found.statistic == pytest.approx(12**0.5, rel=1e-15)
    assert found.p_value == pytest.approx(0.5 - 12**0.5 / (2 * 14**0.5), rel=1e-13)
    assert found.effect == pytest.approx(2.0)


@pytest.mark.parametrize(
    "d, why",
    [
        ([], "never differ"),
        ([0.0, 0.0], "never differ"),
        ([0.4], "one difference"),
        ([0.1, 0.1, 0.1], "standard error 0"),
        ([0.3 - 0.2, 0.2 - 0.1, 0.1], "standard error 0"),
    ],
)
def test_no_standard_error_is_no_evidence(d: list[float], why: str) -> None:
    found = t_test(np.array(d), test="T")
    assert (found.p_value, found.symbol, found.better) == (1.0, "~", None)
    assert why in found.note


def test_the_exact_variant_answers_where_there_is_no_standard_error() -> None:
    assert t_test(np.array([0.4]), test="T", exact=True).p_value == 0.5
    assert t_test(np.full(5, 0.1), test="T", exact=True).p_value == 1 / 32
    assert t_test(np.full(5, 0.1), test="T", mid_p=True).p_value == 1 / 64


@given(eighths, st.sampled_from([8, 10]))
def test_exact_goes_through_all_sign_patterns(numerators: list[int], denominator: int) -> None:
    """Over tenths the halves meet, over eighths too; halves and wholes go by the table."""
    expected = [float(p) for p in oracle.flip_p([Fraction(k, denominator) for k in numerators])]
    p_value, tie, method = flip_tail(np.array(numerators) / denominator)
    assert [p_value, tie] == pytest.approx(expected, rel=1e-12)
    assert method == "sign flips, exact"


@given(eighths)
def test_table_goes_through_all_sign_patterns(ranks: list[int]) -> None:
    expected = [float(p) for p in oracle.flip_p([Fraction(k, 2) for k in ranks])]
    assert list(flip_tail(np.array(ranks) / 2)[:2]) == pytest.approx(expected, rel=1e-12)


def test_forty_differences_are_exact_and_agree_with_the_table() -> None:
    d = np.random.default_rng(5).integers(-9, 15, 40).astype(float)
    d = d[d != 0]
    met = sign_flips.tail_by_halves(np.abs(d), abs(d.sum()))
    tabled = sign_flips.tail_by_table(np.abs(2 * d).astype(np.int64), int(abs(2 * d.sum())))
    assert met == pytest.approx(tabled, rel=1e-10)


def test_exact_agrees_with_wilcoxon_on_signed_ranks() -> None:
    signed = np.array([1, 2, -3, 4, 5, 6, -7, 8, 9, 10.0])
    expected = wilcoxon(signed, alternative="greater", method="exact").pvalue
    assert flip_tail(signed)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_draws_agree_with_scipys_permutation_test() -> None:
    d = np.random.default_rng(8).normal(0.2, 1, 60)
    drawn, _, method = flip_tail(d, seed=4)
    expected = permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",
        alternative="greater",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    assert "draws" in method
    assert drawn == pytest.approx(expected, abs=0.01)
    assert drawn == flip_tail(d, seed=4)[0]


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=30))
def test_mirrors_and_is_free_of_order(values: list[float]) -> None:
    d = np.array(values)
    there, back, turned = t_test(d, test="T"), t_test(-d, test="T"), t_test(d[::-1], test="T")
    assert (there.p_value, there.statistic) == (back.p_value, -back.statistic)
    assert there == turned
    assert 0 <= there.p_value <= 1
