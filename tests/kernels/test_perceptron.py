"""The perceptron kernel against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from tests.oracles.perceptron import perceptron

from rubricate.kernels.perceptron import AVERAGE, LAST, POCKET, PerceptronRule, SignedDocuments, narrow, train
from rubricate.kernels.rows import Rows

CELLS = st.sampled_from([0.0, 0.0, 1.0, -0.5, 2.0])
PROBLEMS = st.tuples(st.integers(1, 9), st.integers(1, 4)).flatmap(
    lambda n: st.tuples(
        arrays(float, n, elements=CELLS),
        arrays(float, n[0], elements=st.sampled_from([-1.0, 1.0])),
        arrays(float, n[0], elements=st.sampled_from([0.0, 1.0, 0.5])),
    )
)


@pytest.mark.parametrize(("name", "kept"), [("average", AVERAGE), ("pocket", POCKET), ("last", LAST)])
@given(problem=PROBLEMS, passes=st.integers(1, 6), margin=st.sampled_from([0.0, 0.75]))
def test_agrees_with_the_slow_twin(name, kept, problem, passes, margin):
    X, y, weights = problem
    orders = np.array([np.random.default_rng(e).permutation(len(X)) for e in range(passes)], np.int32)
    rows = sparse.csr_array(X)
    own = Rows(rows.indptr.astype(np.int64), rows.indices, rows.data)
    w, made = train(SignedDocuments(own, y, weights, orders), X.shape[1], PerceptronRule(margin, kept))
    wanted, turns = perceptron(X, y, weights, orders, margin=margin, kept=name)
    assert made == turns
    np.testing.assert_allclose(w, wanted, atol=1e-10)


@given(PROBLEMS, st.integers(0, 15))
def test_some_columns_of_the_rows(problem, mask):
    X = problem[0]
    kept = np.flatnonzero([mask >> c & 1 for c in range(X.shape[1])])
    place = np.full(X.shape[1], -1, np.int32)
    place[kept] = np.arange(len(kept))
    rows = sparse.csr_array(X)
    starts, columns, values = narrow(Rows(rows.indptr.astype(np.int64), rows.indices, rows.data), place)
    found = sparse.csr_array((values, columns, starts), shape=(len(X), len(kept))).toarray()
    assert (found == X[:, kept]).all()


@pytest.mark.parametrize(("kept", "average"), [(LAST, False), (AVERAGE, True)])
def test_agrees_with_scikit_learn(kept, average):
    """SGDClassifier(loss="perceptron") with a constant step of 1, no penalty, documents in their order."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 5))
    y = np.where(X @ rng.standard_normal(5) + 0.7 * rng.standard_normal(60) > 0.3, 1.0, -1.0)
    options = {"learning_rate": "constant", "eta0": 1.0, "penalty": None, "shuffle": False, "tol": None}
    peer = SGDClassifier("perceptron", max_iter=6, average=average, **options).fit(X, y)
    rows = sparse.csr_array(X)
    orders = np.tile(np.arange(60, dtype=np.int32), (6, 1))
    own = Rows(rows.indptr.astype(np.int64), rows.indices, rows.data)
    w, passes = train(SignedDocuments(own, y, np.ones(60), orders), 5, PerceptronRule(0.0, kept))
    assert passes == 6
    np.testing.assert_allclose(w, [*peer.coef_[0], peer.intercept_[0]], rtol=1e-9)
