"""Merging sorted rows against dense loops, and the checks that two systems are comparable."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from tests.oracles import significance as oracle

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.significance import compare
from rubricate.significance.system import System
from rubricate.significance.systems import codes, disagreements

cells = st.tuples(st.integers(0, 7), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(0, 7))
)


def _systems(table: np.ndarray) -> tuple[System, System, list[np.ndarray]]:
    truth, a, b = (table >> bit & 1 == 1 for bit in range(3))
    true = indicator(truth.reshape(table.shape))
    first, second = (System(n, truth=true, decided=indicator(m.reshape(table.shape))) for n, m in (("a", a), ("b", b)))
    return first, second, [truth, a, b]


@given(cells)
def test_disagreements_are_those_of_the_dense_loop(table: np.ndarray) -> None:
    a, b, dense = _systems(table)
    assert np.array_equal(disagreements(a, b), oracle.disagreements(*dense))


@given(cells)
def test_codes_hold_every_cell(table: np.ndarray) -> None:
    a, b, _ = _systems(table)
    found = codes(a, b)
    assert np.array_equal(found.toarray(), table)
    assert found.has_sorted_indices
    assert (found.data > 0).all()


def test_codes_follow_the_names_of_the_categories() -> None:
    a, b, _ = _systems(np.array([[1, 2, 4]], np.int8))
    names = ("z", "x", "y")
    found = codes(dataclasses.replace(a, categories=names), dataclasses.replace(b, categories=names))
    assert found.toarray().tolist() == [[2, 4, 1]]


@pytest.mark.parametrize(
    "changed, problem",
    [
        ({"documents": ("d0", "dX")}, "different documents (2 and 2, first different at 1: 'd1' and 'dX')"),
        ({"documents": ("d0", "d1", "d2")}, "2 and 3, first different at 2: nothing and 'd2'"),
        ({"categories": ("c0", "cX")}, "different categories"),
        ({"truth": indicator([[1, 1], [0, 1]])}, "different truths"),
        ({"decided": None}, "no decisions"),
        ({"truth": None}, "no truth"),
    ],
)
def test_systems_that_cannot_be_paired(changed: dict, problem: str) -> None:
    labels = indicator([[1, 0], [0, 1]])
    a = System("a", ("c0", "c1"), ("d0", "d1"), labels, labels)
    with pytest.raises(InvalidInput) as caught:
        disagreements(a, dataclasses.replace(a, name="b", **changed))
    assert problem in str(caught.value)


def test_scores_alone_ask_for_a_cut(make_run) -> None:
    run = make_run("svm", np.eye(2, dtype=bool), np.eye(2, dtype=bool), scores=np.eye(2))
    from rubricate.significance.sign_tests import micro_sign

    with pytest.raises(InvalidInput, match="--cut"):
        micro_sign(dataclasses.replace(run, decisions=None), run)


@pytest.mark.slow
def test_cost_follows_the_labels_and_not_the_pairs() -> None:
    """4·10¹⁰ pairs, 6·10⁵ stored entries: anything dense, or a loop over pairs, would not come back."""
    rng, size = np.random.default_rng(0), 200_000
    truth, a, b = (
        sparse.csr_array((np.ones(size, bool), (np.arange(size), rng.integers(0, size, size))), shape=(size, size))
        for _ in range(3)
    )
    changed = truth.copy()
    changed.indices[:500] = (changed.indices[:500] + 1) % size
    pair = [System(n, truth=truth, decided=d) for n, d in (("a", a), ("b", b))]
    assert compare(pair, tests="s,S,T,T',p,mcnemar").results[0].n > 0
    near = [System(n, truth=truth, decided=d) for n, d in (("a", truth), ("b", changed))]
    found = compare(near, tests="permutation", samples=499)
    assert {one.better for one in found} == {"a"}
