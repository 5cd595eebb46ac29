"""Boosted trees, against trying every split on the raw values, and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles.boosting import boosted

from rubricate.classifiers.blend import grow_trees, score_trees
from rubricate.native.trees import BINS, Boosting, grow_boosted_trees, score_boosted_trees

SETTING = Boosting(rounds=4, rate=0.3, leaves=4, min_rows=3, penalty=1.0)


def slow_scores(X, y, new, setting):
    rounds, rate, leaves, least, penalty = setting
    return boosted(X, y, new, rounds=rounds, rate=rate, leaves=leaves, least=least, penalty=penalty)


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 60), features=st.integers(1, 4))
def test_agrees_with_the_slow_twin(seed, rows, features):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(rows, features)), rng.normal(size=(20, features))
    y = (X[:, 0] + rng.normal(size=rows) > 0.3).astype(float)
    trees = grow_trees(X, y, SETTING)
    np.testing.assert_allclose(score_trees(trees, new), slow_scores(X, y, new, SETTING), rtol=1e-9, atol=1e-9)
    count_cases(len(new))


@given(SEEDS)
def test_few_rows_agree_with_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    rows, features = int(rng.integers(1, 9)), int(rng.integers(1, 3))
    X, new = rng.integers(0, 4, (rows, features)) / 2, rng.normal(size=(3, features))
    y, setting = (rng.random(rows) < 0.5).astype(float), Boosting(rounds=2, rate=0.3, leaves=3, min_rows=1, penalty=1.0)
    trees = grow_trees(X, y, setting)
    np.testing.assert_allclose(score_trees(trees, new), slow_scores(X, y, new, setting), rtol=1e-9, atol=1e-9)
    count_cases(len(new))


@pytest.mark.slow
def test_as_good_as_the_one_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(2, 8000, 6))
    y, truth = ((Z[:, 0] * Z[:, 1] + Z[:, 2] + rng.normal(size=8000) / 2 > 1).astype(float) for Z in (X, new))
    trees = grow_trees(X, y, Boosting(rounds=60, rate=0.1, leaves=15, min_rows=20, penalty=1.0))
    peer = HistGradientBoostingClassifier(
        max_iter=60, learning_rate=0.1, max_leaf_nodes=15, l2_regularization=1.0, early_stopping=False
    ).fit(X, y)
    ours = log_loss(truth, 1 / (1 + np.exp(-score_trees(trees, new))))
    assert ours == pytest.approx(log_loss(truth, peer.predict_proba(new)[:, 1]), abs=0.004)


def test_many_equal_values_and_constant_features_are_no_split():
    X = np.column_stack([np.repeat([0.0, 1.0], 50), np.full(100, 7.0)])
    y = np.repeat([0.0, 1.0], 50)
    trees = grow_trees(X, y, SETTING)
    assert set(trees.features[:, 0]) == {0}
    assert trees.limits[0, 0] == 0.5
    assert (score_trees(trees, X) > 0).tolist() == (y > 0).tolist()


@pytest.mark.parametrize("truth", [0.0, 1.0])
def test_one_class_and_no_rows_are_finite(truth):
    trees = grow_trees(np.ones((5, 2)), np.full(5, truth), SETTING)
    assert np.isfinite(score_trees(trees, np.ones((2, 2)))).all()
    empty = grow_trees(np.ones((0, 2)), np.ones(0), SETTING)
    assert score_trees(empty, np.ones((2, 2))).tolist() == [0.0, 0.0]


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    X = np.repeat([low, high], 20)[:, None]
    y = np.repeat([0.0, 1.0], 20)
    assert (score_trees(grow_trees(X, y, SETTING), X) > 0).tolist() == (y > 0).tolist()


def test_arguments_that_do_not_fit_are_refused():
    bins, y = np.zeros((4, 2), np.uint8), np.ones(4)
    with pytest.raises(ValueError, match=f"bins must be below {BINS}"):
        grow_boosted_trees(bins + BINS, y, SETTING)
    with pytest.raises(ValueError, match="truth has 3 values"):
        grow_boosted_trees(bins, y[:3], SETTING)
    with pytest.raises(ValueError, match="the penalty above 0"):
        grow_boosted_trees(bins, y, SETTING._replace(penalty=0.0))
    with pytest.raises(TypeError, match="uint8"):
        grow_boosted_trees(bins.astype(np.int64), y, SETTING)
    trees = grow_trees(np.arange(40.0).reshape(20, 2), np.arange(20) % 3 / 2 // 1, SETTING)
    with pytest.raises(ValueError, match="beyond the 1"):
        score_boosted_trees(trees._replace(features=trees.features + 1), np.ones((2, 1)))


def test_no_rounds_and_no_features_leave_the_first_log_odds():
    trees = grow_trees(np.ones((3, 1)), np.array([1.0, 1.0, 0.0]), SETTING._replace(rounds=0))
    assert score_trees(trees, np.ones((1, 1))).tolist() == [pytest.approx(np.log(2.5 / 1.5))]
    assert grow_boosted_trees(np.zeros((3, 0), np.uint8), np.ones(3), SETTING).base == 0.0
