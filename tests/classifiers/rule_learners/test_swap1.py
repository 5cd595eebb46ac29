from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import rules as slow

from rubricate.classifiers.classic.rule_tables import Cases, Words, most_frequent
from rubricate.classifiers.classic.swap1 import SWAP1, pruning_path, split_cases
from rubricate.native.rules import grow_rule_set


def cases_from(documents, positive, weights, words):
    X = np.array([[float(t in d) for t in range(words)] for d in documents]).reshape(-1, words)
    return Cases.of(Words.of(X, weights), positive, None, absent=True)


@given(slow.worlds(), st.floats(0, 4))
@settings(deadline=None)
def test_alphas_rise_and_the_path_ends_with_no_rule(world, alpha):
    _, positive, weights, _ = world
    half = np.arange(len(positive)) % 2 == 0
    path = pruning_path(cases_from(*world), half, ~half, costs=weights)
    assert (np.diff(path.alphas[1:]) >= 0).all()
    assert path.rules_at(np.inf) == []
    assert len(path.rules_at(-np.inf)) == len(path.rules)
    assert path.errors[-1] == weights[~half & positive].sum()
    assert path.error_at(np.inf) == path.errors[-1]
    assert path.error_at(-np.inf) == path.errors[0]
    assert path.error_at(alpha) in path.errors


def test_folds_are_even_within_either_kind():
    positive = np.arange(31) < 7
    fold = split_cases(positive, 3, np.random.default_rng(0))
    assert sorted(np.bincount(fold[positive]).tolist()) == [2, 2, 3]
    assert sorted(np.bincount(fold[~positive]).tolist()) == [8, 8, 8]


def test_noise_is_pruned_away():
    rng = np.random.default_rng(1)
    X = (rng.random((900, 30)) < 0.3).astype(float)
    truth = ((X[:, 3] > 0) & (X[:, 7] > 0)) | ((X[:, 11] > 0) & (X[:, 5] == 0) & (X[:, 20] > 0))
    noisy = truth[:600] ^ (rng.random(600) < 0.05)
    model = SWAP1(loss_ratio=1.0).fit(X[:600], sparse.csr_array(noisy[:, None]))
    assert (model.predict(X[600:]).toarray()[:, 0] == truth[600:]).mean() > 0.97
    assert len(model.positives_) < 10
    cases = Cases.of(Words.of(X[:600], None), noisy, None, absent=True)
    whole = grow_rule_set(cases.examples, cases.holders, np.arange(600))
    assert whole.length > 2 * len(model.positives_)


def test_the_local_dictionary_holds_the_most_frequent_words_of_the_category():
    X = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1.0]])
    positive = np.array([True, True, False, False])
    words = Words.of(X, None)
    assert most_frequent(words, positive, 2).tolist() == [0, 3]
    assert most_frequent(words, positive, 3).tolist() == [0, 1, 3]  # columns 1 and 2 are equal: the smaller
    assert most_frequent(words, positive, 99).tolist() == [0, 1, 2, 3]
    assert most_frequent(Words.of(X, np.array([1.0, 3, 1, 1])), positive, 3).tolist() == [0, 2, 3]


def test_weights_of_many_sizes_come_to_an_end():
    rng = np.random.default_rng(0)
    X, Y = (rng.random((200, 30)) < 0.3).astype(float), rng.random((200, 3)) < 0.4
    weights = rng.random(200) * 10 ** rng.uniform(-12, 3, 200)
    assert SWAP1().fit(X, Y, sample_weight=weights).decision_function(X).shape == (200, 3)
