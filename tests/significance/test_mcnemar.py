from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference

from rubricate.errors import UnknownName
from rubricate.significance.sign_tests import mcnemar, micro_sign


@pytest.fixture
def runs(make_run, noisy):
    truth, decided = noisy(4, (200, 8), 0.05, 0.09)
    return truth, decided, [make_run(n, truth, d) for n, d in zip("ab", decided, strict=True)]


def _table(a_right: np.ndarray, b_right: np.ndarray) -> list[list[int]]:
    return [
        [int((a_right & b_right).sum()), int((a_right & ~b_right).sum())],
        [int((~a_right & b_right).sum()), int((~a_right & ~b_right).sum())],
    ]


@pytest.mark.parametrize("unit", ["documents", "decisions"])
@pytest.mark.parametrize("correction", [True, False])
def test_agrees_with_statsmodels(runs, unit: str, correction: bool) -> None:
    truth, (a, b), pair = runs
    right = [d == truth for d in (a, b)]
    if unit == "documents":
        right = [r.all(axis=1) for r in right]
    table = _table(right[0].ravel(), right[1].ravel())
    for exact in (True, False):
        expected = reference(table, exact=exact, correction=correction)
        found = mcnemar(*pair, unit=unit, correction=correction, exact=exact)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-11)
        assert found.n == table[0][1] + table[1][0]
        if not exact:
            assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)


def test_mid_p_takes_off_the_observed_chance(make_run) -> None:
    # a is right on 4 documents that b gets wrong: 2·(1/16) − 1/16.
    truth = np.ones((4, 1), bool)
    pair = [make_run("a", truth, truth), make_run("b", truth, ~truth)]
    assert mcnemar(*pair, exact=True).p_value == 1 / 8
    assert mcnemar(*pair, mid_p=True).p_value == 1 / 16


def test_decisions_are_those_of_the_s_test(runs) -> None:
    _, _, pair = runs
    assert mcnemar(*pair, unit="decisions").n == micro_sign(*pair).n


def test_unknown_unit(runs) -> None:
    with pytest.raises(UnknownName, match="documents"):
        mcnemar(*runs[2], unit="document")
