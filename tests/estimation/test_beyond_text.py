"""The paper's last open question: ξα and leave-one-out against hold-out on data that are no text."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import rubricate as rb
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.resampling import holdout
from rubricate.estimation.xi_alpha import xi_alpha

SETS = {"breast cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_leave_one_out_is_near_hold_out_and_xi_alpha_above_it(name):
    X, y = SETS[name](return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:500], y[:500]
    labels = sparse.csr_array(np.unique(y)[None, :] == y[:, None])
    svm = rb.SVM(C=0.1, kernel="rbf", gamma=0.5 / X.shape[1])
    exact = leave_one_out(svm, X, labels)
    bound, practical = (xi_alpha(svm, X, labels, rho=rho) for rho in (2.0, 1.0))
    held = holdout(svm, X, labels, share=0.3, repeats=4, seed=1)
    assert exact.micro["error"] == pytest.approx(held.micro["error"], abs=0.03)
    stable = ~bound.undetermined & ~exact.undetermined
    wrong = (exact.table.fp + exact.table.fn)[stable]
    assert (bound.facts["d"][stable] >= wrong).all()
    assert practical.micro["error"] >= exact.micro["error"]
