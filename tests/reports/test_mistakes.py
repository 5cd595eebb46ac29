"""Wrong decisions by how far they are from the cut, and labels that the systems contradict."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import reports as oracle
from tests.reports.studies import small_study

from rubricate.labels import indicator
from rubricate.reports.data import ReportData, SuspectLabel
from rubricate.reports.mistakes import confident_mistakes, likely_mislabelled, margins, wrong_pairs
from rubricate.reports.results import ReportResults, results_of
from rubricate.thresholds import decide
from rubricate.types import Decisions, Run, Scores


def run_of(scores, decided, truth, floor=-np.inf, name="a"):
    ids, categories = [str(k) for k in range(scores.shape[0])], tuple(map(str, range(scores.shape[1])))
    kept = Scores(scores, categories, ids, floor)
    return Run(name, ids, categories, kept, Decisions(indicator(decided), categories, ids), indicator(truth))


@given(st.integers(0, 2**31), st.integers(2, 9), st.integers(1, 5), st.sampled_from(["cuts", "rcut", "noise"]))
def test_margins_agree_with_the_slow_twin(seed, rows, columns, how):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 4, (rows, columns)) / 2
    decided = {
        "cuts": scores >= rng.integers(-3, 4, columns) / 2,
        "rcut": decide(scores, "rcut:1").toarray(),
        "noise": rng.random(scores.shape) < 0.5,
    }[how]
    run = run_of(scores, decided, decided)
    place = np.indices(scores.shape).reshape(2, -1)
    found = margins(run, indicator(decided), place)
    np.testing.assert_allclose(found.reshape(scores.shape), oracle.margins(scores, decided), atol=1e-12)


@given(st.integers(0, 2**31))
def test_sparse_scores_with_a_floor_give_the_same_as_dense_ones(seed):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((9, 4)) < 0.5, rng.integers(1, 6, (9, 4)), 0.5).astype(float)
    decided = dense >= rng.integers(1, 6, 4)
    stored = sparse.csr_array(np.where(dense > 0.5, dense, 0.0))
    place = np.indices(dense.shape).reshape(2, -1)
    a, b = run_of(dense, decided, decided), run_of(stored, decided, decided, floor=0.5)
    np.testing.assert_array_equal(margins(a, indicator(decided), place), margins(b, indicator(decided), place))


def test_what_is_not_ranked_is_infinitely_far_and_no_scores_are_no_margin():
    scores = np.array([[0.9, -np.inf], [0.1, 0.4]])
    decided = indicator([[1, 0], [0, 1]])
    run = run_of(scores, decided, decided)
    assert margins(run, decided, (np.array([0]), np.array([1]))).tolist() == [np.inf]
    bare = dataclasses.replace(run, scores=None)
    assert margins(bare, decided, (np.array([0]), np.array([1]))).tolist() == [0.0]
    empty = run_of(sparse.csr_array((2, 2)), decided, decided, floor=-1.0)
    assert margins(empty, decided, (np.array([0]), np.array([1]))).tolist() == [0.0]


def test_confident_mistakes_are_the_farthest_of_each_kind():
    results = results_of(small_study(resamples=0))
    found = confident_mistakes(results, 2, limit=5)
    given, missed = wrong_pairs(results.truth, results.decided(2))
    for kind, (rows, columns) in (("wrong", given), ("missed", missed)):
        own = [one for one in found if one.kind == kind]
        every = margins(results.runs[2], results.decided(2), (rows, columns))
        assert [one.margin for one in own] == sorted(every, reverse=True)[:5]
        pairs = set(zip(rows.tolist(), columns.tolist(), strict=True))
        assert {(one.row, one.column) for one in own} <= pairs


def three_systems(*decisions, truth):
    names = ("a", "b", "c")
    runs = [run_of(np.asarray(d, float), d, truth, name=n) for n, d in zip(names, decisions, strict=False)]
    return ReportResults(ReportData(runs), ())


def test_suspects_are_the_labels_that_most_systems_contradict():
    truth = [[1, 0, 0], [0, 1, 0]]
    results = three_systems(
        [[0, 1, 0], [0, 1, 0]], [[0, 1, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 1]], truth=np.array(truth, bool)
    )
    found = likely_mislabelled(results)
    assert [(one.document, one.category, one.given, one.against) for one in found] == [
        ("0", "0", True, 3),
        ("0", "1", False, 2),
    ]


def test_one_system_alone_names_its_own_mistakes():
    results = three_systems([[0, 1], [0, 1]], truth=np.array([[1, 0], [0, 1]], bool))
    assert {(one.document, one.category) for one in likely_mislabelled(results)} == {("0", "0"), ("0", "1")}


def test_perfect_systems_leave_nothing_to_suspect():
    truth = np.eye(3, dtype=bool)
    results = three_systems(truth, truth, truth, truth=truth)
    assert likely_mislabelled(results) == []
    assert confident_mistakes(results, 0) == []


def test_given_suspects_are_sorted_by_share_then_confidence():
    given = [
        SuspectLabel("x", "c", True, 1, 3, 0.9),
        SuspectLabel("y", "c", False, 3, 3, 0.1),
        SuspectLabel("z", "c", True, 2, 2, 0.5),
    ]
    results = ReportResults(small_study(suspects=given), ())
    assert [one.document for one in likely_mislabelled(results)] == ["z", "y", "x"]
    assert [one.document for one in likely_mislabelled(results, 1)] == ["z"]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 3])
def test_limits_hold(limit):
    results = results_of(small_study(resamples=0))
    assert len(likely_mislabelled(results, limit)) == limit
