"""Linear SVMs by blocks: the optimum of a slow solver, lanes that do not touch each other, gathered documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles import svm as oracle

from rubricate.native.library import stop_flag
from rubricate.native.linear_svm import (
    FOLD_TERM,
    LANES,
    Gathered,
    GroupWeights,
    check_rows,
    gather_rows,
    label_bits,
    score_rows,
    shuffled_documents,
    solve_block,
    sum_weights,
)
from rubricate.native.sparse import Rows

pytestmark = pytest.mark.slow

PENALTIES = [0.0, 0.5, 1.0, np.inf]


def rows_of(X):
    X = sparse.csr_array(X)
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float64))


def gathered(X):
    return gather_rows(rows_of(X), np.arange(X.shape[0]), np.full(X.shape[1], -1, np.int32))


def bits_of(labels):
    return label_bits([np.flatnonzero(column) for column in labels.T], len(labels))


def problem(seed, n=14, terms=4, lanes=3):
    """Small whole numbers, so that equal documents and documents of zeros are common; both labels in each lane."""
    rng = np.random.default_rng(seed)
    X, labels = rng.integers(-2, 3, (n, terms)).astype(float), rng.random((n, lanes)) < 0.4
    labels[0], labels[1] = True, False
    return X, labels, rng.uniform(0.2, 2, n), rng.uniform(0.2, 3, (2, lanes))


def solve(X, labels, weights, costs, *, penalty=1.0, tol=1e-6, **options):
    seeds = options.pop("seeds", np.arange(labels.shape[1]).astype(np.uint64))
    options = {"max_sweeps": 100_000} | options
    return solve_block(
        gathered(X), bits_of(labels), weights=weights, costs=costs, penalty=penalty, tol=tol, seeds=seeds, **options
    )


def dense_beta(lane, n):
    beta = np.zeros(n)
    beta[lane.beta_rows] = lane.beta
    return beta


@pytest.mark.parametrize("penalty", PENALTIES)
@given(seed=SEEDS, lanes=st.integers(1, LANES))
def test_values_are_those_of_the_weights_and_the_optimum_that_of_a_slow_solver(penalty, seed, lanes):
    X, labels, weights, costs = problem(seed, lanes=lanes)
    coef = np.empty((len(gathered(X).own), lanes))
    solved = solve(X, labels, weights, costs, penalty=penalty, tol=1e-4, coef=coef)
    K, reached = X @ X.T, 0
    for c, lane in enumerate(solved):
        y, beta = np.where(labels[:, c], 1.0, -1.0), dense_beta(lane, len(X))
        cap = weights * costs[labels[:, c].astype(int), c]
        assert ((y * beta >= 0) & (y * beta <= cap)).all()
        assert lane.bias == 0 or penalty < np.inf
        primal, dual = oracle.objectives(K, y, cap, y * beta, lane.bias, penalty)
        assert (lane.primal, lane.dual) == pytest.approx((primal, dual), rel=1e-9)
        np.testing.assert_allclose(coef[:, c], beta @ X[:, gathered(X).own], atol=1e-9)
        lack = 1 - y * (K @ beta + lane.bias)
        assert set(np.flatnonzero(lack > 0)) <= set(lane.near_rows.tolist())
        np.testing.assert_allclose(lane.slack, lack[lane.near_rows], atol=1e-9)
        if penalty == 0:
            assert beta.sum() == pytest.approx(0, abs=1e-9)
        # Coordinate descent gives near twins back; the caller then takes steps of two documents. Of 36,000 categories
        # drawn here two in the same block were given back once.
        reached += primal - dual <= 1.0001e-4 * primal
        best = oracle.best_value(K, y, cap, penalty)
        assert dual <= best + 1e-6 * abs(best)
        assert primal >= best - 1e-6 * abs(best)
    assert reached >= lanes - 2
    count_cases(lanes)


@pytest.mark.parametrize("penalty", PENALTIES)
@given(seed=SEEDS)
def test_a_category_does_not_depend_on_what_shares_its_block(penalty, seed):
    X, labels, weights, costs = problem(seed, n=40, terms=12, lanes=LANES)
    together = solve(X, labels, weights, costs, penalty=penalty)
    for c in np.random.default_rng(seed).choice(LANES, 3, replace=False):
        one = slice(c, c + 1)
        (alone,) = solve(X, labels[:, one], weights, costs[:, one], penalty=penalty, seeds=np.array([c], np.uint64))
        assert alone[4:] == together[c][4:]
        for mine, theirs in zip(alone[:4], together[c][:4], strict=True):
            assert np.array_equal(mine, theirs)
    count_cases(3)


@pytest.mark.parametrize("penalty", PENALTIES)
@given(seed=SEEDS)
def test_a_start_at_the_optimum_is_only_checked_and_any_other_leads_there(penalty, seed):
    X, labels, weights, costs = problem(seed, n=40, terms=30)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    cold = solve(X, labels, weights, costs, penalty=penalty, tol=1e-5)
    assume(all(lane.primal - lane.dual <= 1e-5 * lane.primal for lane in cold))
    beta, bias = np.column_stack([dense_beta(lane, 40) for lane in cold]), np.array([lane.bias for lane in cold])
    options = {"penalty": penalty, "tol": 1e-5}
    for extra in ({}, {"max_rounds": 0}):
        checked = solve(X, labels, weights, costs, start=(beta, bias), **options, **extra)
        for mine, theirs in zip(checked, cold, strict=True):
            assert mine.sweeps == 0
            assert mine.primal == pytest.approx(theirs.primal, rel=1e-12)
    wild = 3 * np.random.default_rng(seed).normal(size=beta.shape)
    warm = solve(X, labels, weights, costs, start=(wild, 0 * bias), **options)
    for mine, theirs in zip(warm, cold, strict=True):
        assert mine.primal == pytest.approx(theirs.primal, rel=3e-5)
    count_cases(3 * len(cold))


def test_sweeps_are_limited():
    X, labels, weights, costs = problem(1, n=60, terms=20)
    for lane in solve(X, labels, weights, 1000 * costs, tol=1e-12, max_sweeps=3):
        assert lane.sweeps == 3


def test_documents_of_zeros_and_of_no_weight():
    X, labels, weights, costs = problem(2)
    weights[::3] = 0
    zeros = solve(0 * X, labels, weights, costs)
    for c, lane in enumerate(zeros):
        inside = weights @ labels[:, c] * costs[1, c] > weights @ ~labels[:, c] * costs[0, c]
        assert (lane.bias > 0) == inside
    for lane in solve(X, labels, weights, costs, penalty=0.0):
        assert not np.isin(lane.beta_rows, np.flatnonzero(weights == 0)).any()


@given(seed=SEEDS, leave_out=st.booleans())
def test_gathered_rows_are_the_rows_with_renumbered_terms(seed, leave_out):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((9, 12), density=0.3, rng=rng, format="csr")
    chosen, place = rng.integers(0, 9, 5), np.where(rng.random(12) < 0.3 * leave_out, -2, -1).astype(np.int32)
    before = place.copy()
    (starts, terms, values), own = gather_rows(rows_of(X), chosen, place)
    assert (place == before).all()
    found = np.zeros((5, 12))
    for a in range(5):
        found[a, own[terms[starts[a] : starts[a + 1]]]] = values[starts[a] : starts[a + 1]]
    assert (found == np.where(place == -2, 0, X.toarray()[chosen])).all()
    assert list(dict.fromkeys(terms.tolist())) == list(range(len(own))), "numbered as they are met"
    count_cases(5)


@given(seed=SEEDS)
def test_folding_terms_of_a_single_document_keeps_all_products(seed):
    X = sparse.random_array((12, 40), density=0.1, rng=np.random.default_rng(seed), format="csr")
    place = np.where(np.bincount(X.indices, minlength=40) == 1, FOLD_TERM, -1).astype(np.int32)
    before = place.copy()
    (starts, terms, values), own = gather_rows(rows_of(X), np.arange(12), place)
    folded = sparse.csr_array((values, terms, starts), shape=(12, len(own)))
    np.testing.assert_allclose((folded @ folded.T).toarray(), (X @ X.T).toarray(), atol=1e-12)
    assert (place == before).all()
    assert folded.nnz <= X.nnz
    count_cases(144)


@given(seed=SEEDS)
def test_weights_are_sums_over_documents_and_scores_their_products(seed):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((9, 12), density=0.3, rng=rng, format="csr")
    beta = sparse.random_array((9, 4), density=0.4, rng=rng, format="csr")
    W = sum_weights(rows_of(X), rows_of(beta), (12, 4))
    np.testing.assert_allclose(W, (X.T @ beta).toarray(), atol=1e-12)
    own, chosen = rng.permutation(12)[:7].astype(np.int32), rng.integers(0, 9, 5)
    machines = GroupWeights(own, np.ascontiguousarray(W[own]), rng.normal(size=4))
    place = np.full(12, -1, np.int32)
    scores = score_rows(rows_of(X), chosen, machines, place)
    np.testing.assert_allclose(scores, X.toarray()[chosen][:, own] @ W[own] + machines.bias, atol=1e-12)
    assert (place == -1).all()
    count_cases(2)


@given(seed=st.integers(-(2**63), 2**64 - 1), count=st.integers(0, 50))
def test_shuffled_documents_are_all_there(seed, count):
    order = shuffled_documents(count, seed)
    assert sorted(order.tolist()) == list(range(count))
    assert (order == shuffled_documents(count, seed)).all()
    count_cases(max(count, 1))


def test_arguments_that_do_not_fit_are_refused():
    X, labels, weights, costs = problem(0)
    with pytest.raises(ValueError, match="weights has 3 values, expected 14"):
        solve(X, labels, weights[:3], costs)
    with pytest.raises(ValueError, match="costs do not fit"):
        solve(X, labels, weights, costs[:, :2])
    with pytest.raises(ValueError, match="costs do not fit 9 categories"):
        solve(X, labels, weights, np.tile(costs, 3), seeds=np.arange(9, dtype=np.uint64))
    with pytest.raises(ValueError, match="weights do not fit"):
        solve(X, labels, weights, costs, coef=np.empty((1, 3)))
    with pytest.raises(ValueError, match="start does not fit"):
        solve(X, labels, weights, costs, start=(np.zeros((14, 2)), np.zeros(3)))
    with pytest.raises(TypeError, match="float64"):
        solve(X, labels, weights.astype(np.float32), costs)
    with pytest.raises(ValueError, match="a row is outside"):
        gather_rows(rows_of(X), np.array([14]), np.full(4, -1, np.int32))
    with pytest.raises(ValueError, match="a row is outside"):
        score_rows(
            rows_of(X), np.array([-1]), GroupWeights(np.zeros(0, np.int32), *np.zeros((2, 0))), np.zeros(4, np.int32)
        )
    with pytest.raises(ValueError, match="a term is outside"):
        check_rows(rows_of(X), 3)
    with pytest.raises(ValueError, match="end before they start"):
        check_rows(Rows(np.array([0, 2, 1]), np.zeros(1, np.int32), np.zeros(1)), 3)


def test_nothing_at_all():
    empty = Gathered(Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0)), np.zeros(0, np.int32))
    (lane,) = solve_block(
        empty,
        np.zeros(0, np.uint8),
        weights=np.zeros(0),
        costs=np.ones((2, 1)),
        penalty=np.inf,
        tol=1e-3,
        max_sweeps=9,
        seeds=np.zeros(1, np.uint64),
    )
    assert (lane.bias, lane.primal, lane.dual, len(lane.beta)) == (0, 0, 0, 0)


def test_a_stop_ends_it():
    X, labels, weights, costs = problem(0)
    stop_flag[0] = 1
    try:
        with pytest.raises(KeyboardInterrupt):
            solve(X, labels, weights, costs)
    finally:
        stop_flag[0] = 0


PRINT = """
import numpy as np
from tests.native.test_linear_svm import problem, solve
for penalty in (0.0, 1.0, np.inf):
    print([[each.tobytes().hex() for each in lane[:4]] + list(lane[4:]) for lane in
           solve(*problem(7, n=50, terms=20), penalty=penalty)])
"""


def test_both_variants_give_every_bit_the_same(print_in_both):
    ours, theirs = print_in_both(PRINT)
    assert ours == theirs != ""
