"""Drawings from data: areas, margins, and what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.papers.figures import (
    _gap,
    _lens,
    contingency_drawing,
    margin_drawing,
    overlap,
    sets_drawing,
    smaller_margin,
    vector_drawing,
)


@given(st.floats(1, 1000), st.floats(1, 1000), st.floats(0.01, 0.99))
def test_circles_overlap_in_the_wanted_area(first, second, share):
    common = share * min(first, second)
    r, s = math.sqrt(first / math.pi), math.sqrt(second / math.pi)
    assert _lens(r, s, overlap(first, second, common)) == pytest.approx(common, rel=1e-5)


def test_a_set_inside_the_other_and_sets_apart():
    assert overlap(4 * math.pi, math.pi, math.pi) == pytest.approx(1.0)
    assert overlap(4 * math.pi, math.pi, 0.0) == pytest.approx(3.0)
    drawn = sets_drawing("figure1", "t", relevant=10, retrieved=4, both=4)
    assert "A∩B: 4" in drawn.svg


def test_the_other_line_parts_the_points_with_about_half_the_margin():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((10, 2)), rng.random((10, 2)) + np.array([1.5, 0.0])])
    positive = np.arange(20) >= 10
    best = np.array([1.0, 0.0])
    other = smaller_margin(points, positive, best)
    assert _gap(points, positive, other) == pytest.approx(_gap(points, positive, best) / 2, rel=0.05)
    drawn = margin_drawing("figure2", "t", points=points, positive=positive, direction=other, axes=("x", "<y>"))
    assert drawn.svg.count("<circle") == 10
    assert drawn.svg.count("stroke-dasharray") == 2
    assert "&lt;y&gt;" in drawn.svg


def test_a_vector_and_a_contingency_table_show_their_numbers():
    assert ">3<" in vector_drawing("figure1", "t", lines=["wheat & corn"], counts={"wheat": 3}).svg
    drawn = contingency_drawing("figure2", "t", shares=[[0.2, 0.1], [0.3, 0.4]]).svg
    assert all(f">{value}<" in drawn for value in ("0.2000", "0.3000", "0.5000", "0.7000"))
