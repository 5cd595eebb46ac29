"""The section of estimates: beside the test figures, escaped, and left out where there are none."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.reports.studies import HOSTILE, small_study

from rubricate.estimation import Estimate
from rubricate.reports.estimate_sections import estimate
from rubricate.reports.page import render_page
from rubricate.reports.results import results_of
from rubricate.types import Counts


def _estimate(method: str) -> Estimate:
    cells = [np.array([n]) for n in (30, 10, 20, 60)]
    return Estimate(method, 120, ("a",), Counts(*cells), "none", "none")


@pytest.mark.slow
def test_nothing_without_estimates():
    assert estimate(results_of(small_study())) is None


@pytest.mark.slow
def test_estimates_stand_beside_the_test_documents():
    data = small_study()
    given = {"SVM": [_estimate("xi_alpha"), _estimate("leave_one_out")]}
    results = results_of(dataclasses.replace(data, extras={"estimate": given}))
    body = estimate(results)
    assert body is not None
    assert body.count("<tr>") == 5
    assert "ξα" in body
    assert "test, score &gt; 0" in body
    assert "leave-one-out" in body
    assert ".2500" in body
    assert f"{results.value(0, 'micro-F1'):.4f}".lstrip("0") in body
    assert '<section id="estimate"' in render_page(results)


@pytest.mark.slow
def test_a_hostile_name_is_escaped():
    data = dataclasses.replace(small_study(), extras={"estimate": {HOSTILE[0]: _estimate("xi_alpha")}})
    body = estimate(results_of(data))
    assert body is not None
    assert "<script>" not in body
