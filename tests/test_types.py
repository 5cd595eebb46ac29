"""The nouns refuse parts that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.types import Corpus, Counts, Decisions, Documents, Evidence, Run, Scores, Signature, Terms

LABELS = indicator([[1, 0], [0, 1]])


def _documents(**changes):
    parts = {"ids": ["1", "2"], "bodies": ["one", "two"], "labels": LABELS, "categories": ("a", "b")}
    return Documents(**{**parts, **changes})


@pytest.mark.parametrize(
    "changes",
    [{"ids": ["1"]}, {"titles": ["x"]}, {"fields": {"date": [1]}}, {"categories": ("a",)}],
    ids=["ids", "titles", "fields", "categories"],
)
def test_documents_need_parts_of_one_length(changes):
    with pytest.raises(InvalidInput):
        _documents(**changes)


def test_texts_join_title_and_body():
    assert list(_documents(titles=["T", ""]).texts) == ["T\none", "two"]
    assert _documents().texts == ["one", "two"]


def test_take_keeps_everything_in_the_order_asked():
    taken = _documents(titles=["T", "U"], fields={"date": [7, 8]}).take([1, 0])
    assert list(taken.ids) == ["2", "1"]
    assert taken.labels.toarray().tolist() == [[False, True], [True, False]]
    assert taken.titles == ["U", "T"]
    assert taken.fields == {"date": [8, 7]}


def test_a_corpus_has_one_tuple_of_categories():
    with pytest.raises(InvalidInput, match="share one tuple"):
        Corpus("c", "s", _documents(), _documents(categories=("a", "c")))


def test_a_run_needs_scores_or_decisions_of_its_shape():
    with pytest.raises(InvalidInput, match="neither scores nor decisions"):
        Run("r", ["1"], ("a",))
    decisions = Decisions(LABELS, ("a", "b"), ["1", "2"])
    with pytest.raises(InvalidInput, match="expected a matrix of 2 × 2, got 1 × 2"):
        Run("r", ["1", "2"], ("a", "b"), decisions=decisions, truth=LABELS[[0]])
    with pytest.raises(InvalidInput, match="3 train counts for 2 categories"):
        Run("r", ["1", "2"], ("a", "b"), decisions=decisions, train_counts=np.array([1, 2, 3]))


def test_scores_counts_and_terms_check_their_shapes():
    with pytest.raises(InvalidInput):
        Scores(np.zeros((1, 2)), ("a",), ["1"])
    with pytest.raises(InvalidInput):
        Counts(*(np.zeros(k, int) for k in (2, 2, 2, 3)))
    with pytest.raises(InvalidInput):
        Terms(["x"], np.array([0], np.int32), np.array([0, 2]))
    with pytest.raises(InvalidInput):
        Decisions(sparse.csr_array((2, 2), dtype=bool), ("a",), ["1", "2"])


def test_a_signature_prints_what_is_known():
    signature = Signature(corpus="newswire", classifier="svm", seed=0, version="0.1.0")
    assert str(signature) == "corpus:newswire|classifier:svm|undefined:zero|seed:0|version:0.1.0"


def test_a_corpus_is_shown_by_its_size_and_not_by_its_texts():
    labels = sparse.csr_array(np.array([[1, 0], [1, 1]], bool))
    some = Documents(["1", "2"], ["a long text" * 1000] * 2, labels, ("x", "y"))
    corpus = Corpus("news", "none", some, some.take([0]))
    assert repr(corpus) == (
        "<corpus news, split none: train <2 documents, 2 categories, 3 labels>, "
        "test <1 documents, 2 categories, 1 labels>>"
    )


@pytest.mark.parametrize(
    ("reason", "text", "named"),
    [
        (Evidence("term", 1, 0.5), "x1", "corn"),
        (Evidence("term", 9, 0.5), "x9", "x9"),
        (Evidence("document", 0, 0.5), "document 0", "d0"),
        (Evidence("document", 7, 0.5), "document 7", "document 7"),
        (Evidence("rule", (0, ~1), 0.5), "x0 and not x1", "oil and not corn"),
        (Evidence("rule", (), 0.5), "always", "always"),
        (Evidence("part", 2, 0.5), "part 2", "part 2"),
        (Evidence("part", 2, 0.5, name="knn"), "knn", "knn"),
        (Evidence("rule", 3, 0.5, name="a if x1;"), "a if x1;", "a if x1;"),
    ],
)
def test_evidence_is_named_once_by_vocabulary_and_ids(reason, text, named):
    assert reason.source == text
    found = reason.named(terms=["oil", "corn"], documents=["d0"])
    assert found.source == named
    assert found.named(terms=["other", "other"], documents=["other"]).source == named
    assert (found.kind, found.index, found.weight) == (reason.kind, reason.index, reason.weight)
    assert reason.named().source == text
