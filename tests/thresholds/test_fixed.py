"""A fixed cut, and decisions at cuts in general."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import cuts as oracle
from tests.thresholds.strategies import WILD, as_sparse, tables

from rubricate.errors import InvalidInput
from rubricate.thresholds import FixedCut


@given(tables(), st.lists(WILD, min_size=4, max_size=4))
def test_a_cell_at_a_time(table, cuts):
    scores, _ = table
    cuts = np.array(cuts[: scores.shape[1]])
    expected = oracle.decide(scores, cuts)
    for form in (scores, as_sparse(scores)):
        decided = FixedCut(cut=cuts).decide(form)
        assert (decided.toarray() == expected).all()
        assert decided.dtype == bool
        assert decided.has_canonical_format


def test_cut_at_the_floor_assigns_what_is_not_stored():
    """A bare sparse matrix says 0 where it stores nothing."""
    scores = sparse.csr_array(np.array([[0.0, 0.4], [0.3, 0.0]]))
    assert FixedCut(cut=0.0).decide(scores).nnz == 4
    assert FixedCut(cut=[0.1, 0.0]).decide(scores).toarray().tolist() == [[False, True], [True, True]]


def test_learned_cuts_are_the_given_ones():
    assert FixedCut(cut=0.5).fit(None, np.zeros((2, 3))).cuts_.tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("cut", [np.nan, [0.1, 0.2, 0.3], [[0.1, 0.2]]])
def test_wrong_cuts_are_refused(cut):
    with pytest.raises(InvalidInput, match="expected one cut or 2 of them, none NaN"):
        FixedCut(cut=cut).decide([[1.0, 2.0]])
