"""Probabilities averaged over all prunings, against trying each pruning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS
from tests.kernels.test_tree import X_LOG_X, cases_of
from tests.oracles import trees as slow

from rubricate.kernels.tree import ASKED, PRESENT, WITHOUT, SplitCriterion, grow_tree
from rubricate.kernels.tree_smoothing import smooth


@given(seed=SEEDS, a=st.sampled_from([0.5, 1.0]), leaf=st.sampled_from([0.1, 0.5, 0.9]))
def test_smoothing_is_the_mean_over_all_prunings(seed, a, leaf):
    present, cases = cases_of(seed)
    tree = grow_tree(cases, SplitCriterion(2.0, False, X_LOG_X))
    root = slow.ind(present, cases.truth, cases.weights, least=2.0)
    chances = smooth(tree, a, leaf)
    row = present[seed % len(present)]
    node = 0
    while tree.nodes[node, ASKED] >= 0:
        node = tree.nodes[node, PRESENT if row[tree.nodes[node, ASKED]] else WITHOUT]
    assert chances[node] == pytest.approx(slow.averaged(root, row, a, leaf), rel=1e-9)
