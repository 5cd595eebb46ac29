"""One SVM without one of its documents, from the full solution, against solving the smaller problem from the start."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS, count_cases

from rubricate.classifiers.svm.leave_one_out.matrix import _whole_matrix
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_local import Dual
from rubricate.kernels.svm_products import Coded, code
from rubricate.kernels.svm_removals import Spread, make_room, prepare, retrain
from rubricate.kernels.svm_smo import Expansion, Goal, settle

N, LEVELS, UNIT = 20, 0.1 * 10 ** (-np.arange(15) / 4), 1 / 32000


def problem(seed):
    """Return twenty documents of length 1, of which some are twins, and some near twins, of opposite labels."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0)
    y[:4] = 1.0, 1.0, -1.0, -1.0
    X = rng.random((N, 8)) * (rng.random((N, 8)) < 0.5) + 0.4 * (y[:, None] > 0) * (np.arange(8) < 2)
    X[:, 7] += 0.1
    X[0], X[1], y[0], y[2] = X[4], X[5] + 0.02 * rng.random(8), -y[4], y[3]
    X[2] = X[3]
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def solved(K, y, cap, *, free):
    """Return β and the bias of the optimum, by sequential minimal optimisation in double precision."""
    low, high = np.minimum(y * cap, 0.0), np.maximum(y * cap, 0.0)
    dual = Expansion(y, low, high, np.ascontiguousarray(np.diag(K)), np.zeros(N), np.zeros(N))
    settle(_whole_matrix(K), dual, Goal(free, 1e-9, 10**6))
    return dual.beta, best_bias(K @ dual.beta, y, cap) if free else 0.0


def retrained(K, y, cap, penalty, r, bounds=(-np.inf, np.inf), *, spread=True, levels=LEVELS):
    """Return what is found without row r, from the solution with all; free rows take over its β by shares, or not."""
    shift = 0.0 if penalty in (0.0, np.inf) else 1 / penalty
    beta, b = solved(K + shift, y, cap, free=penalty == 0.0)
    b += shift * beta.sum()
    coded = Coded(np.zeros((N, 32), np.int16), UNIT)
    code(K.astype(np.float32), UNIT, coded.K, 0)
    room = np.minimum(np.abs(beta), cap - np.abs(beta))
    share = room / max(room.sum(), 1e-300)
    alike = float(share @ K @ share)
    share = share if spread and penalty < np.inf and room.sum() >= 2 * cap.max() else np.zeros(N)
    dual = Dual(y, cap, np.diag(K).copy(), beta, np.empty(0), np.array([b]))
    nearby = prepare(coded, dual, K @ beta + b, Spread(share, K @ share, alike), penalty)
    return retrain(nearby, make_room(nearby), r, levels, *bounds)


@given(
    seed=SEEDS, C=st.sampled_from([1e-3, 0.3, 0.7, 1.0, 10.0, 20.0]), penalty=st.sampled_from([0.0, 1.0, np.inf]),
    r=st.integers(0, N - 1), spread=st.booleans(),
)  # fmt: skip
def test_the_score_is_that_of_the_smaller_problem(seed, C, penalty, r, spread):
    X, y = problem(seed)
    K, cap = X @ X.T, np.full(N, C)
    score, _, _, level, free, _ = retrained(K, y, cap, penalty, r, spread=spread)
    if free < 0:
        # Given up, to be solved otherwise: no document is free, or near twins take too many steps.
        count_cases(0)
        return
    assert level == LEVELS[-1]
    shift = 0.0 if penalty in (0.0, np.inf) else 1 / penalty
    beta, b = solved(K + shift, y, np.where(np.arange(N) == r, 0.0, cap), free=penalty == 0.0)
    if penalty == 0.0 and not ((np.abs(beta) > 1e-6 * C) & (np.abs(beta) < (1 - 1e-6) * C)).any():
        # The bias is an interval, and which of its points is found depends on the last steps.
        count_cases(0)
        return
    # Conditions that hold to a level leave a gap of C · n · level: see the bound of the package.
    furthest = min(np.sqrt(2 * (2 + shift) * C * N * level), 100 * level) + 1e-5 * max(C, 1.0)
    np.testing.assert_allclose(score, (K[r] + shift) @ beta + b, atol=furthest)
    count_cases(1)


@given(seed=SEEDS, bar=st.sampled_from([-1.5, -0.5, 0.0, 0.7]), penalty=st.sampled_from([0.0, 1.0, np.inf]))
def test_a_removal_ends_where_its_side_of_the_bar_is_certain(seed, bar, penalty):
    X, y = problem(seed)
    K, cap = X @ X.T, np.full(N, 1.0)
    exact, early = (retrained(K, y, cap, penalty, 0, bounds) for bounds in ((-np.inf, np.inf), (bar, bar)))
    if min(exact.free, early.free) >= 0 and early.level > LEVELS[-1]:
        assert early.high < bar or early.low > bar
        assert early.low <= early.score <= early.high
        assert (exact.score < bar) == (early.score < bar)


@given(seed=SEEDS, C=st.sampled_from([0.3, 1.0]), r=st.integers(0, N - 1), levels=st.integers(1, 12))
def test_without_changes_of_sides_the_correction_leaves_a_remainder_of_second_order(seed, C, r, levels):
    """Where no row is at a bound, before or after, y (f* − score) is s·M⁻¹s / α: never negative, whatever the level."""
    X, y = problem(seed)
    K, cap = X @ X.T + np.eye(N), np.full(N, 100 * C)
    rough, exact = (retrained(K / 2, y, cap, np.inf, r, levels=part) for part in (LEVELS[:levels], LEVELS))
    if min(rough.free, exact.free) < N - 1:
        count_cases(0)
        return
    assert rough.low - 1e-4 <= exact.score <= rough.high + 1e-4
    count_cases(1)


def test_a_document_without_a_part_in_the_solution_changes_nothing():
    X, y = problem(3)
    K, cap = X @ X.T, np.full(N, 1.0)
    beta, b = solved(K, y, cap, free=True)
    r = int(np.flatnonzero(beta == 0)[0])
    done = retrained(K, y, cap, 0.0, r)
    np.testing.assert_allclose(done.score, K[r] @ beta + b, atol=1e-4)
    assert done.free == ((beta != 0) & (np.abs(beta) < cap)).sum()
