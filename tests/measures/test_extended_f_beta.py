"""Extended F-beta (sunlim2001, section 3.2) without contributions is F-beta: 3 right, 1 wrong, 3 missed."""

from __future__ import annotations

import numpy as np
import pytest

from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures.extended import Extended, extended_f_beta
from rubricate.measures.nearness import Similarity, category_vectors


@pytest.mark.parametrize(("beta", "expected"), [(0.0, 3 / 4), (float("inf"), 3 / 6), (1.0, 2 * 3 / (4 + 6))])
def test_extended_f_beta_has_precision_and_recall_at_its_ends(beta, expected):
    zero = np.zeros(1)
    one, three = np.array([1]), np.array([3])
    table = Extended(tp=three, fp=one, fn=three, tn=one, fp_con=zero, fn_con=zero, credit=3.0 + zero)
    assert extended_f_beta(table, beta=beta)[0] == pytest.approx(expected)


def test_similarities_need_a_vector_or_a_row_per_category():
    with pytest.raises(InvalidInput, match="one vector or row is needed each"):
        Similarity(("a", "b"))
    with pytest.raises(InvalidInput, match="one vector or row is needed each"):
        Similarity(("a", "b"), values=np.eye(3))
    assert Similarity(("a", "b"), values=np.eye(2)).matrix().tolist() == [[1, 0], [0, 1]]


def test_vectors_are_joined_in_two_ways_and_no_other():
    with pytest.raises(UnknownName, match="way to join vectors"):
        category_vectors(np.eye(2), np.eye(2, dtype=bool), how="mean")
