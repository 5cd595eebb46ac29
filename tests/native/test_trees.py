"""Trees of words grown, pruned, smoothed and walked on few documents, against the slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases, lists_of
from tests.oracles import trees as slow

from rubricate.native.sparse import Lists
from rubricate.native.trees import (
    SplitCriterion,
    TreeCases,
    expected_errors,
    grow_tree,
    prune_tree,
    smooth_tree,
    walk_trees,
)

pytestmark = pytest.mark.slow

X_LOG_X = np.arange(65.0) * np.log2(np.maximum(np.arange(65.0), 1.0))


def cases_of(seed, most=10, words=4):
    """Up to ten documents over up to four words; whole weights above 0."""
    rng = np.random.default_rng(seed)
    present = rng.random((int(rng.integers(1, most + 1)), int(rng.integers(1, words + 1)))) < rng.uniform(0.2, 0.7)
    truth, weights = rng.random(len(present)) < 0.5, rng.integers(1, 3, len(present)).astype(float)
    cases = TreeCases(lists_of(present), lists_of(present.T.copy()), truth, weights, weights @ present)
    cases.check()
    return present, cases


def nested(tree, node=0):
    """The tree as the oracle's nested tuples."""
    if tree.asked[node] < 0:
        return (tree.positives[node], tree.totals[node])
    return (int(tree.asked[node]), nested(tree, tree.present[node]), nested(tree, tree.without[node]))


def end_of(tree, row):
    """The leaf that a document reaches."""
    node = 0
    while tree.asked[node] >= 0:
        node = tree.present[node] if row[tree.asked[node]] else tree.without[node]
    return node


def walked(tree, rows, width):
    roots = np.zeros(1, np.int64)
    ends = walk_trees(rows, width, roots, asked=tree.asked, present=tree.present, without=tree.without)
    return ends[:, 0].tolist()


@given(seed=SEEDS, least=st.sampled_from([1.0, 2.0]), ratio=st.booleans())
def test_trees_grow_as_the_slow_twin_does(seed, least, ratio):
    present, cases = cases_of(seed)
    tree = grow_tree(cases, SplitCriterion(least, ratio, X_LOG_X))
    assert nested(tree) == slow.plain(slow.grown(present, cases.truth, cases.weights, least=least, ratio=ratio))
    assert sorted(tree.order.tolist()) == list(range(len(present)))
    leaves = walked(tree, cases.rows, present.shape[1])
    assert leaves == [end_of(tree, row) for row in present]
    for node in np.flatnonzero(tree.asked < 0):
        assert (
            sorted(tree.order[tree.first[node] : tree.last[node]]) == np.flatnonzero(np.array(leaves) == node).tolist()
        )
    count_cases(1 + len(leaves))


@given(seed=SEEDS, confidence=st.sampled_from([0.05, 0.25, 0.5, 0.8]))
def test_trees_are_pruned_as_the_slow_twin_does(seed, confidence):
    present, cases = cases_of(seed, most=16, words=5)
    tree = grow_tree(cases, SplitCriterion(1.0, True, X_LOG_X))
    tree = prune_tree(cases, tree, confidence=confidence, z=float(slow.deviation(confidence)))
    assert nested(tree) == slow.plain(slow.c45(present, cases.truth, cases.weights, least=1.0, confidence=confidence))
    inner = np.flatnonzero(tree.asked >= 0)
    assert sorted([*tree.present[inner], *tree.without[inner]]) == list(range(1, len(tree.asked)))
    assert (tree.present[inner] == inner + 1).all()
    assert (tree.present[tree.asked < 0] == -1).all()
    count_cases(1)


@given(seed=SEEDS, a=st.sampled_from([0.5, 1.0]), leaf=st.sampled_from([0.1, 0.5, 0.9]))
def test_smoothing_is_the_mean_over_all_prunings(seed, a, leaf):
    present, cases = cases_of(seed)
    tree = grow_tree(cases, SplitCriterion(2.0, False, X_LOG_X))
    root = slow.ind(present, cases.truth, cases.weights, least=2.0)
    probabilities, row = smooth_tree(tree, alpha=a, leaf_prior=leaf), present[seed % len(present)]
    assert probabilities[end_of(tree, row)] == pytest.approx(slow.averaged(root, row, a, leaf), rel=1e-9)
    count_cases(1)


def test_whole_numbers_beyond_the_table_are_computed():
    _, cases = cases_of(3, most=60, words=6)
    whole = grow_tree(cases, SplitCriterion(1.0, True, X_LOG_X))
    for table in (X_LOG_X[:1], X_LOG_X[:5], np.zeros(0)):
        assert nested(grow_tree(cases, SplitCriterion(1.0, True, table))) == nested(whole)


def test_fractional_weights_split_where_whole_ones_do():
    present, cases = cases_of(11, most=60, words=6)
    tenth = cases._replace(weights=cases.weights / 8, word_weights=cases.word_weights / 8)
    whole = grow_tree(cases, SplitCriterion(2.0, False, X_LOG_X))
    assert walked(grow_tree(tenth, SplitCriterion(0.25, False, X_LOG_X)), cases.rows, present.shape[1]) == walked(
        whole, cases.rows, present.shape[1]
    )


