from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rubricate.classifiers.blend import fit_logistic


@pytest.mark.slow
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
def test_agrees_with_scikit_learn(C):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5)) * [1, 5, 0.1, 2, 1]
    y = (X @ [1, -0.3, 0, 0.5, 0] + rng.normal(size=400) > 1).astype(float)
    peer = LogisticRegression(C=C, tol=1e-10, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(fit_logistic(X, y, C=C), [*peer.coef_[0], *peer.intercept_], rtol=1e-4, atol=1e-5)


def test_one_class_is_finite_and_sure():
    found = fit_logistic(np.ones((50, 1)), np.ones(50), C=1.0)
    assert np.isfinite(found).all()
    assert found.sum() > 3


def test_no_rows_give_zeros():
    assert fit_logistic(np.ones((0, 2)), np.ones(0), C=1.0).tolist() == [0, 0, 0]
