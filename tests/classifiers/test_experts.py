from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.experts import progressive
from tests.tally import count_cases

import rubricate as rb
from rubricate.classifiers.classic.experts import Experts
from rubricate.errors import InvalidInput
from rubricate.measures import counts, micro

pytestmark = pytest.mark.slow

STATE = ("seen_", "first_", "length_", "room_", "category_", "favour_", "against_", "size_")


@st.composite
def streams(draw):
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    rows, columns, categories = draw(st.integers(1, 30)), draw(st.integers(1, 8)), draw(st.integers(2, 5))
    X = (rng.random((rows, columns)) < 0.4) * rng.integers(-1, 4, (rows, columns)).astype(float)
    return X, rng.random((rows, categories)) < 0.3


@given(stream=streams(), beta=st.sampled_from([0.1, 0.5, 0.9]), weighted=st.booleans())
def test_agrees_with_the_slow_twin(stream, beta, weighted):
    X, Y = stream
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(X)) if weighted else None
    expected, slow = progressive(X, Y, beta, weights)
    experts = Experts(beta)
    found = experts.progressive(X, sparse.csr_array(Y), sample_weight=weights)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)
    assert experts.length_.sum() == len(slow.pool)
    for (w, c), (favour, against) in slow.pool.items():
        block = slice(experts.first_[w], experts.first_[w] + experts.length_[w])
        at = block.start + experts.category_[block].tolist().index(c)
        np.testing.assert_allclose([experts.favour_[at], experts.against_[at]], [favour, against], rtol=1e-9)
    final = [[slow.score(np.flatnonzero(x > 0), c) for c in range(Y.shape[1])] for x in X]
    np.testing.assert_allclose(experts.decision_function(X), np.reshape(final, Y.shape), rtol=1e-9, atol=1e-300)
    experts.check_state()


@given(stream=streams(), cuts=st.lists(st.integers(0, 30), max_size=4))
def test_batches_of_any_size_give_what_one_fit_gives(stream, cuts):
    X, Y = stream
    bounds = [0, *sorted({c for c in cuts if 0 < c < len(X)}), len(X)]
    parts = Experts()
    before = [parts.progressive(X[a:b], sparse.csr_array(Y[a:b])) for a, b in pairwise(bounds)]
    whole = Experts()
    assert np.array_equal(np.vstack(before), whole.progressive(X, sparse.csr_array(Y)))
    fitted = Experts().fit(X, sparse.csr_array(Y))
    assert np.array_equal(parts.decision_function(X), whole.decision_function(X))
    np.testing.assert_allclose(fitted.decision_function(X), whole.decision_function(X), rtol=1e-12)
    assert fitted.size_[0] == len(fitted.category_) == fitted.length_.sum()


@given(stream=streams(), copies=st.integers(2, 4))
def test_a_weight_is_so_many_copies_in_a_row(stream, copies):
    X, Y = stream
    weights = np.where(np.arange(len(X)) % 2, copies, 1)
    one = Experts().fit(X, sparse.csr_array(Y), sample_weight=weights)
    many = Experts().fit(np.repeat(X, weights, axis=0), sparse.csr_array(np.repeat(Y, weights, axis=0)))
    np.testing.assert_allclose(one.decision_function(X), many.decision_function(X), rtol=1e-9)


@given(stream=streams(), late=st.integers(1, 29))
def test_a_category_in_the_middle_of_the_stream_is_as_if_known_from_the_start(stream, late):
    X, Y = stream
    Y = Y.copy()
    Y[:late, -1] = False
    experts, known = Experts(), Experts()
    if late >= len(X):
        count_cases(0)
        return
    first = experts.partial_fit(X[:late], sparse.csr_array(Y[:late, :-1]))
    assert len(first.classes_) == Y.shape[1] - 1
    later = first.progressive(X[late:], sparse.csr_array(Y[late:]))
    assert np.array_equal(later, known.progressive(X, sparse.csr_array(Y))[late:])
    assert np.array_equal(experts.decision_function(X), known.decision_function(X))
    assert experts.categories_ == known.categories_
    count_cases()


