"""Weights that are added while SVMs are solved: the same to the last bit, whatever is added together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.classifiers.svm.solvers import weights as weights_module
from rubricate.classifiers.svm.solvers.team import team_of
from rubricate.classifiers.svm.solvers.weights import WeightSums


def matrices(seed, documents=30, terms=17, categories=6):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((documents, terms), density=0.3, rng=rng, format="csr")
    return X, sparse.random_array((documents, categories), density=0.3, rng=rng, format="csc")


def summed(X, beta):
    """Document after document, one weight at a time."""
    W = np.zeros((beta.shape[1], X.shape[1]))
    dense, factors = X.toarray(), beta.toarray()
    for i in range(X.shape[0]):
        for c in np.flatnonzero(factors[i]):
            for t in np.flatnonzero(dense[i]):
                W[c, t] += factors[i, c] * dense[i, t]
    return W


def part(beta, chosen):
    """The columns that are chosen; the others are empty."""
    return sparse.csc_array(beta @ sparse.diags_array(chosen.astype(float)))


@given(seed=st.integers(0, 10_000), threads=st.integers(1, 4))
def test_waves_of_categories_add_up_to_the_same_bits(seed, threads):
    X, beta = matrices(seed)
    first = np.random.default_rng(seed).random(beta.shape[1]) < 0.5
    with team_of(threads) as team:
        coef = WeightSums(X, beta.shape[1], team)
        if seed % 2:
            coef.make_room()
        for wave in (first, ~first):
            coef.add(part(beta, wave))
        found = coef.matrix(beta)
    assert np.array_equal(found, summed(X, beta))
    assert found.flags.f_contiguous


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_many_weights_are_sparse(threads, monkeypatch):
    monkeypatch.setattr(weights_module, "DENSE", 0)
    X, beta = matrices(1)
    with team_of(threads) as team:
        coef = WeightSums(X, beta.shape[1], team)
        coef.add(beta)
        found = coef.matrix(beta)
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), summed(X, beta), rtol=1e-14)


@pytest.mark.parametrize("threads", [1, 2])
def test_documents_without_a_term_and_categories_without_support_have_no_weight(threads):
    with team_of(threads) as team:
        coef = WeightSums(sparse.csr_array((4, 3)), 2, team)
        coef.add(sparse.csc_array((4, 2)))
        assert not coef.matrix(sparse.csc_array((4, 2))).any()


def test_rows_whose_terms_do_not_ascend_are_added_whole():
    X, beta = matrices(3)
    mixed = X.copy()
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        mixed.indices[start:end], mixed.data[start:end] = X.indices[start:end][::-1], X.data[start:end][::-1]
    mixed = sparse.csr_array((mixed.data, mixed.indices, mixed.indptr), shape=X.shape)
    assert not mixed.has_sorted_indices
    with team_of(3) as team:
        coef = WeightSums(mixed, beta.shape[1], team)
        coef.add(beta)
        np.testing.assert_allclose(coef.matrix(beta), (X.T @ beta).toarray().T, atol=1e-12)
