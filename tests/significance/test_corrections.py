from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests
from tests.oracles import significance as oracle

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance import benjamini_hochberg, holm
from rubricate.significance.corrections import adjusted

values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(values)
def test_holm_agrees_with_the_oracle(p: list[float]) -> None:
    assert holm(p) == pytest.approx(oracle.holm(p), abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 10, 45])
def test_holm_agrees_with_statsmodels(size: int) -> None:
    p = np.random.default_rng(size).beta(0.3, 1, size).round(2)
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-14)


@given(values)
def test_benjamini_hochberg_agrees_with_scipy_and_statsmodels(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p), abs=1e-14)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-14)


@given(values)
def test_corrections_never_lower_a_p_value_and_holm_is_the_stricter(p: list[float]) -> None:
    slack = 1e-15
    assert (benjamini_hochberg(p) >= np.array(p) - slack).all()
    assert (holm(p) >= benjamini_hochberg(p) - slack).all()


def test_worked_example() -> None:
    # holm1979 by hand: .005·4, .01·3, .03·2, .04·1, never falling.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([0.3, 0.1], "none").tolist() == [0.3, 0.1]
    assert len(holm([])) == len(benjamini_hochberg([])) == 0


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [float("nan")], [[0.1]]])
def test_what_is_no_p_value(wrong: list) -> None:
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        holm(wrong)


def test_unknown_correction() -> None:
    with pytest.raises(UnknownName, match="holm"):
        adjusted([0.1], "hohm")
