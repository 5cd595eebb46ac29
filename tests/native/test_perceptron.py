"""The perceptron against its slow twin and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import SGDClassifier
from tests.native.small_cases import count_cases, rows_of
from tests.oracles.perceptron import perceptron

from rubricate.native.networks import AVERAGE, LAST, POCKET, PerceptronLesson, train_perceptron

CELLS = st.sampled_from([0.0, 0.0, 1.0, -0.5, 2.0])
PROBLEMS = st.tuples(st.integers(1, 9), st.integers(1, 4)).flatmap(
    lambda n: st.tuples(
        arrays(float, n, elements=CELLS),
        arrays(float, n[0], elements=st.sampled_from([-1.0, 1.0])),
        arrays(float, n[0], elements=st.sampled_from([0.0, 1.0, 0.5])),
    )
)


def lesson_of(X, y, weights, orders, inputs=None):
    inputs = np.arange(X.shape[1], dtype=np.int32) if inputs is None else inputs
    return PerceptronLesson(rows_of(X, X != 0), inputs, y, weights, orders)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "chosen"), [("average", AVERAGE), ("pocket", POCKET), ("last", LAST)])
@given(problem=PROBLEMS, passes=st.integers(1, 6), margin=st.sampled_from([0.0, 0.75]), mask=st.integers(0, 15))
def test_agrees_with_the_slow_twin(name, chosen, problem, passes, margin, mask):
    """On all columns of X, and on some of them in another order."""
    X, y, weights = problem
    orders = np.array([np.random.default_rng(e).permutation(len(X)) for e in range(passes)], np.int32)
    some = np.flatnonzero([mask >> c & 1 for c in range(X.shape[1])])[::-1]
    inputs = np.full(X.shape[1], -1, np.int32)
    inputs[some] = np.arange(len(some))
    for own, columns in ((None, np.arange(X.shape[1])), (inputs, some)):
        w, made = train_perceptron(lesson_of(X, y, weights, orders, own), margin=margin, chosen=chosen)
        wanted, turns = perceptron(X[:, columns], y, weights, orders, margin=margin, kept=name)
        assert made == turns
        np.testing.assert_allclose(w, wanted, atol=1e-10)
    count_cases(2 * len(wanted))


@pytest.mark.parametrize(("chosen", "average"), [(LAST, False), (AVERAGE, True)])
def test_agrees_with_scikit_learn(chosen, average):
    """SGDClassifier(loss="perceptron") with a constant step of 1, no penalty, documents in their order."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 5))
    y = np.where(X @ rng.standard_normal(5) + 0.7 * rng.standard_normal(60) > 0.3, 1.0, -1.0)
    options = {"learning_rate": "constant", "eta0": 1.0, "penalty": None, "shuffle": False, "tol": None}
    peer = SGDClassifier("perceptron", max_iter=6, average=average, **options).fit(X, y)
    orders = np.tile(np.arange(60, dtype=np.int32), (6, 1))
    w, passes = train_perceptron(lesson_of(X, y, np.ones(60), orders), margin=0.0, chosen=chosen)
    assert passes == 6
    np.testing.assert_allclose(w, [*peer.coef_[0], peer.intercept_[0]], rtol=1e-9)


@pytest.mark.parametrize("chosen", [LAST, AVERAGE, POCKET])
def test_without_documents_all_weights_are_zero(chosen):
    none = lesson_of(np.empty((0, 3)), np.empty(0), np.empty(0), np.empty((2, 0), np.int32))
    w, passes = train_perceptron(none, margin=0.0, chosen=chosen)
    assert w.tolist() == [0.0] * 4
    assert passes == 1


def test_arrays_that_do_not_fit_are_refused():
    plain = lesson_of(np.eye(2), np.ones(2), np.ones(2), np.array([[0, 1]], np.int32))
    for change, message in (
        ({"targets": np.ones(3)}, "targets has 3"),
        ({"weights": np.ones(1)}, "weights has 1"),
        ({"orders": np.array([[0, 2]], np.int32)}, "orders must be from 0 to 1"),
        ({"orders": np.array([[0, -1]], np.int32)}, "orders must be from 0 to 1"),
        ({"orders": np.array([[0]], np.int32)}, "orders has 1"),
        ({"inputs": np.zeros(1, np.int32)}, "terms must be from 0 to 0"),
        ({"rows": plain.rows._replace(starts=np.array([0, 2, 1]))}, "ascend"),
    ):
        with pytest.raises(ValueError, match=message):
            train_perceptron(plain._replace(**change), margin=0.0, chosen=LAST)
    with pytest.raises(TypeError, match="int32, not of int64"):
        train_perceptron(plain._replace(inputs=np.arange(2)), margin=0.0, chosen=LAST)