def test_the_sum_of_the_awake_is_kept_and_the_wrong_lose():
    """One phrase, two documents, worked by hand with β = 1/2.

    The first makes an expert (1, 1): F = A = 1, all · 2 / 1.5, so (4/3, 2/3). The second is not in the category:
    all · 2 / (2/3 + 2/3) = 3/2 and the side for it halved: (1, 1).
    """
    experts = Experts(0.5)
    scores = experts.progressive([[1.0], [1.0]], sparse.csr_array([[True], [False]]))
    assert scores.tolist() == [[0.0], [pytest.approx(2 / 3)]]
    assert experts.favour_[0] == pytest.approx(1.0)
    assert experts.against_[0] == pytest.approx(1.0)


def test_an_expert_made_late_has_been_wrong_before():
    experts = Experts(0.5).partial_fit([[1.0], [1.0], [1.0]], sparse.csr_array(np.zeros((3, 1), bool)))
    assert experts.length_.tolist() == [0]
    experts.partial_fit([[1.0]], sparse.csr_array([[True]]))
    scale = (1 + 0.125) / (0.5 + 0.125)
    assert experts.favour_[experts.first_[0]] == pytest.approx(0.125 * scale)
    assert experts.against_[experts.first_[0]] == pytest.approx(0.5 * scale)


def test_new_classes_join_behind_the_known_ones():
    experts = Experts().partial_fit([[1.0, 0.0, 0.0]], ["gold"])
    assert experts.predict([[1.0, 0.0, 0.0]]).tolist() == ["gold"]
    assert experts.decision_function([[1.0, 0.0, 0.0]]).shape == (1, 1)
    experts.partial_fit([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ["tin", "corn"])
    assert experts.classes_.tolist() == ["gold", "corn", "tin"]
    assert experts.predict(np.eye(3)).tolist() == ["gold", "tin", "corn"]
    with pytest.raises(InvalidInput, match="give one kind"):
        experts.partial_fit([[1.0, 0.0, 0.0]], [3])
    numbers = Experts().partial_fit(np.eye(2), [5, 3]).partial_fit(np.eye(2), [1, 5])
    assert numbers.classes_.tolist() == [3, 5, 1]


def test_named_columns_are_found_by_name():
    experts = Experts().partial_fit(np.eye(2), pd.DataFrame({"corn": [1, 0], "gold": [0, 1]}))
    experts.partial_fit(np.eye(2), pd.DataFrame({"gold": [1, 0], "tin": [0, 1]}))
    assert experts.categories_ == ("corn", "gold", "tin")
    assert (experts.decision_function(np.eye(2)) > 0).tolist() == [[True, True, False], [False, True, True]]


def test_batches_that_do_not_fit_are_named():
    X = np.eye(3)
    many, one = Experts().partial_fit(X, np.eye(3, dtype=int)), Experts().partial_fit(X, [0, 1, 1])
    with pytest.raises(InvalidInput, match="learned 3 categories, got a matrix of 2"):
        many.partial_fit(X, np.eye(3, 2, dtype=int))
    with pytest.raises(InvalidInput, match="learned from a label matrix of 3 columns, got a column"):
        many.partial_fit(X, [0, 1, 2])
    with pytest.raises(InvalidInput, match="learned from a column of classes"):
        one.partial_fit(X, np.eye(3, dtype=int))
    with pytest.raises(InvalidInput, match="3 documents and y has 2"):
        one.partial_fit(X, [0, 1])
    with pytest.raises(InvalidInput, match="3 documents and y has 2"):
        many.partial_fit(X, np.eye(2, 3, dtype=int))
    with pytest.raises(InvalidInput, match="requires y"):
        one.partial_fit(X, None)
    with pytest.raises(InvalidInput, match="beta must be above 0 and below 1"):
        Experts(1.0).fit(X, [0, 1, 1])
    assert many.decision_function(X).shape == (3, 3)


def test_awake_experts_explain_and_their_parts_add_up():
    X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]], float)
    experts = Experts().fit(X, sparse.csr_array([[True], [False], [False], [True]]))
    (voices,) = experts.explain(X[:1], 0)
    assert {voice.source for voice in voices} == {"x0", "x1"}
    assert 2 * experts.decision_function(X[:1])[0, 0] - 1 == pytest.approx(sum(voice.weight for voice in voices))
    assert voices[0].detail.endswith("against")
    assert experts.explain(np.zeros((1, 3)), 0) == [[]]


