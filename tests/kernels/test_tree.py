"""Trees of words grown on few documents, against the slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS, lists_of
from tests.oracles import trees as slow

from rubricate.kernels.rows import Lists
from rubricate.kernels.tree import ASKED, PRESENT, WITHOUT, SplitCriterion, TreeCases, Walks, grow_tree, walk_trees

X_LOG_X = np.arange(65.0) * np.log2(np.maximum(np.arange(65.0), 1.0))


def cases_of(seed):
    """Up to ten documents over up to four words; whole weights above 0."""
    rng = np.random.default_rng(seed)
    present = rng.random((int(rng.integers(1, 11)), int(rng.integers(1, 5)))) < rng.uniform(0.2, 0.7)
    truth, weights = rng.random(len(present)) < 0.5, rng.integers(1, 3, len(present)).astype(float)
    rows, posts = lists_of(present, np.int64, np.int64), lists_of(present.T.copy(), np.int64, np.int64)
    return present, TreeCases(rows, posts, truth, weights, weights @ present)


def nested(tree, node=0):
    """The tree as the oracle's nested tuples."""
    if tree.nodes[node, ASKED] < 0:
        return tuple(tree.sums[node].tolist())
    branches = (nested(tree, tree.nodes[node, side]) for side in (PRESENT, WITHOUT))
    return (int(tree.nodes[node, ASKED]), *branches)


@given(seed=SEEDS, least=st.sampled_from([1.0, 2.0]), ratio=st.booleans())
def test_trees_grow_as_the_slow_twin_does(seed, least, ratio):
    present, cases = cases_of(seed)
    tree = grow_tree(cases, SplitCriterion(least, ratio, X_LOG_X))
    root = slow.grown(present, cases.truth, cases.weights, least=least, ratio=ratio)
    assert nested(tree) == slow.plain(root)
    columns = (tree.nodes[:, column].copy() for column in (ASKED, PRESENT, WITHOUT))
    ends = walk_trees(Lists(*cases.rows), present.shape[1], Walks(np.zeros(1, np.int64), *columns))
    for row, end in zip(present, ends[:, 0], strict=True):
        node = root
        while node.asked >= 0:
            node = node.present if row[node.asked] else node.without
        assert tree.sums[end].tolist() == [node.P, node.N]
