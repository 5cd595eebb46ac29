"""Scut: agreement with trying every cut, the fallbacks, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.cuts import best_table, cut_at, every_cut, f1
from tests.thresholds.strategies import TIED, tables

from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures import measure
from rubricate.thresholds import Scut

PLAIN = {"fbr": None}


def slow_cuts(scores, truth, value, allowed=lambda c: lambda table: True):
    columns = range(scores.shape[1])
    return [cut_at(scores[:, c], best_table(scores[:, c], truth[:, c], value, allowed(c))[0]) for c in columns]


CRITERIA = {
    "f1": f1,
    "error": lambda t: -(t[1] + t[2]),
    "accuracy": lambda t: t[0] + t[3],
    "recall": lambda t: t[0],
    "precision": lambda t: t[0] / (t[0] + t[1]) if t[0] else 0.0,
    "f_beta:2": lambda t: 5 * t[0] / (5 * t[0] + t[1] + 4 * t[2]) if t[0] else 0.0,
    "e_beta:0.5": lambda t: -(1 - (1.25 * t[0] / (1.25 * t[0] + t[1] + 0.25 * t[2]) if t[0] else 0.0)),
    "fallout": lambda t: -(t[1] / (t[1] + t[3]) if t[1] else 0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CRITERIA)
@given(table=tables())
def test_no_cut_does_better(name, table):
    scores, truth = table
    cut = Scut(criterion=name, fbr=None).fit(scores, truth)
    assert cut.cuts_.tolist() == slow_cuts(scores, truth, CRITERIA[name])


@given(tables(), st.sampled_from([0.1, 0.5, 2.0]))
def test_smoothed_f_is_the_formula(table, s):
    scores, truth = table
    cut = Scut(smooth=s, fbr=None).fit(scores, truth)
    slow = slow_cuts(scores, truth, lambda t: (2 * t[0] + s) / (2 * t[0] + t[1] + t[2] + 2 * s))
    assert cut.cuts_.tolist() == slow


@given(tables(), st.sampled_from([0.0, 1.0, 1.5]))
def test_cap_limits_what_is_assigned(table, cap):
    scores, truth = table
    most = cap * truth.sum(axis=0) + 1
    slow = slow_cuts(scores, truth, f1, lambda c: lambda t: t[0] + t[1] <= most[c])
    assert Scut(cap=cap, fbr=None).fit(scores, truth).cuts_.tolist() == slow


@given(tables(), st.sampled_from([0.1, 0.5, 0.9]))
def test_fallback_where_f1_is_weak(table, level):
    scores, truth = table
    maximum = Scut(fbr=level).fit(scores, truth).cuts_
    infinity = Scut(fbr=level, fallback="infinity").fit(scores, truth).cuts_
    for c in range(scores.shape[1]):
        lowest, best = best_table(scores[:, c], truth[:, c])
        if f1(best) < level:
            assert maximum[c] == cut_at(scores[:, c], np.inf)
            assert infinity[c] == np.inf
        else:
            assert maximum[c] == infinity[c] == cut_at(scores[:, c], lowest)


@given(tables(elements=TIED, least=1), st.sampled_from([0.5, 3.0]))
def test_shrinking_moves_every_cut_towards_the_common_one(table, k):
    scores, truth = table
    alone, common = Scut(fbr=None).fit(scores, truth).cuts_, cut_at(scores.ravel(), best_pooled(scores, truth))
    positives = truth.sum(axis=0)
    expected = (positives * alone + k * common) / (positives + k)
    np.testing.assert_allclose(Scut(fbr=None, shrink=k).fit(scores, truth).cuts_, expected, rtol=1e-12)


def best_pooled(scores, truth):
    return best_table(scores.ravel(), truth.ravel())[0]


def test_shrinking_leaves_infinite_cuts_alone():
    cut = Scut(shrink=1.0, fbr=0.5, fallback="infinity").fit([[1.0, 0.0], [0.0, 0.0]], [[1, 0], [0, 0]])
    assert cut.cuts_[1] == np.inf
    assert np.isfinite(cut.cuts_[0])


def test_highest_score_shared_by_all_is_not_a_cut_that_assigns_everything():
    """FBR.1 at the highest score itself would: nearest neighbours give 0 to every document of a rare category."""
    scores, truth = np.zeros((1000, 1)), np.zeros((1000, 1), bool)
    truth[17] = True
    assert Scut().fit(scores, truth).decide(scores).nnz == 0
    assert Scut().fit(scores, truth).decide([[0.01]]).nnz == 1


def test_cut_does_not_split_the_zeros_of_nearest_neighbours():
    """Two positives, one at 0 among 998 negatives at 0: a cut inside the tie would look good and assign them all."""
    scores, truth = np.zeros((1000, 1)), np.zeros((1000, 1), bool)
    scores[0], truth[:2] = 0.4, True
    cut = Scut(fbr=None).fit(scores, truth)
    assert cut.cuts_.tolist() == [0.2]
    assert cut.decide(scores).nnz == 1


def test_plain_scut_assigns_everything_to_reach_a_lone_positive_at_the_bottom():
    """The Scut of the paper maximises F1, and 2/1001 is more than 0; this is why the fallback is the default."""
    scores, truth = np.zeros((1000, 1)), np.zeros((1000, 1), bool)
    truth[17] = True
    assert Scut(fbr=None).fit(scores, truth).decide(scores).nnz == 1000


def test_fallback_is_for_less_than_fbr_not_for_equal():
    """One of three positives on top, nothing else reachable: F1 is 2 / (1 + 3)."""
    scores, truth = [[1.0], [-np.inf], [-np.inf]], [[1], [1], [1]]
    assert Scut(fbr=0.5).fit(scores, truth).cuts_.tolist() == [1.0]
    assert Scut(fbr=0.51).fit(scores, truth).cuts_.tolist() == [np.nextafter(1.0, 2)]


def test_no_positive_cuts_above_the_highest_score():
    scores = np.array([[0.2], [0.7]])
    assert Scut(fbr=None).fit(scores, [[0], [0]]).cuts_.tolist() == [np.nextafter(0.7, 1)]
    assert Scut(fallback="infinity").fit(scores, [[0], [0]]).cuts_.tolist() == [np.inf]


def test_score_equal_to_the_cut_is_assigned():
    cut = Scut().fit([[0.0], [1.0]], [[0], [1]])
    assert cut.cuts_.tolist() == [0.5]
    assert cut.decide([[0.5], [np.nextafter(0.5, 0)]]).toarray().ravel().tolist() == [True, False]


def test_minus_infinity_is_never_assigned_and_plus_infinity_always():
    scores = [[-np.inf, np.inf], [-np.inf, -np.inf], [1.0, 0.0]]
    cut = Scut(fbr=None).fit(scores, [[1, 0], [1, 0], [1, 0]])
    assert cut.decide(scores).toarray().tolist() == [[False, True], [False, False], [True, False]]
    assert cut.cuts_.tolist() == [1.0, 5e-324]


def test_without_documents_nothing_is_ever_assigned():
    cut = Scut().fit(np.zeros((0, 3)), np.zeros((0, 3), bool))
    assert cut.cuts_.tolist() == [np.inf] * 3
    assert cut.decide(np.ones((2, 3))).nnz == 0
    assert cut.decide(np.ones((0, 3))).shape == (0, 3)


def test_no_categories():
    assert Scut().fit(np.zeros((4, 0)), np.zeros((4, 0), bool)).decide(np.zeros((2, 0))).shape == (2, 0)


def test_own_measure_as_criterion():
    @measure("gain", "counts", "gain")
    def gain(counts, *, undefined="zero"):
        return 3.0 * counts.tp - counts.fp

    scores = np.array([[0.9], [0.8], [0.7], [0.1]])
    cut = Scut(criterion=gain, fbr=None).fit(scores, [[1], [0], [1], [0]])
    assert cut.decide(scores).toarray().ravel().tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"criterion": "f2"}, UnknownName, "no measure named 'f2'"),
        ({"criterion": abs}, InvalidInput, "measure of counts"),
        ({"fallback": "max"}, UnknownName, "no fallback named 'max'"),
        ({"smooth": -1.0}, InvalidInput, "smooth must be a number from 0 on"),
        ({"shrink": np.nan}, InvalidInput, "shrink must be"),
        ({"cap": -0.1}, InvalidInput, "cap must be"),
        ({"fbr": "low"}, InvalidInput, "fbr must be"),
    ],
)
def test_wrong_options_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Scut(**options).fit([[1.0]], [[1]])


def test_oracle_by_hand():
    """Scores .9+ .8- .7+ .1-: F1 of cutting after 1, 2, 3, 4 documents is 2/3, 1/2, 4/5, 2/3."""
    tables = [f1(t) for _, t in every_cut(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1, 0, 1, 0], bool))]
    assert [str(v) for v in tables] == ["0", "2/3", "1/2", "4/5", "2/3"]


@pytest.mark.parametrize(("positives", "assigned"), [(1, 0), (2, 0), (3, 40), (40, 40)])
def test_all_scores_equal(positives, assigned):
    """F1 of assigning all 40 is 2n / (40 + n): .05, .095, .14, 1; the fallback stands under .1."""
    scores, truth = np.full((40, 1), -0.3), np.arange(40)[:, None] < positives
    assert Scut().fit(scores, truth).decide(scores).nnz == assigned
    assert Scut(fbr=None).fit(scores, truth).decide(scores).nnz == 40