@pytest.mark.parametrize("seed", [41, 243, 315, 387, 746])
def test_a_leaf_that_takes_the_place_of_its_parent_takes_its_documents_along(seed):
    """With fractional weights a leaf may be raised: by rounding its parent has other errors with the same documents."""
    present, cases = cases_of(seed, most=200, words=17)
    weights = np.random.default_rng(seed).integers(1, 9, len(present)) / 10
    cases = cases._replace(weights=weights, word_weights=weights @ present)
    tree = grow_tree(cases, SplitCriterion(0.01, True, X_LOG_X))
    tree = prune_tree(cases, tree, confidence=0.25, z=0.69)
    assert tree.totals[tree.asked < 0].sum() == pytest.approx(weights.sum())
    assert tree.positives[tree.asked < 0].sum() == pytest.approx(weights[cases.truth].sum())


@pytest.mark.parametrize("documents", [0, 1])
def test_no_document_and_a_single_one_are_a_leaf(documents):
    rows = Lists(np.arange(documents + 1), np.zeros(documents, np.int32))
    postings = Lists(np.array([0, documents]), np.zeros(documents, np.int32))
    cases = TreeCases(rows, postings, np.ones(documents, bool), np.ones(documents), np.full(1, float(documents)))
    cases.check()
    tree = grow_tree(cases, SplitCriterion(1.0, True, X_LOG_X))
    assert nested(tree) == (documents, documents)
    assert nested(prune_tree(cases, tree, confidence=0.25, z=0.69)) == (documents, documents)


def test_without_words_there_is_one_leaf():
    nothing = Lists(np.zeros(4, np.int64), np.zeros(0, np.int32))
    cases = TreeCases(nothing, Lists(np.zeros(1, np.int64), nothing.items), np.arange(3) < 2, np.ones(3), np.zeros(0))
    cases.check()
    tree = grow_tree(cases, SplitCriterion(1.0, True, X_LOG_X))
    assert nested(tree) == (2, 3)
    assert walked(tree, nothing, 0) == [0, 0, 0]


def test_a_count_that_is_all_rounding_does_not_split_for_ever():
    """Huge weights leave counts of words that no document of a node has; such a split would repeat without end."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        present = rng.random((40, 8)) < 0.4
        weights = 10.0 ** rng.integers(-3, 16, 40) * rng.random(40)
        truth = rng.random(40) < 0.5
        cases = TreeCases(lists_of(present), lists_of(present.T.copy()), truth, weights, weights @ present)
        tree = grow_tree(cases, SplitCriterion(1e-6, bool(rng.integers(2)), X_LOG_X))
        assert (tree.last - tree.first > 0).all()
        assert len(prune_tree(cases, tree, confidence=0.25, z=0.69).asked) >= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: {"truth": c.truth[:-1]}, "truth has"),
        (lambda c: {"word_weights": np.ones(9)}, "word_weights has"),
        (lambda c: {"weights": c.weights * 0}, "weights must be above 0"),
        (lambda c: {"rows": Lists(c.rows.starts, c.rows.items + 7)}, "items must be from 0"),
        (lambda c: {"postings": Lists(c.postings.starts, c.postings.items - 1)}, "items must be from 0"),
        (lambda c: {"rows": Lists(c.rows.starts + 1, c.rows.items)}, "starts must rise"),
    ],
)
def test_cases_that_do_not_fit_are_refused(change, message):
    _, cases = cases_of(0)
    with pytest.raises(ValueError, match=message):
        cases._replace(**change(cases)).check()


def test_other_types_are_refused():
    _, cases = cases_of(0)
    rule = SplitCriterion(1.0, True, X_LOG_X)
    with pytest.raises(TypeError, match="truth must be an array of bool"):
        grow_tree(cases._replace(truth=cases.truth.astype(float)), rule)
    with pytest.raises(TypeError, match="items must be an array of int32"):
        grow_tree(cases._replace(rows=Lists(cases.rows.starts, cases.rows.items.astype(np.int64))), rule)


CODE = """
import numpy as np
from tests.native.test_trees import X_LOG_X, SplitCriterion, cases_of, grow_tree, prune_tree, smooth_tree
for seed in range(40):
    _, cases = cases_of(seed, most=200, words=30)
    cases = cases._replace(weights=cases.weights / 3, word_weights=cases.word_weights / 3)
    tree = grow_tree(cases, SplitCriterion(0.5, seed % 2 == 0, X_LOG_X))
    print(smooth_tree(tree, alpha=1.0, leaf_prior=0.5).tobytes().hex())
    print(*(part.tobytes().hex() for part in prune_tree(cases, tree, confidence=0.25, z=0.69)))
"""


def test_both_variants_grow_the_same_trees(print_in_both):
    ours, theirs = print_in_both(CODE)
    assert ours == theirs
    assert len(ours) > 10_000


@given(st.integers(1, 400), st.integers(0, 64), st.sampled_from([0.01, 0.1, 0.25, 0.5]))
def test_errors_to_expect_are_those_of_the_slow_twin(total, share, confidence):
    wrong = total * share / 128
    wanted = wrong + slow.added(total, wrong, confidence)
    found = expected_errors(total, wrong, confidence=confidence, z=slow.deviation(confidence))
    assert found == pytest.approx(wanted, rel=1e-12)
    count_cases(1)
