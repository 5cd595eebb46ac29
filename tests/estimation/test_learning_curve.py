"""Learning curves and their forecasts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.estimation.learning_curves import _fit, forecast
from rubricate.estimation.resampling import cross_validation


def test_a_power_law_is_found_again():
    sizes = np.array([50, 100, 200, 400, 800])
    points = 0.1 + 2 * sizes**-0.7
    value, low, high = forecast(sizes, points[:, None], 3200, falling=True)
    assert value == pytest.approx(0.1 + 2 * 3200**-0.7, abs=0.002)
    assert low <= value <= high
    value, _, _ = forecast(sizes, 1 - points[:, None], 3200)
    assert value == pytest.approx(0.9 - 2 * 3200**-0.7, abs=0.002)


def test_noise_widens_the_interval():
    rng, sizes = np.random.default_rng(0), np.array([50, 100, 200, 400, 800])
    truth = (0.1 + 2 * sizes**-0.7)[:, None]
    widths = []
    for noise in (0.002, 0.03):
        _, low, high = forecast(sizes, truth + noise * rng.normal(size=(5, 4)), 1600, falling=True)
        widths.append(high - low)
    assert widths[0] < widths[1]


@pytest.mark.slow
def test_a_curve_of_real_estimates_by_category():
    corpus = rb.load("newswire", documents=500, categories=60)
    X, labels = rb.text.Vectors().fit_transform(corpus.train), corpus.train.labels
    curve = rb.estimation.learning_curve(rb.SVM(), X, labels, categories=corpus.categories, draws=2)
    assert curve.sizes[-1] == X.shape[0]
    f1 = curve.mean("f1")
    assert f1[-1] > f1[0]
    one = curve.at(2 * X.shape[0], category=corpus.categories[0])
    assert 0 <= one.low <= one.value <= one.high <= 1
    again = rb.estimation.learning_curve(
        rb.SVM(), X, labels, sizes=[40, 80], draws=1, estimator=cross_validation, folds=3
    )
    assert again.values["error"].shape == (2, 1, labels.shape[1] + 1)


def test_points_of_few_documents_do_not_turn_the_forecast():
    """Of two documents any estimate is noise; the curve of a small file had its best F1 there."""
    sizes, f1 = [2, 5, 11, 22, 45, 90], [0.8333, 0.0, 0.2508, 0.5284, 0.6614, 0.7416]
    value, low, high = forecast(sizes, np.array(f1)[:, None], 180)
    assert low <= value <= high
    assert value > 0.7


@pytest.mark.slow
def test_a_law_is_the_weighted_least_squares_one():
    """Against a search of scipy's over a and b at each exponent."""
    rng, sizes = np.random.default_rng(3), np.array([20.0, 40, 80, 160, 320])
    points = 0.15 + 1.5 * sizes**-0.6 + rng.normal(size=5) / np.sqrt(sizes) / 4
    a, b, c = _fit(sizes, points)

    def loss(law):
        return float(sizes @ (law[0] + law[1] * sizes ** -law[2] - points) ** 2)

    best = minimize(loss, [0.1, 1.0, 0.5], bounds=[(0, 1), (0, None), (0.05, 2)], method="L-BFGS-B")
    assert loss((a, b, c)) <= best.fun * 1.001 + 1e-9


def test_what_cannot_be_drawn():
    X, labels = sparse.csr_array(np.eye(6)), sparse.csr_array(np.eye(6)[:, :2])
    with pytest.raises(InvalidInput, match="from 2 to the 6 documents"):
        rb.estimation.learning_curve(rb.SVM(), X, labels, sizes=[7])
    with pytest.raises(InvalidInput, match="at least 3"):
        forecast([10, 20], np.ones((2, 1)), 40)


@pytest.mark.slow
def test_the_later_half_of_curves_falls_into_the_interval():
    """ξα estimates of F1, n/32 to n, means of three draws: three categories of WebKB and newswire as a whole."""
    sizes = [62, 125, 250, 500, 1000, 2000]
    curves = [
        [0.226, 0.576, 0.747, 0.868, 0.888, 0.914],
        [0.053, 0.203, 0.452, 0.656, 0.712, 0.739],
        [0.371, 0.41, 0.617, 0.738, 0.775, 0.808],
        [0.347, 0.448, 0.577, 0.661, 0.706, 0.739],
    ]
    for curve in curves:
        points = np.array(curve[:3])[:, None] + np.array([-0.03, 0.0, 0.03])
        for size, reached in zip(sizes[3:], curve[3:], strict=True):
            _, low, high = forecast(sizes[:3], points, size)
            assert low <= reached <= high


def test_a_curve_still_at_zero_promises_nothing():
    assert forecast([10, 20, 40], np.zeros((3, 2)), 80) == (0.0, 0.0, 1.0)


def test_a_draw_that_is_still_at_zero_allows_any_rise():
    """Three draws of 20 Newsgroups' comp.os.ms-windows.misc at 125, 250, 500 documents; it reached .59 at 4,000."""
    value, _, high = forecast([125, 250, 500], np.array([[0, 0, 0], [0, 0, 0], [0, 0.06, 0]]), 4000)
    assert value < 0.2
    assert high == 1.0
    begun = forecast([125, 250, 500], np.array([[0, 0, 0], [0.02, 0.02, 0.02], [0.12, 0.12, 0.14]]), 1000)
    assert begun[2] < 0.7
