"""Weights from dual variables, against SciPy's products."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_weights import sparse_weight_vectors, weight_vectors

numbers = st.integers(0, 10_000)


@given(seed=numbers)
def test_weight_vectors_are_a_product(seed):
    rng = np.random.default_rng(seed)
    X, beta = (sparse.random_array(shape, density=0.4, rng=rng, format="csr") for shape in ((12, 5), (12, 7)))
    rows, factors, W = Rows(X.indptr, X.indices, X.data), Rows(beta.indptr, beta.indices, beta.data), np.zeros((5, 7))
    weight_vectors(rows, factors, 0, 5, W)
    np.testing.assert_allclose(W, (X.T @ beta).toarray(), atol=1e-12)
    parts, cuts = np.zeros((5, 7)), sorted(rng.integers(0, 6, 2))
    for first, last in pairwise([0, *cuts, 5]):
        weight_vectors(rows, factors, int(first), int(last), parts)
    assert np.array_equal(parts, W)


@given(seed=numbers)
def test_sparse_weight_vectors_are_the_same_product(seed):
    rng = np.random.default_rng(seed)
    X, beta = (sparse.csr_array(sparse.random(*shape, 0.3, random_state=rng)) for shape in ((9, 12), (4, 9)))
    ends, terms, weights = sparse_weight_vectors(
        *(Rows(each.indptr, each.indices, each.data) for each in (X, beta)), 12
    )
    found = sparse.csr_array((weights, terms, ends), shape=(4, 12))
    assert found.has_canonical_format or len(set(zip(found.nonzero()[0], terms, strict=True))) == len(terms)
    np.testing.assert_allclose(found.toarray(), (beta @ X).toarray(), rtol=1e-14)
    assert (np.diff(ends) == np.diff((beta @ X).indptr)).all()
