"""Documents → vectors by counts, by a transformer of texts, or as they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.representation import Representation, Shape, source_of

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "", "gas pipeline"]
LABELS = sparse.csr_array([[True, False], [True, False], [False, True], [False, True], [False, False], [False, True]])


@pytest.mark.parametrize(
    ("weights", "source"),
    [
        ("ltc", "counts"),
        ("tfidf", "counts"),
        (rb.text.Weights("lnc"), "counts"),
        (TfidfTransformer(), "counts"),
        (TruncatedSVD(3), "counts"),
        (TfidfVectorizer(), "texts"),
        (HashingVectorizer(), "texts"),
        (rb.text.Vectors(), "texts"),
        (None, "vectors"),
        ("precomputed", "vectors"),
    ],
)
def test_what_weights_start_from(weights, source):
    assert source_of(weights) == source


def test_what_are_no_weights():
    with pytest.raises(UnknownName, match=r"named 'lct'\. Did you mean"):
        source_of("lct")
    for wrong in (3, rb.text.Weights, object()):
        with pytest.raises(InvalidInput, match="weights must be"):
            source_of(wrong)


@pytest.mark.parametrize("select", [None, "chi2:3"])
@pytest.mark.parametrize("weights", ["ltc", "nnn", TfidfTransformer()])
def test_counts_give_what_vectors_gives(weights, select):
    found = Representation(rb.text.Analyzer(), weights=weights, select=select).fit(TEXTS, LABELS)
    there = rb.text.Vectors(rb.text.Analyzer(), weights=weights, select=select).fit(TEXTS, LABELS)
    assert found.names() == there.vocabulary_
    assert abs(found.transform([*TEXTS, "zinc"]) - there.transform([*TEXTS, "zinc"])).max() == 0


def test_titles_count_twice_unless_told_otherwise():
    documents = rb.Documents(["a"], ["corn"], sparse.csr_array((1, 0), dtype=bool), (), titles=["wheat"])
    for analyzer, count in ((None, 2.0), (rb.text.Analyzer(), 1.0)):
        found = Representation(analyzer, weights="nnn").fit(documents, None)
        assert found.transform(documents).toarray()[0].tolist() == [1.0, count]


def test_a_transformer_of_texts_gets_title_and_body():
    documents = rb.Documents(["a"], ["corn"], sparse.csr_array((1, 0), dtype=bool), (), titles=["wheat"])
    found = Representation(weights=TfidfVectorizer()).fit(documents, None)
    assert found.names() == ["corn", "wheat"]
    assert found.transform(documents).nnz == 2


def test_columns_without_names_have_none():
    assert Representation(weights=TruncatedSVD(2)).fit(TEXTS, LABELS).names() is None
    assert Representation(weights=HashingVectorizer(n_features=8)).fit(TEXTS, LABELS).names() is None


def test_columns_of_vectors_are_named_by_their_number():
    found = Representation(weights=None).fit(np.eye(3), LABELS[:3])
    assert found.names() == ["vectors[0]", "vectors[1]", "vectors[2]"]


def test_vectors_stay_as_they_are_dense_or_sparse():
    X = np.random.default_rng(0).normal(size=(6, 4))
    assert np.array_equal(Representation(weights=None).fit(X, LABELS).transform(X), X)
    found = Representation(weights=None).fit(sparse.csr_matrix(X), LABELS).transform(sparse.csc_array(X))
    assert isinstance(found, sparse.csr_array)
    assert np.array_equal(found.toarray(), X)


def test_a_shape_learns_from_its_rows_alone():
    counts = rb.text.Vectors(weights="nnn").fit_transform(TEXTS)
    shape = Shape("chi2:4", "ltc").fit(counts[:4], LABELS[:4])
    assert shape.weights_.idf_.shape == (4,)
    there = rb.text.Weights("ltc").fit(shape.select_.transform(counts[:4])).transform(shape.select_.transform(counts))
    assert abs(shape.transform(counts) - there).max() == 0


def test_the_signature_names_terms_weights_and_selection():
    assert Representation(select="chi2:5").describe() == {
        "terms": "letters2+stop smart+stem porter+title 2",
        "weights": "ltc",
        "selection": "chi2:5",
    }
    assert Representation(weights=None).describe()["weights"] == "precomputed"
    assert Representation(weights=TfidfVectorizer()).describe()["terms"] == ""
