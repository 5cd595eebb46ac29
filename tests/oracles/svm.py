"""SVMs by a general solver of quadratic programmes: slow, exact, and nothing like the kernels."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def kernel_matrix(X, Z, kernel="linear", gamma=1.0, degree=3, coef0=0.0):
    """K(x, z) of all pairs of rows."""
    products = (X[:, None, :] * Z[None, :, :]).sum(axis=2)
    if kernel == "linear":
        return products
    if kernel == "poly":
        return (gamma * products + coef0) ** degree
    return np.exp(-gamma * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))


def objectives(K, y, caps, alpha, bias, penalty):
    """(primal, dual) of the SVM with this α and bias; λ = `penalty`."""
    beta = y * alpha
    quadratic = beta @ K @ beta
    slack = np.maximum(0, 1 - y * (K @ beta + bias))
    tied = 0 < penalty < np.inf
    primal = quadratic / 2 + (penalty * bias**2 / 2 if tied else 0) + caps @ slack
    dual = alpha.sum() - quadratic / 2 - (beta.sum() ** 2 / (2 * penalty) if tied else 0)
    return primal, dual


def best_value(K, y, caps, penalty):
    """The optimum of the dual, by sequential least squares programming.

    max Σα − ½ Σ αα yy K − (Σ yα)² / 2λ with 0 <= α <= C, and Σ yα = 0 for λ = 0.
    """
    Q = np.outer(y, y) * (K + (1 / penalty if 0 < penalty < np.inf else 0))
    found = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(),
        np.full(len(y), 1e-3) * caps,
        jac=lambda a: Q @ a - 1,
        bounds=[(0, cap) for cap in caps],
        constraints=[{"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y}] if penalty == 0 else [],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return -found.fun


def hinge_bias(score, y, caps):
    """The least Σ C max(0, 1 − y(score + b)) over b, by trying every breakpoint."""
    return min(caps @ np.maximum(0, 1 - y * (score + b)) for b in y - score)


def radius2(K):
    """The largest K(x, x) − K(x, z)."""
    return max(K[i, i] - K[i, j] for i in range(len(K)) for j in range(len(K)))
