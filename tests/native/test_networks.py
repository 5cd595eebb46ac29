"""Neural networks against finite differences, ridge systems against a dense solver, linear scores against a product."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases, lists_of, rows_of
from tests.oracles import networks as oracle

from rubricate.classifiers.classic.experts import empty_pool
from rubricate.native.library import stop_flag
from rubricate.native.networks import (
    LAST,
    GradientSteps,
    Layers,
    Lesson,
    PerceptronLesson,
    gelu_rows,
    learn_experts,
    linear_scores,
    norm_rows,
    score_experts,
    softmax_rows,
    solve_ridge_columns,
    train_dense_network,
    train_network,
    train_perceptron,
)
from rubricate.native.sparse import Lists, Rows

F = np.float32


def single_rows(X):
    rows = rows_of(X, X != 0)
    return rows._replace(values=rows.values.astype(F))


@st.composite
def lessons(draw, most=(7, 4, 3, 3)):
    """A few documents (zero rows included), labels (none included), weights, and a random network.

    `most` are the most documents, terms, hidden units and categories.
    """
    n, d, units, m = (draw(st.integers(1, k)) for k in most)
    hidden, rng = draw(st.booleans()), np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, 3, (n, d)) / 2.0
    Y = rng.random((n, m)) < 0.4
    units = units if hidden else m
    shapes = [(d, units), (units,), (m, units), (m,)] if hidden else [(d, units), (units,), (0, units), (0,)]
    return X, Y, rng.integers(0, 3, n) / 2.0, [rng.standard_normal(shape) for shape in shapes]


@given(lessons(most=(2, 2, 2, 2)), st.integers(1, 2), st.booleans())
def test_a_pass_over_two_documents_is_that_of_finite_differences(lesson, batch, squared):
    check_pass(lesson, batch, squared)


@given(lessons(), st.integers(1, 4), st.booleans())
@settings(max_examples=40)
def test_a_pass_moves_the_network_as_finite_differences_say(lesson, batch, squared):
    check_pass(lesson, batch, squared)


def check_pass(lesson, batch, squared):
    """One pass over the documents in a fixed random order; without a hidden layer also with dense documents."""
    X, Y, weights, parts = lesson
    order = np.random.default_rng(0).permutation(len(X))
    sums = [np.full_like(part, 0.01) for part in parts]
    ours, dense = (tuple(Layers(*(part.astype(F) for part in layers)) for layers in (parts, sums)) for _ in range(2))
    steps, targets = GradientSteps(batch, 0.1, squared), (lists_of(Y), weights.astype(F), order)
    train_network(Lesson(single_rows(X), *targets), *ours, steps)
    oracle.train_pass(parts, sums, X, Y, weights, order, batch, 0.1, squared)
    results = [ours]
    if len(parts[2]) == 0:
        train_dense_network(Lesson(X.astype(F), *targets), *dense, steps)
        results.append(dense)
    for network, squares in results:
        for found, exact in zip(network + squares, parts + sums, strict=True):
            np.testing.assert_allclose(found, exact, rtol=1e-3, atol=1e-4)
    count_cases(len(results) * sum(part.size for part in parts + sums))


def test_a_batch_of_long_documents_moves_the_network_as_finite_differences_say():
    rng = np.random.default_rng(0)
    X, Y = rng.random((3, 700)).astype(F), np.eye(3, 2, dtype=bool)
    start = [rng.standard_normal(shape) * 0.1 for shape in ((700, 2), (2,), (2, 2), (2,))]
    exact = [part.copy() for part in start]
    sums = [np.full_like(part, 0.01) for part in start]
    ours = tuple(Layers(*(part.astype(F) for part in layers)) for layers in (start, sums))
    lesson = Lesson(single_rows(X), lists_of(Y), np.ones(3, F), np.arange(3))
    train_network(lesson, *ours, GradientSteps(3, 0.1, False))
    oracle.train_pass(exact, sums, X, Y, np.ones(3), np.arange(3), 3, 0.1, False)
    for found, wanted in zip(ours[0], exact, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def sigmoids(u):
    """σ(u), as one step of a network without labels shows it.

    The document has one term of value x whose weights are 0, and the sums of squares are 1: the weights become
    −rate · σ(u) x / √(1 + σ(u)² x²), which is −σ(u) to single precision for a small x and a rate of 1 / x.
    """
    x = F(2.0**-13)
    none, nothing = np.empty((0, len(u)), F), np.empty(0, F)
    network = Layers(np.zeros((1, len(u)), F), u.copy(), none, nothing)
    sums = Layers(np.ones((1, len(u)), F), np.ones(len(u), F), none, nothing)
    lesson = Lesson(single_rows(np.full((1, 1), x)), lists_of(np.zeros((1, 0), bool)), np.ones(1, F), np.zeros(1, int))
    train_network(lesson, network, sums, GradientSteps(1, float(1 / x), False))
    return -network.W1[0]


def test_the_sigmoid_is_exact_to_its_stated_error():
    u = np.linspace(-50, 50, 4001).astype(F)
    np.testing.assert_allclose(sigmoids(u), oracle.sigmoid(u.astype(float)), rtol=5e-5)
    half, small, one, wrong = sigmoids(np.array([0, -1e30, 1e30, np.nan], F))
    assert half == 0.5
    assert 0 < small < 1e-25
    assert one == 1
    assert np.isnan(wrong)


def small_lesson():
    network = Layers(np.ones((3, 4), F), np.ones(4, F), np.ones((2, 4), F), np.ones(2, F))
    lesson = Lesson(single_rows(np.eye(3)), lists_of(np.eye(3, 2, dtype=bool)), np.ones(3, F), np.arange(3))
    return lesson, network, Layers(*map(np.zeros_like, network)), GradientSteps(2, 0.1, False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": np.array([0, 1, 3])}, "order must be from 0 to 2"),
        ({"order": np.array([0, -1, 2])}, "order must be from 0 to 2"),
        ({"order": np.arange(2)}, "order has 2"),
        ({"weights": np.ones(4, F)}, "weights has 4"),
        ({"labels": Lists(np.arange(4), np.array([0, 1, 2], np.int32))}, "labels must be from 0 to 1"),
        ({"documents": single_rows(np.eye(3, 4, 1))}, "terms must be from 0 to 2"),
        ({"documents": Rows(np.array([0, 1, 2, 9]), np.zeros(3, np.int32), np.ones(3, F))}, "ascend from 0 to 3"),
        ({"documents": Rows(np.array([-1, 1, 2, 3]), np.zeros(3, np.int32), np.ones(3, F))}, "ascend"),
    ],
)
def test_lessons_that_do_not_fit_are_refused(change, message):
    lesson, *rest = small_lesson()
    with pytest.raises(ValueError, match=message):
        train_network(lesson._replace(**change), *rest)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b1": np.ones(3, F)}, "b1 must have the shape"),
        ({"b2": np.ones(3, F)}, "b2 must have the shape"),
        ({"W2": np.ones((2, 3), F)}, "4 units do not fit 2 outputs of 3"),
        ({"W1": np.ones((2, 4), F)}, "sums"),
    ],
)
def test_networks_that_do_not_fit_are_refused(change, message):
    lesson, network, sums, steps = small_lesson()
    with pytest.raises(ValueError, match=message):
        train_network(lesson, network._replace(**change), sums, steps)


def test_other_dtypes_and_batches_are_refused():
    lesson, network, sums, steps = small_lesson()
    with pytest.raises(TypeError, match="float32, not of float64"):
        train_network(lesson._replace(weights=np.ones(3)), network, sums, steps)
    with pytest.raises(ValueError, match="at least one document"):
        train_network(lesson, network, sums, steps._replace(batch=0))
    with pytest.raises(ValueError, match="W2 must have the shape"):
        train_dense_network(lesson._replace(documents=np.eye(3, dtype=F)), network, sums, steps)


def test_without_documents_nothing_moves():
    _, network, sums, steps = small_lesson()
    none = Lesson(single_rows(np.empty((0, 3))), lists_of(np.empty((0, 2), bool)), np.empty(0, F), np.empty(0, int))
    train_network(none, network, sums, steps)
    assert all((part == 1).all() for part in network)


@given(SEEDS)
def test_the_solution_is_that_of_a_dense_solver(seed):
    rng = np.random.default_rng(seed)
    height, width, ridge = int(rng.integers(0, 6)), int(rng.integers(1, 6)), float(rng.choice([0.1, 1.0, 10.0]))
    A = rng.normal(size=(height, width)) * (rng.random((height, width)) < 0.6)
    B = rng.normal(size=(width, 16))
    B[:, rng.integers(0, 16, 3)] = 0.0
    sides = (rows_of(A, A != 0), rows_of(A.T, A.T != 0))
    Z = solve_ridge_columns(*sides, B, ridge=ridge, tolerance=1e-10, max_iterations=1000)
    np.testing.assert_allclose(Z, np.linalg.solve(A.T @ A + ridge * np.eye(width), B), rtol=1e-7, atol=1e-9)
    assert (Z[:, ~B.any(axis=0)] == 0).all()
    count_cases(Z.size)


def test_the_most_iterations_end_it():
    A, B = np.diag([1.0, 2.0, 3.0]), np.ones((3, 16))
    sides = (rows_of(A, A != 0), rows_of(A, A != 0))
    assert (solve_ridge_columns(*sides, B, ridge=1.0, tolerance=1e-10, max_iterations=0) == 0).all()
    one = solve_ridge_columns(*sides, B, ridge=1.0, tolerance=1e-10, max_iterations=1)[:, 0]
    np.testing.assert_allclose(one, 3 / (2 + 5 + 10))  # Σ B·B / Σ B·(AᵀA + λI)B along B


def test_ridge_systems_that_do_not_fit_are_refused():
    A = rows_of(np.eye(3, 2), np.eye(3, 2) > 0)
    T = rows_of(np.eye(2, 3), np.eye(2, 3) > 0)
    options = {"ridge": 1.0, "tolerance": 1e-8, "max_iterations": 9}
    with pytest.raises(ValueError, match="B must have the shape"):
        solve_ridge_columns(A, T, np.ones((2, 15)), **options)
    with pytest.raises(ValueError, match="terms of A"):
        solve_ridge_columns(A._replace(terms=np.array([0, 2], np.int32)), T, np.ones((2, 16)), **options)
    with pytest.raises(ValueError, match="terms of the transposed"):
        solve_ridge_columns(A, T._replace(terms=np.array([0, 3], np.int32)), np.ones((2, 16)), **options)


@given(st.integers(0, 6), st.integers(1, 7), st.integers(1, 5), SEEDS)
def test_the_parts_add_up_to_one_product(documents, terms, categories, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (documents, terms)).astype(float)
    w = rng.integers(-2, 3, (terms, categories)).astype(float)
    a, s, b = (rng.integers(-5, 6, size).astype(float) for size in (categories, categories, terms))
    found = linear_scores(rows_of(X, X != 0), (a, s, b), rows_of(w, w != 0))
    assert (found == a + X @ (w + b[:, None] + s)).all()
    count_cases(max(1, found.size))


def test_many_documents_are_scored_as_few():
    X, w = np.tile(np.eye(3), (700, 1)), np.arange(6.0).reshape(3, 2)
    found = linear_scores(rows_of(X, X != 0), (np.zeros(2), np.zeros(2), np.zeros(3)), rows_of(w, w != 0))
    assert (found == np.tile(w, (700, 1))).all()


def test_weights_that_do_not_fit_are_refused():
    X, w, shared = rows_of(np.eye(2), np.eye(2) > 0), rows_of(np.eye(2), np.eye(2) > 0), (np.zeros(2),) * 3
    with pytest.raises(ValueError, match="terms must be from 0 to 1"):
        linear_scores(X._replace(terms=np.array([0, -1], np.int32)), shared, w)
    with pytest.raises(ValueError, match="categories must be from 0 to 1"):
        linear_scores(X, shared, w._replace(terms=np.array([0, 2], np.int32)))
    with pytest.raises(ValueError, match="s has 3"):
        linear_scores(X, (np.zeros(2), np.zeros(3), np.zeros(2)), w)
    with pytest.raises(TypeError, match="int32, not of uint32"):
        linear_scores(X._replace(terms=X.terms.astype(np.uint32)), shared, w)


def test_long_loops_end_when_they_are_told_to():
    A, one, pool = rows_of(np.eye(2), np.eye(2) > 0), Lists(np.array([0, 1]), np.zeros(1, np.int32)), empty_pool(1)
    many, cell = rows_of(np.ones((2000, 1)), np.ones((2000, 1), bool)), rows_of(np.ones((1, 1)), np.ones((1, 1), bool))
    orders = np.zeros((1, 1), np.int32)
    perceptron = PerceptronLesson(cell, orders[0], np.ones(1), np.ones(1), orders)
    calls = [
        lambda: train_network(*small_lesson()),
        lambda: solve_ridge_columns(A, A, np.ones((2, 16)), ridge=1.0, tolerance=1e-8, max_iterations=9),
        lambda: linear_scores(many, (np.ones(1),) * 3, cell),
        lambda: train_perceptron(perceptron, margin=0.0, chosen=LAST),
        lambda: learn_experts(one, one, np.ones(1), pool, beta=0.5, categories=1),
        lambda: score_experts(Lists(many.starts, many.terms), pool, 1),
    ]
    for call in calls:
        stop_flag[0] = 1
        with pytest.raises(KeyboardInterrupt):
            call()
        assert stop_flag[0] == 0


def digest_of_results():
    """Return a digest of everything whose sums may be vectorised, on sizes that fill no vector evenly."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 37)) * (rng.random((50, 37)) < 0.3)
    Y = rng.random((50, 11)) < 0.2
    parts = [rng.standard_normal(shape).astype(F) for shape in ((37, 27), (27,), (11, 27), (11,))]
    network, sums = Layers(*parts), Layers(*(np.full_like(part, 0.01) for part in parts))
    lesson = Lesson(single_rows(X), lists_of(Y), np.ones(50, F), rng.permutation(50))
    train_network(lesson, network, sums, GradientSteps(8, 0.1, True))
    z, other = rng.normal(0, 3, (2, 40, 45)).astype(F)
    activated, normed, a = z.copy(), z.copy(), rng.normal(0, 4, (4, 2, 5, 45)).astype(F)
    gelu_rows(activated, z[0])
    norm_rows(normed, other, z[0], (z[1], z[2], 1e-5))
    softmax_rows(a, np.array([45, 44, 17, 1]))
    rows, transposed = rows_of(X, X != 0), rows_of(X.T, X.T != 0)
    Z = solve_ridge_columns(rows, transposed, X[:16].T.copy(), ridge=0.5, tolerance=1e-9, max_iterations=99)
    results = (*network, *sums, activated, normed, a, Z)
    return hashlib.sha256(b"".join(part.tobytes() for part in results)).hexdigest()


def test_both_variants_give_the_same_bits(print_in_both):
    ours, theirs = print_in_both("from tests.native.test_networks import digest_of_results; print(digest_of_results())")
    assert ours == theirs != ""
