"""Each criterion by hand, against its slow twin, and against scikit-learn and scipy on the same counts."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.stats import chi2_contingency
from scipy.stats.contingency import expected_freq
from sklearn.feature_selection import chi2 as sklearn_chi2
from sklearn.feature_selection import mutual_info_classif
from tests.oracles import selection as slow

from rubricate.text import occurrences as _occurrences
from rubricate.text.selection import RELATED, term_scores

CASES = st.tuples(st.integers(1, 8), st.integers(1, 5), st.integers(1, 3)).flatmap(
    lambda n: st.tuples(hnp.arrays(bool, n[:2]), hnp.arrays(bool, (n[0], n[2])))
)
RNG = np.random.default_rng(5)
PRESENT = RNG.random((200, 40)) < 0.05 + 0.9 * RNG.random(40)
LABELS = RNG.random((200, 7)) < 0.05 + 0.5 * RNG.random(7)


@given(case=CASES)
def test_cells_are_those_of_the_slow_twins(case) -> None:
    present, labels = case
    for name, twin in (("chi2", slow.chi2), ("mutual_information", slow.mutual_information)):
        found = term_scores(name, present, labels, by="each")
        np.testing.assert_allclose(found, [[twin(t, c) for c in labels.T] for t in present.T], rtol=1e-12, atol=1e-12)


@given(case=CASES)
def test_information_gain_is_the_papers_three_sums(case) -> None:
    present, labels = case
    expected = [slow.information_gain(term, labels) for term in present.T]
    np.testing.assert_allclose(term_scores("information_gain", present, labels), expected, rtol=1e-9, atol=1e-12)
    assert (term_scores("information_gain", present, labels, by="each") >= 0).all()


@given(present=st.tuples(st.integers(1, 14), st.integers(1, 5)).flatmap(lambda shape: hnp.arrays(bool, shape)))
def test_term_strength_is_that_of_the_slow_twin(present) -> None:
    expected = slow.term_strength(present, RELATED)
    np.testing.assert_allclose(term_scores("term_strength", present, None), expected, rtol=1e-12)


def test_by_hand() -> None:
    """Ten documents, term in 4, category of 5, both in 3: A B C D = 3 1 2 4."""
    term = np.array([[1]] * 4 + [[0]] * 6)
    category = np.array([[1]] * 3 + [[0]] + [[1]] * 2 + [[0]] * 4)
    assert term_scores("chi2", term, category)[0] == pytest.approx(10 * (3 * 4 - 2 * 1) ** 2 / (5 * 5 * 4 * 6))
    assert term_scores("mutual_information", term, category)[0] == pytest.approx(math.log(3 * 10 / (5 * 4)))
    assert term_scores("document_frequency", term, category).tolist() == [4]
    gain = -0.5 * math.log(0.5) + 0.4 * 0.75 * math.log(0.75) + 0.6 * (2 / 6) * math.log(2 / 6)
    assert term_scores("information_gain", term, category)[0] == pytest.approx(gain)


def test_ways_of_joining_by_hand() -> None:
    """Two categories with P(c) = 1/2 and 1/4; χ² of the term with them is 4 and 4/3."""
    term, labels = [[1], [1], [0], [0]], np.array([[1, 1], [1, 0], [0, 0], [0, 0]])
    found = {by: term_scores("chi2", term, labels, by=by)[0] for by in ("max", "avg", "sum")}
    assert found == pytest.approx({"max": 4, "avg": 0.5 * 4 + 0.25 * 4 / 3, "sum": 4 + 4 / 3})


def test_terms_and_categories_that_tell_nothing_score_zero() -> None:
    """Of no document or of every document: the denominators are 0, and so is the score."""
    present = np.array([[0, 1, 1], [0, 1, 0], [0, 1, 1]])
    for labels in ([[0], [0], [0]], [[1], [1], [1]]):
        for name in ("chi2", "information_gain", "mutual_information"):
            assert term_scores(name, present, np.array(labels)).tolist() == [0, 0, 0]
    assert term_scores("chi2", present, np.array([[1], [0], [0]]))[:2].tolist() == [0, 0]


def test_chi2_is_scipys() -> None:
    found = term_scores("chi2", PRESENT, LABELS, by="each")
    for t, c in [(0, 0), (3, 2), (17, 6), (39, 4)]:
        A, B, C, D = slow.table(PRESENT[:, t], LABELS[:, c])
        assert found[t, c] == pytest.approx(chi2_contingency([[A, B], [C, D]], correction=False).statistic, rel=1e-12)


def test_chi2_is_scikit_learns_times_n_over_the_documents_without_the_term() -> None:
    """scikit-learn sums (observed - expected)²/expected over the documents with the term alone."""
    found = term_scores("chi2", PRESENT, LABELS, by="each")
    factor = 200 / (200 - PRESENT.sum(axis=0))
    for c in range(LABELS.shape[1]):
        np.testing.assert_allclose(found[:, c], sklearn_chi2(PRESENT, LABELS[:, c])[0] * factor, rtol=1e-10)


def test_mutual_information_is_observed_over_expected_of_scipy() -> None:
    found = term_scores("mutual_information", PRESENT, LABELS, by="each")
    for t, c in [(0, 0), (3, 2), (17, 6), (39, 4)]:
        A, B, C, D = slow.table(PRESENT[:, t], LABELS[:, c])
        assert found[t, c] == pytest.approx(math.log(A / expected_freq([[A, B], [C, D]])[0, 0]), rel=1e-12)


def test_information_gain_of_single_labels_is_scikit_learns_mutual_information() -> None:
    classes = RNG.integers(0, 5, 200)
    expected = mutual_info_classif(PRESENT, classes, discrete_features=True)
    np.testing.assert_allclose(term_scores("information_gain", PRESENT, classes), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["chi2", "information_gain", "mutual_information"])
@pytest.mark.parametrize("by", ["max", "avg", "sum"])
def test_blocks_do_not_show(name: str, by: str, monkeypatch) -> None:
    whole = term_scores(name, PRESENT, LABELS, by=by)
    monkeypatch.setattr(_occurrences, "CELLS", 20)
    assert term_scores(name, sparse.csr_array(PRESENT), sparse.csr_array(LABELS), by=by).tolist() == whole.tolist()


@pytest.mark.slow
def test_memory_is_that_of_a_block_not_of_terms_times_categories() -> None:
    """100,000 terms × 200 categories are 160 MB as floats; a block is 8 MB, and a criterion holds a few of those."""
    present = sparse.random_array((300, 100_000), density=0.0005, rng=RNG, format="csr")
    labels = sparse.random_array((300, 200), density=0.01, rng=RNG, format="csr") != 0
    tracemalloc.start()
    term_scores("chi2", present, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80e6


def test_chi2_of_reuters_by_scikit_learn(aptemod) -> None:
    from rubricate.text.vectors import Vectors

    train = aptemod.train
    counts = Vectors(weights="nnn").fit_transform(train)
    found = term_scores("chi2", counts, train.labels, by="each")
    without = counts.shape[0] - np.bincount(counts.indices, minlength=counts.shape[1])
    for c in range(0, len(train.categories), 15):
        y = train.labels[:, [c]].toarray().ravel()
        peer = sklearn_chi2(counts.astype(bool).astype(float), y)[0] * counts.shape[0] / without
        np.testing.assert_allclose(found[:, c], peer, rtol=1e-9)
