"""Confusions against scikit-learn for single labels, and against loops for several."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import confusion_matrix

from rubricate.labels import indicator
from rubricate.reports.evaluation_tables import confusions

MATRICES = hnp.arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 5)))


def test_single_labels_give_the_confusion_matrix_without_its_diagonal():
    rng = np.random.default_rng(1)
    true, said = rng.integers(0, 6, 200), rng.integers(0, 6, 200)
    found = confusions(indicator(true[:, None] == np.arange(6)), indicator(said[:, None] == np.arange(6)))
    expected = confusion_matrix(true, said)
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(found.pairs.toarray(), expected)
    assert found.alone.sum() == found.extra.sum() == 0
    np.testing.assert_array_equal(found.missed, expected.sum(axis=1))
    np.testing.assert_array_equal(found.given, expected.sum(axis=0))


@given(MATRICES, st.integers(0, 2**31))
def test_agrees_with_loops(truth, seed):
    decided = truth ^ (np.random.default_rng(seed).random(truth.shape) < 0.4)
    pairs, alone, extra = Counter(), Counter(), Counter()
    for true, said in zip(truth, decided, strict=True):
        missed, given = np.flatnonzero(true & ~said), np.flatnonzero(said & ~true)
        pairs.update((c, g) for c in missed for g in given)
        alone.update(missed if not len(given) else [])
        extra.update(given if not len(missed) else [])
    found = confusions(indicator(truth), indicator(decided))
    columns = range(truth.shape[1])
    assert {(c, g): n for c, g, n in found.top(10**6)} == dict(pairs)
    assert found.alone.tolist() == [alone[c] for c in columns]
    assert found.extra.tolist() == [extra[c] for c in columns]
    assert found.missed.tolist() == (truth & ~decided).sum(axis=0).tolist()


def test_the_top_is_ordered_by_count_then_by_category():
    truth = indicator([[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    decided = indicator([[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 1, 0]])
    assert confusions(truth, decided).top(2) == [(0, 2, 2), (0, 1, 1)]
