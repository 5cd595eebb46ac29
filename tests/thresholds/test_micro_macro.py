"""Micro-macro: the rule step by step, what it reaches, and its edges."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import cuts as oracle
from tests.thresholds.strategies import tables

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.measures import counts, macro, micro
from rubricate.thresholds import MicroMacro, Scut


@given(tables(), st.sampled_from([0.0, 0.25, 0.5, 4.0]), st.integers(0, 3))
def test_the_rule_step_by_step(table, weight, passes):
    scores, truth = table
    cut = MicroMacro(weight=weight, passes=passes).fit(scores, truth)
    assert cut.cuts_.tolist() == oracle.micro_macro(scores, truth, weight, passes).tolist()


def objective(scores, truth, cut, weight):
    table = counts(indicator(truth), cut.fit(scores, truth).decide(scores))
    return micro("f1", table) + weight * macro("f1", table)


@given(st.integers(0, 10_000))
def test_each_pass_raises_what_it_maximises(seed):
    rng = np.random.default_rng(seed)
    truth = rng.random((60, 6)) < rng.uniform(0.02, 0.3, size=6)
    scores = np.round(truth + rng.normal(0, 0.8, truth.shape), 1)
    reached = [objective(scores, truth, MicroMacro(weight=0.25, passes=p), 0.25) for p in range(4)]
    assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(reached))
    assert reached[-1] >= objective(scores, truth, Scut(fbr=None), 0.25) - 1e-12


def test_only_the_best_documents_are_candidates():
    """One positive at rank 51 of 100: reaching it would mean more than max(50, 5) documents."""
    scores = np.arange(100.0, 0, -1)[:, None]
    truth = np.zeros((100, 1), bool)
    truth[50] = True
    assert MicroMacro().fit(scores, truth).cuts_.tolist() == [np.nextafter(100.0, 101)]
    truth[50], truth[49] = False, True
    assert MicroMacro().fit(scores, truth).cuts_.tolist() == [50.5]


def test_frequent_categories_may_reach_five_times_their_documents():
    """Eleven positives at ranks 46 to 56: the last would be worth it (22/67 > 20/66) but lies beyond 5 · 11 = 55."""
    scores = np.arange(100.0, 0, -1)[:, None]
    truth = np.zeros((100, 1), bool)
    truth[45:56] = True
    assert MicroMacro().fit(scores, truth).cuts_.tolist() == [45.5]


@pytest.mark.parametrize("passes", [0, 2])
def test_of_equal_cuts_the_one_that_assigns_fewest(passes):
    """Positives at ranks 1 and 4: F1 is 2/3 after one document and after four."""
    cut = MicroMacro(passes=passes).fit([[0.9], [0.8], [0.7], [0.6]], [[1], [0], [0], [1]])
    assert cut.cuts_[0] == pytest.approx(0.85)


def test_zeros_of_nearest_neighbours_are_not_flooded():
    scores, truth = np.zeros((1000, 2)), np.zeros((1000, 2), bool)
    scores[:40, 0], truth[:40, 0], truth[500, 1] = 1.0, True, True
    cut = MicroMacro().fit(scores, truth)
    assert cut.cuts_.tolist() == [0.5, 5e-324]
    assert cut.decide(scores).nnz == 40


def test_every_document_assigned_cuts_at_the_lowest():
    assert MicroMacro().fit([[0.3], [0.2]], [[1], [1]]).cuts_.tolist() == [0.2]


@pytest.mark.parametrize("options", [{"weight": -1.0}, {"weight": np.nan}, {"passes": -1}, {"passes": 1.5}])
def test_wrong_options_are_named(options):
    with pytest.raises(InvalidInput, match="weight must be a number from 0 on and passes"):
        MicroMacro(**options).fit([[1.0]], [[1]])
