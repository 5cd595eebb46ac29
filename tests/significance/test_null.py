"""Under a true null the tests reject about α of the time; where a published test does not, that is shown too.

The bounds are those of 300 worlds: a rate of .05 on each side has a standard error of about .01 (in
docs/methods/significance.md are the rates of 2,000 worlds).
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.significance.null_worlds import WORLDS, rejection_rates

from rubricate.significance.corrections import holm

pytestmark = pytest.mark.slow

RUNS = 300


def test_all_hold_when_decisions_are_independent() -> None:
    names = [
        "s",
        "T",
        "T'",
        "T, exact",
        "p recall",
        "p precision",
        "p error",
        "mcnemar, mid-p",
        "permutation, micro-F1",
    ]
    rates = rejection_rates(WORLDS["independent"], names, runs=RUNS)
    assert all(0.02 <= rate <= 0.085 for rate in rates.values()), rates


@pytest.mark.parametrize("world", sorted(WORLDS))
def test_tests_whose_units_are_documents_hold_everywhere(world: str) -> None:
    names = ["permutation, micro-F1", "permutation, macro-F1", "mcnemar"]
    rates = rejection_rates(WORLDS[world], names, runs=RUNS // 2, seed=1)
    assert all(rate <= 0.1 for rate in rates.values()), rates


def test_the_s_test_rejects_too_often_where_errors_come_in_pairs() -> None:
    rates = rejection_rates(WORLDS["single label"], ["s"], runs=2 * RUNS, seed=2)
    assert 0.075 < rates["s"] < 0.18, rates


def test_the_tests_of_decisions_and_categories_reject_too_often_on_hard_texts() -> None:
    rates = rejection_rates(WORLDS["hard texts"], ["s", "S", "T", "T'"], runs=RUNS, seed=3)
    assert all(rate > 0.1 for rate in rates.values()), rates


def test_the_p_test_is_too_cautious_for_systems_that_err_alike() -> None:
    rates = rejection_rates(WORLDS["alike"], ["p recall", "p error"], runs=RUNS, seed=4)
    assert all(rate < 0.02 for rate in rates.values()), rates


def test_holm_keeps_the_chance_of_one_false_rejection() -> None:
    rng = np.random.default_rng(0)
    any_rejected = [bool((holm(rng.random(10)) <= 0.05).any()) for _ in range(2000)]
    assert np.mean(any_rejected) == pytest.approx(0.05, abs=0.015)
