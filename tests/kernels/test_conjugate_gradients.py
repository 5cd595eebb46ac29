"""Ridge systems of sixteen columns, against a dense solver."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, rows_of

from rubricate.kernels.conjugate_gradients import solve_ridge_block


@given(SEEDS)
def test_the_solution_is_that_of_a_dense_solver(seed) -> None:
    rng = np.random.default_rng(seed)
    height, width, ridge = int(rng.integers(0, 6)), int(rng.integers(1, 6)), float(rng.choice([0.1, 1.0, 10.0]))
    A = rng.normal(size=(height, width)) * (rng.random((height, width)) < 0.6)
    B = rng.normal(size=(width, 16))
    B[:, rng.integers(0, 16, 3)] = 0.0
    sides = tuple(rows_of(np.ascontiguousarray(M), M != 0, np.int64, np.uint32) for M in (A, A.T))
    Z = solve_ridge_block(sides, B, ridge, (1e-10, 1000))
    np.testing.assert_allclose(Z, np.linalg.solve(A.T @ A + ridge * np.eye(width), B), rtol=1e-7, atol=1e-9)
    assert (Z[:, ~B.any(axis=0)] == 0).all()


def test_the_most_iterations_end_it() -> None:
    A = np.diag([1.0, 2.0, 3.0])
    sides = tuple(rows_of(M, M != 0, np.int64, np.uint32) for M in (A, A.T))
    B = np.ones((3, 16))
    assert (solve_ridge_block(sides, B, 1.0, (1e-10, 0)) == 0).all()
    one = solve_ridge_block(sides, B, 1.0, (1e-10, 1))[:, 0]
    np.testing.assert_allclose(one, 3 / (2 + 5 + 10))  # Σ B·B / Σ B·(AᵀA + λI)B along B
