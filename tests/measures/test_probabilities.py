"""Brier score, calibration error and reliability curves: against loops and scikit-learn, dense and sparse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss
from tests.measures.strategies import probabilities, sparsified
from tests.oracles import measures as oracle

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.measures import reliability, reliability_by_category
from rubricate.measures.probabilities import brier, calibration_error


@pytest.mark.slow
@given(probabilities())
def test_brier_agrees_with_its_twin_and_scikit_learn(pair):
    values, truth = pair
    found = brier(values, indicator(truth))
    for c in range(values.shape[1]):
        assert found[c] == pytest.approx(oracle.brier(values[:, c].tolist(), truth[:, c].tolist()), abs=1e-15)
        assert found[c] == pytest.approx(brier_score_loss(truth[:, c], values[:, c]), abs=1e-12)


@given(probabilities(), st.sampled_from([1, 3, 10]))
def test_calibration_error_agrees_with_its_twin(pair, bins):
    values, truth = pair
    found = calibration_error(values, indicator(truth), bins=bins)
    for c in range(values.shape[1]):
        slow = oracle.calibration_error(values[:, c].tolist(), truth[:, c].tolist(), bins)
        assert found[c] == pytest.approx(slow, abs=1e-14)
    pooled = calibration_error(values, indicator(truth), bins=bins, pooled=True)
    assert pooled[0] == pytest.approx(
        oracle.calibration_error(values.ravel().tolist(), truth.ravel().tolist(), bins), abs=1e-14
    )


@given(probabilities())
def test_the_curve_is_that_of_scikit_learn(pair):
    values, truth = pair
    curve = reliability(values, indicator(truth))
    observed, predicted = calibration_curve(truth.ravel(), values.ravel(), n_bins=10, pos_label=1)
    filled = curve.counts > 0
    assert curve.predicted[filled] == pytest.approx(predicted)
    assert curve.observed[filled] == pytest.approx(observed)
    assert np.isnan(curve.predicted[~filled]).all()
    assert curve.counts.sum() == truth.size


@pytest.mark.slow
@given(probabilities(), st.sampled_from([-np.inf, 0.0, 0.125, 0.3]))
def test_sparse_probabilities_are_the_dense_ones(pair, floor):
    values, truth = pair
    stored, dense, labels = sparsified(values, floor), np.maximum(values, max(floor, 0.0)), indicator(truth)
    assert brier(stored, labels) == pytest.approx(brier(dense, labels), abs=1e-15)
    assert calibration_error(stored, labels) == pytest.approx(calibration_error(dense, labels), abs=1e-14)
    ours, theirs = reliability_by_category(stored, labels), reliability_by_category(dense, labels)
    assert np.array_equal(ours.counts, theirs.counts)


def test_small_brier_scores_keep_their_digits():
    values = np.array([[1 - 1e-9], [1e-9]])
    for scores in (values, sparsified(values, 0.0)):
        assert brier(scores, indicator([[1], [0]]))[0] == pytest.approx(1e-18, rel=1e-6)


def test_a_calibrated_forecast_has_no_error_and_a_sure_wrong_one_has_all():
    truth = indicator([[1], [0], [0], [0]])
    assert calibration_error(np.full((4, 1), 0.25), truth)[0] == 0.0
    assert calibration_error(np.array([[0.0], [1.0], [1.0], [1.0]]), truth)[0] == 1.0
    assert brier(np.array([[0.0], [1.0], [1.0], [1.0]]), truth)[0] == 1.0


def test_edges_and_errors():
    with pytest.raises(InvalidInput, match=r"leave \[0, 1\]"):
        brier([[1.5]], indicator([[1]]))
    with pytest.raises(InvalidInput, match="at least one bin"):
        calibration_error([[0.5]], indicator([[1]]), bins=0)
    assert np.isnan(brier(np.zeros((0, 2)), indicator(np.zeros((0, 2))))).all()
    assert np.isnan(calibration_error(np.zeros((0, 2)), indicator(np.zeros((0, 2))))).all()
    assert len(calibration_error(np.zeros((2, 0)), indicator(np.zeros((2, 0))))) == 0
