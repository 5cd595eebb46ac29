"""Least squares maps by the full singular value decomposition, one formula a function, nothing shared with ours."""

from __future__ import annotations

import numpy as np


def truncated_map(X, Y, p):
    """The F (terms × categories) of least norm through the p largest singular triplets of X, those of the rank at most.

    A singular value below 1e-6 of the largest counts as zero, for ours comes from the Gram matrix.
    """
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    kept = np.flatnonzero(s > 1e-6 * max(s.max(initial=0.0), 1e-300))[:p]
    return Vt[kept].T @ np.diag(1 / s[kept]) @ U[:, kept].T @ Y


def ridge_map(X, Y, ridge):
    """The F that minimises ‖XF − Y‖² + λ‖F‖², as an ordinary fit to X with √λ I below it."""
    terms = X.shape[1]
    below = np.vstack([X, np.sqrt(ridge) * np.eye(terms)])
    return np.linalg.lstsq(below, np.vstack([Y, np.zeros((terms, Y.shape[1]))]), rcond=None)[0]


def held_out_errors(X, Y, held, most):
    """Mean squared error on the held-out documents of the map with 1, 2, … of the triplets of the others."""
    rank = int(np.sum(np.linalg.svd(X[~held], compute_uv=False) > 1e-6 * np.linalg.norm(X[~held], 2)))
    maps = [truncated_map(X[~held], Y[~held], p) for p in range(1, min(rank, most) + 1)]
    return np.array([np.mean((X[held] @ F - Y[held]) ** 2) for F in maps])
