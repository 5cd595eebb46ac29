"""Rcut: the best of each document, by sorting and by heap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import cuts as oracle
from tests.thresholds.strategies import as_sparse, tables

from rubricate.errors import InvalidInput
from rubricate.thresholds import Rcut


@given(tables(), st.integers(1, 5))
def test_the_t_first_of_the_sorted_categories(table, t):
    scores, _ = table
    expected = oracle.rcut(scores, t)
    assert (Rcut(t=t).decide(scores).toarray() == expected).all()
    assert (Rcut(t=t).decide(as_sparse(scores)).toarray() == expected).all()


@given(st.integers(0, 1000), st.integers(1, 40))
def test_many_categories(seed, t):
    scores = np.random.default_rng(seed).integers(0, 12, (6, 37)).astype(float)
    assert (Rcut(t=t).decide(scores).toarray() == oracle.rcut(scores, t)).all()


def test_equal_scores_go_to_the_earlier_category():
    assert Rcut(t=2).decide(np.zeros((1, 4))).toarray().tolist() == [[True, True, False, False]]


def test_more_than_there_are_is_all():
    assert Rcut(t=9).decide([[1.0, -np.inf, 3.0]]).toarray().tolist() == [[True, False, True]]


@pytest.mark.parametrize("t", [0, -1, 1.5, "2"])
def test_t_must_be_a_rank(t):
    with pytest.raises(InvalidInput, match="t = 1, 2, …"):
        Rcut(t=t).decide([[1.0]])
