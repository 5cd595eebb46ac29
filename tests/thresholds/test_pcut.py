"""Pcut: the number assigned, its rounding, its ties, and both priors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import cuts as oracle
from tests.thresholds.strategies import as_sparse, tables

from rubricate.errors import InvalidInput, UnknownName
from rubricate.thresholds import Pcut


@given(tables(), tables(), st.sampled_from([0.0, 0.5, 1.0, 1.25, 3.0]), st.sampled_from(["documents", "labels"]))
def test_the_number_nearest_to_the_quota(table, training, x, prior):
    scores, labels = table[0], training[1]
    width = min(scores.shape[1], labels.shape[1])
    scores, labels = scores[:, :width], labels[:, :width]
    held = labels.sum(axis=0)
    total = max(len(labels) if prior == "documents" else int(held.sum()), 1)
    quotas = [Fraction(x) * len(scores) * int(n) / total for n in held]
    cut = Pcut(x=x, prior=prior).fit(None, labels)
    expected = oracle.pcut(scores, quotas)
    assert (cut.decide(scores).toarray() == expected).all()
    assert (cut.decide(as_sparse(scores)).toarray() == expected).all()


def test_priors_of_the_paper():
    """Section 4.2: shares of the documents. Section 4.3: x is the mean number of categories of a document."""
    labels = np.array([[1, 1], [1, 0], [0, 0], [0, 0]])
    assert Pcut(x=1.0).fit(None, labels).quotas(100).tolist() == [50.0, 25.0]
    by_labels = Pcut(x=1.2, prior="labels").fit(None, labels).quotas(100)
    np.testing.assert_allclose(by_labels, [80.0, 40.0])
    np.testing.assert_allclose(by_labels.sum() / 100, 1.2)


@pytest.mark.parametrize(("x", "assigned"), [(0.4, 0), (0.5, 0), (0.6, 1), (1.5, 1), (1.6, 2), (9.0, 4)])
def test_halves_are_rounded_down(x, assigned):
    """One of four training documents has the category, four are decided: the quota is x."""
    cut = Pcut(x=x).fit(None, [[1], [0], [0], [0]])
    assert cut.decide([[0.4], [0.3], [0.2], [0.1]]).nnz == assigned


def test_a_tie_is_taken_whole_or_not_at_all():
    cut = Pcut(x=2.0).fit(None, [[1], [0], [0], [0], [0]])
    assert cut.decide([[0.9], [0.5], [0.5], [0.5], [0.1]]).nnz == 1
    assert cut.decide([[0.9], [0.5], [0.5], [0.2], [0.1]]).nnz == 1
    assert cut.decide([[0.5], [0.5], [0.5], [0.2], [0.1]]).nnz == 3
    assert cut.decide(np.zeros((5, 1))).nnz == 0


def test_no_training_documents_assign_nothing():
    for prior in ("documents", "labels"):
        assert Pcut(prior=prior).fit(None, np.zeros((0, 2))).decide(np.ones((3, 2))).nnz == 0


def test_wrong_options_are_named():
    with pytest.raises(UnknownName, match="no prior named 'words'"):
        Pcut(prior="words").fit(None, [[1]])
    with pytest.raises(InvalidInput, match="x must be a number from 0 on"):
        Pcut(x=-1.0).fit(None, [[1]])
