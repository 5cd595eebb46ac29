from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_selection import chi2
from tests.oracles import rules as slow

from rubricate.classifiers.classic.charade import CHARADE, charade_rules
from rubricate.classifiers.classic.rule_tables import Cases, Words, most_telling


@given(slow.worlds(), st.integers(1, 3), st.sampled_from([0.5, 0.75, 1.0]), st.integers(1, 3), st.integers(1, 2))
def test_the_rules_are_those_of_trying_all_sets(world, support, confidence, longest, redundancy):
    documents, positive, weights, words = world
    X = np.array([[float(t in d) for t in range(words)] for d in documents]).reshape(-1, words)
    cases = Cases.of(Words.of(X, weights), positive, np.arange(words), absent=False)
    rules = charade_rules(
        cases, support=support, share=0.1, confidence=confidence, longest=longest, redundancy=redundancy
    )
    total = weights[positive].sum()
    least = min(max(support, 0.1 * total), total / 2)
    listed = slow.descriptions(
        documents, positive, weights, words, support=least, confidence=confidence, longest=longest
    )
    counts = [slow.weigh(slow.cover(rule, documents), positive, weights) for rule in listed]
    order = sorted(range(len(listed)), key=lambda r: (-counts[r][0], counts[r][1], len(listed[r]), r))
    chosen = slow.choose(listed, order, documents, positive, weights, confidence=confidence, needed=redundancy)
    assert [tuple(rule.tolist()) for rule in rules] == [listed[r] for r in chosen]


def test_telling_words_are_ranked_as_scikit_learn_ranks_two_by_two_tables():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 30)) < 0.3).astype(float)
    positive = X[:, :6].sum(axis=1) + rng.normal(0, 1, 200) > 2.5
    # scikit-learn's chi2 sums over (term, class) cells of presence alone; presence and absence give the full table.
    full = sum(chi2(part, positive)[0] for part in (X, 1 - X))
    speaks = X[positive].mean(axis=0) >= X[~positive].mean(axis=0)
    wanted = [t for t in np.argsort(-full, kind="stable") if speaks[t]][:5]
    assert most_telling(Words.of(X, None), positive, 5).tolist() == sorted(wanted)


def test_a_word_of_all_documents_tells_nothing():
    X = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1.0]])
    positive = np.array([True, True, False, False])
    assert most_telling(Words.of(X, None), positive, 1).tolist() == [1]


def test_every_rule_has_the_support_and_confidence_asked_for():
    rng = np.random.default_rng(3)
    X = (rng.random((400, 25)) < 0.3).astype(float)
    labels = sparse.csr_array((X[:, :4].sum(axis=1) + rng.normal(0, 0.6, 400) > 2)[:, None])
    model = CHARADE(support=8, share=0.01, confidence=0.8, longest=3).fit(X, labels)
    assert len(model.positives_) > 2
    assert (model.positives_ >= 8).all()
    assert (model.positives_ >= 0.8 * (model.positives_ + model.negatives_)).all()
    assert np.diff(model.rule_starts_).max() <= 3
    assert (model.conditions_ >= 0).all()


def test_redundancy_asks_for_more_rules():
    rng = np.random.default_rng(3)
    X = (rng.random((400, 25)) < 0.3).astype(float)
    labels = sparse.csr_array((X[:, :4].sum(axis=1) > 1)[:, None])
    sizes = [len(CHARADE(confidence=0.6, redundancy=r).fit(X, labels).positives_) for r in (1, 2, 4)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_a_weight_is_so_many_copies():
    rng = np.random.default_rng(4)
    X = (rng.random((150, 15)) < 0.3).astype(float)
    labels = sparse.csr_array((X[:, :3].sum(axis=1) + rng.normal(0, 0.5, 150) > 1.5)[:, None])
    weights = rng.integers(0, 4, 150)
    rows = np.repeat(np.arange(150), weights)
    weighted, copied = CHARADE().fit(X, labels, weights), CHARADE().fit(X[rows], labels[rows])
    for name in ("conditions_", "rule_starts_", "positives_", "negatives_"):
        assert getattr(weighted, name).tolist() == getattr(copied, name).tolist()


def test_a_category_of_two_documents_can_have_a_rule():
    X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1.0]])
    model = CHARADE().fit(X, sparse.csr_array(np.array([[1], [1], [0], [0], [0]], bool)))
    assert model.predict(X).toarray()[:, 0].tolist() == [True, True, False, False, False]
    assert model.positives_.tolist() == pytest.approx([2.0])
