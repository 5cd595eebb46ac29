"""What every criterion of selection must keep, found by itself."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rubricate import registry
from rubricate.text.selection import Select, term_scores

pytestmark = pytest.mark.slow

CRITERIA = registry.names("selection")
WAYS = [None, "max", "avg", "sum"]
CASES = st.tuples(st.integers(1, 8), st.integers(1, 6), st.integers(1, 3)).flatmap(
    lambda n: st.tuples(hnp.arrays(bool, n[:2]), hnp.arrays(bool, (n[0], n[2])), st.randoms(use_true_random=False))
)


def shuffled(random, length: int) -> list[int]:
    return random.sample(range(length), length)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_docstring_cites_its_source(criterion: str) -> None:
    function = registry.load("selection", criterion)
    assert list(inspect.signature(function, follow_wrapped=False).parameters) == ["occurrences", "by"]
    assert any(key in function.__doc__ for key in ("yang1997", "yangliu1999"))


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES)
def test_one_finite_score_a_term_whatever_the_order_of_documents(criterion: str, by, case) -> None:
    present, labels, random = case
    scores = term_scores(criterion, present, labels, by=by)
    assert scores.shape == (present.shape[1],)
    assert np.isfinite(scores).all()
    order = shuffled(random, len(present))
    assert term_scores(criterion, present[order], labels[order], by=by).tolist() == scores.tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES)
def test_scores_follow_their_terms(criterion: str, case) -> None:
    present, labels, random = case
    scores = term_scores(criterion, present, labels)
    order = shuffled(random, present.shape[1])
    assert term_scores(criterion, present[:, order], labels).tolist() == scores[order].tolist()


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES)
def test_equal_columns_have_equal_scores(criterion: str, by, case) -> None:
    """To the last digit, so that ties are ties."""
    present, labels, _ = case
    scores = term_scores(criterion, np.hstack([present, present]), labels, by=by)
    assert scores[: present.shape[1]].tolist() == scores[present.shape[1] :].tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES)
def test_counts_matter_only_by_being_there(criterion: str, case) -> None:
    present, labels, random = case
    counts = present * np.array([[random.randint(1, 9) for _ in row] for row in present])
    assert term_scores(criterion, counts, labels).tolist() == term_scores(criterion, present, labels).tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES)
def test_a_category_of_no_or_every_document_changes_no_order(criterion: str, case) -> None:
    present, labels, _ = case
    none, every = np.zeros((len(labels), 1), bool), np.ones((len(labels), 1), bool)
    scores = term_scores(criterion, present, labels, by="sum")
    wider = term_scores(criterion, present, np.hstack([labels, none, every]), by="sum")
    np.testing.assert_allclose(wider, scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(case=CASES, k=st.integers(1, 7))
def test_select_keeps_the_best_and_of_equals_the_first_name(criterion: str, case, k: int) -> None:
    present, labels, random = case
    names = [f"t{i}" for i in shuffled(random, present.shape[1])]
    fitted = Select(criterion, k=k).fit(present, labels, terms=names)
    ranked = sorted(range(len(names)), key=lambda t: (-fitted.scores_[t], names[t]))
    assert sorted(np.flatnonzero(fitted.get_support())) == sorted(ranked[:k])
    again = Select(f"{criterion}:{k}").fit(present, labels, terms=names)
    assert again.get_support().tolist() == fitted.get_support().tolist()
