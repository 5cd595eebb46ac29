"""Trees pruned as C4.5 does, against the slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS
from tests.kernels.test_tree import X_LOG_X, cases_of, nested
from tests.oracles import trees as slow

from rubricate.kernels.tree import SplitCriterion, grow_tree
from rubricate.kernels.tree_pruning import ErrorLimit, prune_tree


@given(seed=SEEDS, confidence=st.sampled_from([0.05, 0.25, 0.5, 0.8]))
def test_trees_are_pruned_as_the_slow_twin_does(seed, confidence):
    present, cases = cases_of(seed)
    tree = grow_tree(cases, SplitCriterion(1.0, True, X_LOG_X))
    prune_tree(cases, tree, ErrorLimit(confidence, float(slow.deviation(confidence))))
    assert nested(tree) == slow.plain(slow.c45(present, cases.truth, cases.weights, least=1.0, confidence=confidence))
    assert np.isfinite(tree.sums).all()
