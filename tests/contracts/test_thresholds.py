"""What every threshold must do, whichever file it comes from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from tests.thresholds.strategies import TIED, as_sparse, tables

from rubricate import registry
from rubricate.thresholds import resolve

pytestmark = pytest.mark.slow

NAMES = registry.names("thresholds")
every_threshold = pytest.mark.parametrize("name", NAMES)
QUARTERS = st.integers(-8, 8).map(lambda k: k / 4)


def fitted(name, scores, truth):
    return resolve(name).fit(scores, truth)


def decided(name, scores, truth):
    return fitted(name, scores, truth).decide(scores).toarray()


def learned(cut):
    """What a fitted threshold knows, a threshold inside it included."""
    found = {key: value for key, value in vars(cut).items() if key.endswith("_")}
    return {
        key: learned(value) if isinstance(value, BaseEstimator) else np.array(value) for key, value in found.items()
    }


def same(a, b):
    return a.keys() == b.keys() and all(
        same(a[k], b[k]) if isinstance(a[k], dict) else np.array_equal(a[k], b[k]) for k in a
    )


def test_the_known_ones_are_found():
    assert {"fixed", "micro_macro", "pcut", "rank_limit", "rcut", "scut"} <= set(NAMES)


@every_threshold
def test_is_an_estimator_with_parameters_by_keyword(name):
    cut = resolve(name)
    assert clone(cut).get_params() == cut.get_params()
    assert isinstance(cut.needs_scores, bool)
    parameter, read = type(cut).shorthand
    assert parameter in cut.get_params()
    assert callable(read)


@every_threshold
@given(table=tables())
def test_decisions_are_a_canonical_boolean_matrix(name, table):
    decisions = fitted(name, *table).decide(table[0])
    assert isinstance(decisions, sparse.csr_array)
    assert decisions.dtype == bool
    assert decisions.shape == table[0].shape
    assert decisions.has_canonical_format
    assert decisions.data.all()


@every_threshold
@given(table=tables())
def test_fitting_again_learns_the_same_and_leaves_its_input_alone(name, table):
    scores, truth = table[0].copy(), table[1].copy()
    cut = resolve(name)
    first = learned(cut.fit(scores, truth))
    assert same(first, learned(cut.fit(scores, truth)))
    assert same(first, learned(clone(cut).fit(scores, truth)))
    assert (cut.decide(scores).toarray() == cut.decide(scores).toarray()).all()
    assert np.array_equal(scores, table[0])
    assert np.array_equal(truth, table[1])


@every_threshold
@given(table=tables(), seed=st.integers(0, 99))
def test_permuting_documents_changes_nothing(name, table, seed):
    scores, truth = table
    order = np.random.default_rng(seed).permutation(len(scores))
    assert same(learned(fitted(name, scores, truth)), learned(fitted(name, scores[order], truth[order])))
    assert (decided(name, scores[order], truth[order]) == decided(name, scores, truth)[order]).all()


@every_threshold
@given(table=tables())
def test_sparse_scores_and_labels_decide_as_dense_ones(name, table):
    scores, truth = table
    stored = fitted(name, as_sparse(scores), sparse.csr_array(truth))
    dense = fitted(name, scores, truth)
    assert same(learned(stored), learned(dense))
    assert (stored.decide(as_sparse(scores)).toarray() == dense.decide(scores).toarray()).all()
    assert (dense.decide(as_sparse(scores)).toarray() == dense.decide(scores).toarray()).all()


@every_threshold
@given(table=tables(elements=QUARTERS, least=1), shift=st.sampled_from([-2.0, 0.5, 64.0]))
def test_adding_a_constant_shifts_learned_cuts_and_no_decision(name, table, shift):
    scores, truth = table
    cut, moved = fitted(name, scores, truth), fitted(name, scores + shift, truth)
    if cut.needs_scores or not hasattr(cut, "cuts_"):
        assert (moved.decide(scores + shift).toarray() == cut.decide(scores).toarray()).all()
    if hasattr(cut, "cuts_"):
        np.testing.assert_allclose(moved.cuts_, cut.cuts_ + shift * cut.needs_scores, atol=1e-9)


@every_threshold
@given(table=tables(elements=TIED, least=1), data=st.data())
def test_a_higher_score_never_loses_the_category(name, table, data):
    scores, truth = table
    cut = fitted(name, scores, truth)
    before = cut.decide(scores).toarray()
    d = data.draw(st.integers(0, scores.shape[0] - 1))
    c = data.draw(st.integers(0, scores.shape[1] - 1))
    raised = scores.copy()
    raised[d, c] += data.draw(st.sampled_from([0.25, 0.5, 10.0]))
    assert cut.decide(raised).toarray()[d, c] >= before[d, c]


@every_threshold
@given(columns=st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_perfect_scores_give_perfect_decisions(name, columns):
    """One category a document, so that the ways that assign by rank or share can be perfect too."""
    truth = np.eye(4, dtype=bool)[columns]
    scores = np.where(truth, 1.0, -1.0)
    assert (decided(name, scores, truth) == truth).all()


@every_threshold
@given(table=tables())
def test_minus_infinity_is_never_assigned(name, table):
    scores, truth = table
    assert not decided(name, scores, truth)[scores == -np.inf].any()


@every_threshold
def test_no_documents_and_one_category(name):
    cut = fitted(name, np.array([[0.5], [0.1]]), np.array([[True], [False]]))
    assert cut.decide(np.zeros((0, 1))).shape == (0, 1)
    assert fitted(name, np.zeros((0, 1)), np.zeros((0, 1), bool)).decide([[-1.0]]).nnz <= 1


@every_threshold
@given(tables=st.lists(tables(elements=TIED, least=2), min_size=1, max_size=3))
def test_merging_one_fit_is_that_fit(name, tables):
    scores, truth = tables[0]
    one = fitted(name, scores, truth)
    assert same(learned(resolve(name).merge([one, one, one])), learned(one))