def test_a_long_stream_neither_overflows_nor_loses_an_expert():
    X = sparse.csr_array(np.ones((6000, 2)))
    truth = np.zeros((6000, 1), bool)
    truth[0] = truth[-3000:] = True
    experts = Experts()
    scores = experts.progressive(X, sparse.csr_array(truth))
    assert np.isfinite(scores).all()
    assert scores[2999, 0] < 1e-6
    assert scores[-1, 0] > 0.99


def test_a_state_opened_for_reading_only_can_go_on(tmp_path):
    X, y = np.eye(4), ["a", "b", "a", "b"]
    experts = Experts().fit(X, y)
    again = rb.open(rb.save(experts, tmp_path / "m"))
    again.partial_fit(X, ["c", "a", "b", "c"])
    experts.partial_fit(X, ["c", "a", "b", "c"])
    assert np.array_equal(again.decision_function(X), experts.decision_function(X))


@pytest.mark.parametrize(
    "attribute, change, message",
    [
        ("seen_", lambda a: a[:-1], "one entry for each of 3"),
        ("favour_", lambda a: a[:-1], "one entry per expert"),
        ("favour_", np.zeros_like, "a weight of 0"),
        ("against_", lambda a: np.full_like(a, 1e308), "too large to be added up"),
        ("first_", np.zeros_like, "two phrases share an expert"),
        ("first_", lambda a: a + 1_000, "leaves the places"),
        ("length_", lambda a: a + 1, "leaves the places"),
        ("size_", lambda a: a + 10_000, "leaves the places"),
        ("category_", lambda a: a + 7, "beyond the 2"),
        ("category_", lambda a: a.astype(float), "32-bit"),
        ("against_", lambda a: a * np.nan, "finite"),
    ],
)
def test_a_hostile_state_is_refused(attribute, change, message):
    experts = Experts().fit(np.eye(3), ["a", "b", "b"])
    experts.check_state()
    setattr(experts, attribute, change(getattr(experts, attribute)))
    with pytest.raises(ValueError, match=message):
        experts.check_state()


def test_progressive_validation_on_reuters(reuters_v3):
    """One pass over the training documents of v3: phrases with gaps judge the next document better than words."""
    train, found = reuters_v3.train, []
    for analyzer in (rb.text.Analyzer(), rb.text.Analyzer(ngrams=(1, 2), window=3)):
        X = rb.text.Vectors(analyzer, weights="bnn", min_df=3).fit_transform(train)
        decided = sparse.csr_array(rb.classifiers.Experts().progressive(X, train.labels) > 0.5)
        found.append(micro("f1", counts(train.labels, decided)))
    assert found[0] > 0.73
    assert found[1] > found[0] + 0.04


def test_works_by_name_on_phrases_and_is_saved(tmp_path):
    corpus = rb.load("newswire", documents=500)
    phrases = rb.text.Analyzer(ngrams=(1, 4), window=4)
    model = rb.Categorizer("experts", analyzer=phrases, weights="bnn", min_df=3, folds=0, cut=0.5).fit(corpus.train)
    again = rb.Categorizer.open(model.save(tmp_path / "experts.rubric"))
    assert again.classify(corpus.test.texts) == model.classify(corpus.test.texts)
    assert rb.evaluate(model.run(corpus.test)).micro["f1"] > 0.4
    assert any("…" in term for term in model.representation_.names())


def test_a_batch_that_is_refused_leaves_no_categories():
    experts = Experts()
    for wrong in ({"sample_weight": [-1, 1]}, {"classes": [1, 2]}):
        with pytest.raises(ValueError, match=r"Negative values|give one kind"):
            experts.partial_fit(np.eye(2), ["a", "b"], **wrong)
        assert not hasattr(experts, "classes_")
    experts.partial_fit(np.eye(2), ["c", "d"])
    for wrong in ({"y": ["e", "f"], "sample_weight": [-1, 1]}, {"y": [1, 2]}):
        with pytest.raises(ValueError, match=r"Negative values|give one kind"):
            experts.partial_fit(np.eye(2), **wrong)
    assert experts.categories_ == ("c", "d")
