"""s, S, T, T' and p on runs, against slow twins and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rankdata, ttest_rel
from tests.oracles import significance as oracle

from rubricate.labels import indicator
from rubricate.significance import System
from rubricate.significance.proportions import proportions
from rubricate.significance.sign_tests import macro_sign, micro_sign
from rubricate.significance.t_tests import macro_t, macro_t_ranks
from rubricate.types import Counts


@pytest.fixture
def pair(make_run, noisy):
    truth, decided = noisy(1, (60, 50), 0.05, 0.12)
    return truth, decided, [make_run(n, truth, d) for n, d in zip("ab", decided, strict=True)]


def _f1(truth, decided):
    return [oracle.f1(truth[:, c], decided[:, c]) for c in range(truth.shape[1])]


def test_s_counts_the_decisions_that_one_gets_right(pair) -> None:
    truth, (a, b), runs = pair
    wins, losses = int(((a == truth) & (b != truth)).sum()), int(((a != truth) & (b == truth)).sum())
    found = micro_sign(*runs)
    assert found.n == wins + losses > 12
    z = (wins - found.n / 2) / (found.n**0.5 / 2)
    assert found.statistic == pytest.approx(z, rel=1e-13)
    assert found.p_value == pytest.approx(norm.sf(abs(z)), rel=1e-12)


def test_big_s_counts_the_categories(pair) -> None:
    truth, (a, b), runs = pair
    of_a, of_b = np.array(_f1(truth, a)), np.array(_f1(truth, b))
    found = macro_sign(*runs)
    assert found.n == (of_a != of_b).sum()
    wins = (of_a > of_b).sum()
    assert found.statistic == pytest.approx((wins - found.n / 2) / (found.n**0.5 / 2), rel=1e-13)


def test_t_is_the_paired_test_without_ties(pair) -> None:
    truth, (a, b), runs = pair
    of_a, of_b = np.array(_f1(truth, a)), np.array(_f1(truth, b))
    found = macro_t(*runs)
    assert (found.statistic, found.n) == (pytest.approx(oracle.t_statistic(of_a.tolist(), of_b.tolist())[0]), found.n)
    differ = of_a != of_b
    assert found.statistic == pytest.approx(ttest_rel(of_a[differ], of_b[differ]).statistic, rel=1e-10)


def test_t_prime_ranks_the_pooled_values(pair) -> None:
    truth, (a, b), runs = pair
    pooled = _f1(truth, a) + _f1(truth, b)
    ranks = oracle.mean_ranks(pooled)
    assert ranks == rankdata(pooled).tolist()
    half = len(pooled) // 2
    found = macro_t_ranks(*runs)
    statistic, n = oracle.t_statistic(ranks[:half], ranks[half:])
    assert (found.statistic, found.n) == (pytest.approx(statistic, rel=1e-12), n)


def test_p_takes_the_trials_of_the_paper(pair) -> None:
    truth, (a, b), runs = pair
    tp = [int((truth & d).sum()) for d in (a, b)]
    assert proportions(*runs).n == 2 * truth.sum()
    assert proportions(*runs, measure="precision").n == a.sum() + b.sum()
    assert proportions(*runs, measure="error").n == 2 * truth.size
    assert f"{tp[0] / truth.sum():.6g}" in proportions(*runs).note
    accuracy, error = (proportions(*runs, measure=m) for m in ("accuracy", "error"))
    assert accuracy.statistic == pytest.approx(-error.statistic)
    assert (accuracy.better, error.better) == ("a", "a")
    assert (accuracy.symbol, error.symbol) == (">>", "<<")


def test_worked_example_by_hand() -> None:
    """Two categories, three documents: a errs once, b three times, all on other decisions."""
    truth = indicator([[1, 0], [1, 1], [0, 1]])
    a = System("a", truth=truth, decided=indicator([[1, 0], [1, 1], [1, 1]]))
    b = System("b", truth=truth, decided=indicator([[0, 0], [1, 0], [0, 0]]))
    s = micro_sign(a, b)
    assert (s.n, s.p_value) == (4, 5 / 16)  # a right 3 of 4: (4 + 1)/16
    # F1 of a: 4/5 and 1; of b: 2/3 and 0. Differences 2/15 and 1: mean 17/30, s = 13/(15√2), T = 17/13.
    assert macro_t(a, b).statistic == pytest.approx(17 / 13, rel=1e-14)
    # Pooled 0, 2/3, 4/5, 1 have ranks 1, 2, 3, 4: differences 1 and 3, mean 2, s = √2, T' = 2.
    assert macro_t_ranks(a, b).statistic == pytest.approx(2.0, rel=1e-14)
    assert macro_sign(a, b).p_value == 1 / 4


def test_counts_alone_serve_the_macro_tests(pair) -> None:
    _, _, runs = pair
    from rubricate.significance.system import as_system

    bare = [System(r.name, r.categories, table=as_system(r).counts) for r in runs]
    for test in (macro_sign, macro_t, macro_t_ranks, proportions):
        assert test(*bare) == test(*runs)


def test_undefined_decides_which_categories_count() -> None:
    zero = np.zeros(3, np.int64)
    a = System("a", table=Counts(zero, zero, np.array([0, 1, 1]), zero), categories=("x", "y", "z"))
    b = System("b", table=Counts(np.array([0, 1, 1]), np.array([1, 0, 0]), zero, zero), categories=("x", "y", "z"))
    # Category x: a is 0/0 (nothing true, nothing assigned), b is 0.
    assert macro_sign(a, b).n == 2
    assert macro_sign(a, b, undefined="one").n == 3
    assert macro_sign(a, b, undefined="omit").n == 2


def test_exact_where_few_categories_differ(pair) -> None:
    _, _, runs = pair
    from fractions import Fraction

    from rubricate.significance.system import as_system

    few = [as_system(r).within(np.arange(50) < 8) for r in runs]
    truth, (a, b), _ = pair
    pooled = oracle.mean_ranks(_f1(truth[:, :8], a[:, :8]) + _f1(truth[:, :8], b[:, :8]))
    d = [Fraction(x) - Fraction(y) for x, y in zip(pooled[:8], pooled[8:], strict=True) if x != y]
    assert macro_t_ranks(*few, exact=True).p_value == float(oracle.flip_p(d)[0])
    assert macro_t(*few, exact=True).method == "sign flips, exact"
