"""Many categories at once: each is what it is alone, whoever runs it and however much room there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.kernels.small_cases import SEEDS, count_cases

import rubricate as rb
from rubricate.classifiers.svm.leave_one_out import near
from rubricate.classifiers.svm.leave_one_out.near import STAGES, NearRetraining, NearSets
from rubricate.classifiers.svm.leave_one_out.pairs import LeftOutPairs
from rubricate.classifiers.svm.leave_one_out.sets import cut
from rubricate.classifiers.svm.leave_one_out import SolvedSVMs
from rubricate.classifiers.svm.solvers.team import team_of
from rubricate.kernels.svm_sets import find_near

CATEGORIES = 3


def _svms(seed, n=30, *, bias="free", C=1.0):
    rng = np.random.default_rng(seed)
    own = rng.integers(0, CATEGORIES, n)
    own[:6] = [0, 1, 2, 0, 1, 2]
    X = rng.random((n, 25)) * (rng.random((n, 25)) < 0.25) + 0.6 * (np.arange(25) == own[:, None])
    X[1], X[4] = X[0], X[3] + 0.01 * rng.random(25)
    X = sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True))
    labels = sparse.csr_array(own[:, None] == np.arange(CATEGORIES))
    return SolvedSVMs.of(rb.SVM(C=C, bias=bias, tol=1e-5).fit(X, labels), X, labels)


def _all_pairs(n):
    categories, documents = np.divmod(np.arange(CATEGORIES * n), n)
    return LeftOutPairs(categories, documents, np.full(len(documents), -np.inf), np.full(len(documents), np.inf))


@given(
    seed=SEEDS, bias=st.sampled_from(["free", "penalised", None]), C=st.sampled_from([0.3, 1.0, 5.0]),
    threads=st.sampled_from([1, 3]),
)  # fmt: skip
def test_categories_together_are_as_each_alone(seed, bias, C, threads):
    svms = _svms(seed, bias=bias, C=C)
    n = svms.X.shape[0]
    if bias == "free" and not svms.free_counts.all():  # `suits` asks for many more
        count_cases(0)
        return
    alone, nowhere = [NearRetraining(svms, c) for c in range(CATEGORIES)], np.full(n, np.inf)
    with team_of(threads) as team:
        together = NearSets(svms, np.arange(CATEGORIES), team)
        np.testing.assert_array_equal(together.beta, [each.beta for each in alone])
        np.testing.assert_array_equal(together.solutions.full, [each.full for each in alone])
        for stage in range(len(STAGES)):
            found = together.narrow(_all_pairs(n), stage)
            expected = [each.narrow(np.arange(n), stage, -nowhere, nowhere) for each in alone]
            for whole, *parts in zip(found, *expected, strict=True):
                np.testing.assert_array_equal(whole, np.concatenate(parts))
    count_cases(CATEGORIES)


@pytest.mark.parametrize("most", [0, 7])
def test_room_for_documents_that_enter_later_changes_no_score(most, monkeypatch):
    """Without room to spare sets are enlarged, all of them or one after the other."""
    svms = _svms(5, n=120)
    pairs, found, moved = _all_pairs(120), [], []
    enlarged = near.enlarged
    monkeypatch.setattr(near, "enlarged", lambda *sets: moved.append(1) or enlarged(*sets))
    for spare, band in ((96, 0.02), (most, 0.0)):
        monkeypatch.setattr(near, "SPARE", spare)
        monkeypatch.setattr(near, "MORE", 0.0)
        monkeypatch.setattr(near, "BAND", band)
        sets = NearSets(svms, np.arange(CATEGORIES))
        found.append([sets.narrow(pairs, stage) for stage in range(len(STAGES))][-1])

    assert moved
    np.testing.assert_allclose(found[0].scores, found[1].scores, atol=2e-3)
    np.testing.assert_array_equal(found[0].removed, found[1].removed)


@pytest.mark.parametrize("threads", [1, 3])
def test_spans_of_pairs_change_nothing(threads, monkeypatch):
    """However removals are cut into tasks, each has the same bits."""
    svms = _svms(8, n=200)
    pairs, found = _all_pairs(200), []
    for parts in (1, 3, 50):
        monkeypatch.setattr(near, "PARTS", parts)
        monkeypatch.setattr(near, "BRIEF", 0)
        with team_of(threads) as team:
            sets = NearSets(svms, np.arange(CATEGORIES), team)
            found.append([sets.narrow(pairs, stage) for stage in range(len(STAGES))])
    for other in found[1:]:
        for stage, expected in zip(other, found[0], strict=True):
            for part, same in zip(stage, expected, strict=True):
                np.testing.assert_array_equal(part, same)


def test_documents_near_a_margin_are_those_with_alpha_and_those_within_the_band():
    svms = _svms(2, n=80)
    sets = NearSets(svms, np.arange(CATEGORIES))
    solutions = sets.solutions
    solutions.waiting[:] = False
    counts = find_near(sets.documents, solutions, svms.columns(np.arange(CATEGORIES)), 0.1, 0, CATEGORIES)
    y, full = np.where(svms.own, 1, -1), (svms.X @ (svms.X.T @ _beta(svms).T)).T + solutions.bias[:, None]
    np.testing.assert_allclose(solutions.full, full, atol=1e-12)
    expected = (svms.alpha.toarray().T > 0) | (y * full < 1.1)
    np.testing.assert_array_equal(solutions.waiting, expected)
    np.testing.assert_array_equal(counts, expected.sum(axis=1))


def _beta(svms):
    return np.where(svms.own, 1.0, -1.0) * svms.alpha.toarray().T


@given(costs=st.lists(st.floats(0, 10), max_size=30), parts=st.integers(1, 8))
def test_spans_hold_every_task_once_and_none_is_empty(costs, parts):
    spans = cut(np.array(costs), parts)
    assert len(spans) <= parts
    assert [task for first, last in spans for task in range(first, last)] == list(range(len(costs)))
    assert all(first < last for first, last in spans)
