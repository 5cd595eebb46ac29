"""SMART weights: by hand, against the slow oracle, as a transformer, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.oracles.weights import weights

from rubricate.errors import UnknownName
from rubricate.text.smart import SCHEMES
from rubricate.text.weights import Weights

pytestmark = pytest.mark.slow

COUNTS = st.integers(1, 5).flatmap(
    lambda terms: st.lists(st.lists(st.integers(0, 4), min_size=terms, max_size=terms), min_size=1, max_size=6)
)
LN2 = math.log(2)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(counts=COUNTS, data=st.data())
def test_every_triple_is_what_the_letters_say(scheme: str, counts: list[list[int]], data) -> None:
    fitted = Weights(scheme).fit(counts)
    width = len(counts[0])
    new = data.draw(st.lists(st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=3))
    for rows in (counts, new):
        found = fitted.transform(rows)
        np.testing.assert_allclose(found.toarray(), weights(scheme, counts, rows), rtol=1e-14, atol=1e-15)
        assert found.has_canonical_format
        assert np.count_nonzero(found.data) == found.nnz


def test_by_hand() -> None:
    """Four documents; df is 2, 1 and 4, so that ln(N/df) is ln 2, 2 ln 2 and 0."""
    counts = np.array([[1, 0, 3], [2, 0, 1], [0, 4, 1], [0, 0, 1]])
    np.testing.assert_allclose(Weights("ntn").fit_transform(counts).toarray()[1], [2 * LN2, 0, 0])
    np.testing.assert_allclose(Weights("ltn").fit_transform(counts).toarray()[2], [0, (1 + math.log(4)) * 2 * LN2, 0])
    np.testing.assert_allclose(Weights("ann").fit_transform(counts).toarray()[0], [0.5 + 0.5 / 3, 0, 1])
    np.testing.assert_allclose(
        Weights("Lnn").fit_transform(counts).toarray()[0], [1 / (1 + LN2), 0, (1 + math.log(3)) / (1 + LN2)]
    )
    np.testing.assert_allclose(Weights("bpn").fit_transform(counts).toarray()[2], [0, math.log(3), 0])
    np.testing.assert_allclose(
        Weights("lnc").fit_transform(counts).toarray()[1], np.array([1 + LN2, 0, 1]) / math.hypot(1 + LN2, 1)
    )
    assert Weights("ltc").fit_transform(counts).toarray()[3].tolist() == [0, 0, 0]


def test_ltc_is_scikit_learns_without_its_added_one() -> None:
    counts = sparse.random_array((50, 30), density=0.2, rng=np.random.default_rng(3), format="csr")
    counts.data = np.ceil(counts.data * 5)
    peer = TfidfTransformer(sublinear_tf=True, smooth_idf=False).fit(counts)
    peer.idf_ = peer.idf_ - 1
    np.testing.assert_allclose(
        Weights("ltc").fit_transform(counts).toarray(), peer.transform(counts).toarray(), rtol=1e-13, atol=1e-15
    )


def test_tfidf_is_ntc() -> None:
    counts = [[1, 2], [0, 1], [3, 0]]
    found = Weights("tfidf").fit_transform(counts).toarray()
    assert found.tolist() == Weights("ntc").fit_transform(counts).toarray().tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_nan_where_nothing_is_known(scheme: str) -> None:
    fitted = Weights(scheme).fit([[1, 0, 2], [1, 0, 0]])
    found = fitted.transform([[0, 0, 0], [0, 5, 0], [7, 0, 0]]).toarray()
    assert np.isfinite(found).all()
    assert found[0].tolist() == [0, 0, 0]


def test_a_mean_count_of_one_over_e_weighs_nothing() -> None:
    """1 + ln(1/e) = 0 in floating point too: L would be 0/0, and x/0 for other terms of such a document."""
    counts = [[math.exp(-1), 0, 0], [0.25, 2 * math.exp(-1) - 0.25, 0], [0, 0, 3]]
    found = Weights("Lnn").fit_transform(counts).toarray()
    assert np.isfinite(found).all()
    assert found[0].tolist() == [0, 0, 0]
    assert found[2].tolist() == [0, 0, 1]


@given(counts=COUNTS, scheme=st.sampled_from(SCHEMES))
def test_one_by_one_is_the_batch_to_the_last_digit(counts: list[list[int]], scheme: str) -> None:
    fitted = Weights(scheme).fit(counts)
    single = sparse.vstack([fitted.transform([row]) for row in counts])
    assert (single != fitted.transform(counts)).nnz == 0


@given(counts=COUNTS)
def test_cosine_rows_have_length_one_or_nothing(counts: list[list[int]]) -> None:
    length = np.sqrt((Weights("lnc").fit_transform(counts).toarray() ** 2).sum(axis=1))
    expected = np.array([float(any(row)) for row in counts])
    np.testing.assert_allclose(length, expected, rtol=1e-14)


def test_the_argument_is_left_as_it_was() -> None:
    """Duplicates and stored zeros are put in order in a copy."""
    messy = sparse.csr_array((np.array([1, 1, 0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    found = Weights("nnn").fit_transform(messy)
    assert found.toarray().tolist() == [[0.0, 2.0]]
    assert messy.data.tolist() == [1, 1, 0]


def test_unknown_and_negative() -> None:
    with pytest.raises(UnknownName, match="Did you mean"):
        Weights("ltx").fit([[1]])
    with pytest.raises(ValueError, match="below zero"):
        Weights().fit([[1, -1]])


@parametrize_with_checks([Weights()])
def test_a_scikit_learn_transformer(estimator, check) -> None:
    check(estimator)


def test_the_smoothed_idf_is_that_of_scikit_learn():
    counts = np.random.default_rng(0).integers(0, 4, size=(12, 9))
    ours = Weights("lsc").fit_transform(counts).toarray()
    assert np.allclose(ours, TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray())
