"""Malformed sparse matrices: every way into a compiled loop refuses them with one error, before the loop runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rubricate as rb
from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.matrices import check_sparse_indices
from rubricate.types import Decisions, Scores

DAMAGES = ("index too large", "index negative", "starts fall", "last start too large", "last start negative")
ROWS, TERMS = 6, 4


def matrix(form=sparse.csr_array):
    return form(np.arange(1.0, ROWS * TERMS + 1).reshape(ROWS, TERMS))


def damaged(kind, form=sparse.csr_array):
    X = matrix(form)
    if kind.startswith("index"):
        X.indices[3] = 10**6 if kind == "index too large" else -5
    elif kind == "starts fall":
        X.indptr[2] = 23
    else:
        X.indptr[-1] = 10**6 if kind == "last start too large" else -2
    return X


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.bsr_array])
@pytest.mark.parametrize("kind", DAMAGES)
def test_each_damage_in_each_form_is_refused(kind, form):
    with pytest.raises(InvalidInput, match="matrix cannot be used"):
        check_sparse_indices(damaged(kind, form))


@pytest.mark.parametrize("axis", ["row", "col"])
def test_coordinates_out_of_range_are_refused(axis):
    X = matrix(sparse.coo_array)
    getattr(X, axis)[0] = -1
    with pytest.raises(InvalidInput, match="out of range"):
        check_sparse_indices(X)


@given(st.integers(0, 5), st.integers(0, 5), st.sampled_from(["csr", "csc", "coo", "bsr", "lil", "dok", "dia"]))
def test_every_sound_matrix_passes(rows, columns, form):
    X = sparse.random_array((rows, columns), density=0.5, rng=np.random.default_rng(rows)).asformat(form)
    assert check_sparse_indices(X) is X


@pytest.mark.parametrize("name", sorted({*registry.names("classifiers")} - {"construe"}))  # construe takes texts
def test_every_classifier_checks_before_it_learns_and_scores(name):
    """Without the check fit or decision_function reads foreign memory: signal 11, or silently wrong numbers."""
    classifier = registry.load("classifiers", name)
    y = np.array(["a", "b", "c"] * 2)
    for kind in ("index too large", "last start negative"):
        with pytest.raises(InvalidInput, match="matrix cannot be used"):
            classifier().fit(damaged(kind), y)


@pytest.mark.parametrize("name", ["nb", "knn", "rocchio", "svm"])
def test_scoring_and_batches_check_too(name):
    fitted = registry.load("classifiers", name)().fit(matrix(), np.array(["a", "b", "c"] * 2))
    calls = [fitted.decision_function, fitted.predict, lambda X: fitted.top(X, 1), lambda X: fitted.explain(X, 0)]
    if hasattr(fitted, "partial_fit"):
        calls.append(lambda X: fitted.partial_fit(X, np.array(["a", "b", "c"] * 2)))
    for call in calls:
        with pytest.raises(InvalidInput, match="matrix cannot be used"):
            call(damaged("index too large"))


@pytest.mark.parametrize("kind", DAMAGES)
def test_labels_scores_decisions_and_terms_check(kind):
    X, names, documents = damaged(kind), tuple("abcd"), tuple(map(str, range(ROWS)))
    for call in (
        lambda: rb.NB().fit(matrix(), X),
        lambda: Scores(X, names, documents),
        lambda: Decisions(X, names, documents),
        lambda: rb.text.Weights("ltc").fit(X),
        lambda: rb.text.Select("chi2:2").fit(X, np.array(["a", "b", "c"] * 2)),
        lambda: rb.thresholds.Rcut(t=1).decide(X),
        lambda: rb.Categorizer(rb.NB(), weights="precomputed").fit(X, ["a", "b", "c"] * 2),
    ):
        with pytest.raises(InvalidInput, match="matrix cannot be used"):
            call()


@pytest.mark.parametrize("threads", [float("nan"), 0, -1, 1.5, "2", True])
def test_threads_must_be_a_whole_number(threads):
    """`KNN(threads=nan)` waited for ever."""
    with pytest.raises(InvalidInput, match="threads must be"):
        rb.KNN(k=1, threads=threads).fit(matrix(), np.array(["a", "b", "c"] * 2))


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("against", ["categories", "rest"])
@pytest.mark.parametrize("alpha", [1e-100, 1e100])
def test_smoothing_gives_finite_scores_at_its_limits_and_is_refused_beyond(model, against, alpha):
    y = np.array(["a", "b", "c"] * 2)
    scores = rb.NB(model, alpha=alpha, against=against).fit(matrix(), y).decision_function(matrix())
    assert np.isfinite(scores).all()
    with pytest.raises(InvalidInput, match="alpha must be"):
        rb.NB(model, alpha=1e308 if alpha > 1 else 5e-324, against=against).fit(matrix(), y)
