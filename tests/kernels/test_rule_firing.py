from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import rules as slow

from rubricate.classifiers.rule_learners.search.table import SLIGHT, RuleTable

WORDS = 5
a_rule = st.tuples(
    st.lists(st.integers(-WORDS, WORDS - 1), max_size=3), st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)
)


def table(rules):
    """A table of (conditions, category of three, right, wrong)."""
    rules = sorted(rules, key=lambda rule: rule[1])
    return RuleTable(
        np.array([c for rule in rules for c in rule[0]], np.int64),
        np.cumsum([0, *(len(rule[0]) for rule in rules)]).astype(np.int64),
        np.searchsorted([rule[1] for rule in rules], np.arange(4)).astype(np.int64),
        np.array([rule[2] for rule in rules], float),
        np.array([rule[3] for rule in rules], float),
    ), rules


@given(st.lists(st.sets(st.integers(0, WORDS - 1)), min_size=1, max_size=6), st.lists(a_rule, max_size=8))
def test_the_score_is_that_of_the_sets(documents, rules):
    learned, rules = table(rules)
    X = np.array([[float(t in d) for t in range(WORDS)] for d in documents])
    strengths = [(p + 1) / (p + n + 2) for _, _, p, n in rules]
    wanted = [
        [slow.score([r[0] for r in rules], strengths, [r[1] for r in rules], d, c, SLIGHT) for c in range(3)]
        for d in documents
    ]
    np.testing.assert_allclose(learned.scores(X), wanted, rtol=1e-12)
    np.testing.assert_array_equal(learned.scores(sparse.csr_array(X)), learned.scores(X))


def test_a_tie_is_broken_by_the_other_rules_but_a_better_rule_stays_ahead():
    learned, _ = table([([0], 0, 8, 0), ([1], 0, 8, 0), ([2], 0, 9, 0)])
    one, two, better = learned.scores(np.array([[1.0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0]]))[:, 0]
    assert one == pytest.approx(0.9)
    assert two == pytest.approx(0.9 + 0.001 * 0.1 * 0.9)
    assert one < two < better


def test_absent_is_whatever_is_not_above_zero():
    learned, _ = table([([~0], 0, 3, 0), ([0], 1, 3, 0)])
    scores = learned.scores(np.array([[-1.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0]]))
    assert (scores[:, :2] > 0).tolist() == [[True, False], [True, False], [False, True]]
