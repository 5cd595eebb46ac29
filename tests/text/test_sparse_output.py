"""Frames where scikit-learn's setting asks for them: sparse columns from ours, arrays inside a categorizer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline, make_union

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.text import BM25, PivotedLength, Vectors, Weights

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas"] * 3
LABELS = ["grain", "grain", "fuel", "fuel"] * 3


def test_vectors_as_a_frame_of_sparse_columns():
    plain, framed = Vectors().fit(TEXTS), Vectors().set_output(transform="pandas")
    frame = framed.fit_transform(TEXTS)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == list(plain.vocabulary_)
    assert all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes)
    assert np.array_equal(frame.to_numpy(), plain.transform(TEXTS).toarray())
    assert isinstance(clone(framed).fit(TEXTS).transform(TEXTS), pd.DataFrame), "a clone keeps the setting"
    assert sparse.issparse(framed.set_output(transform="default").transform(TEXTS))
    assert framed.set_output() is framed


@pytest.mark.parametrize("kind", [Weights, BM25, PivotedLength])
def test_weights_keep_the_names_of_their_columns(kind):
    counts = pd.DataFrame([[2, 0, 1], [0, 3, 0]], columns=["corn", "oil", "wheat"])
    plain = kind().fit_transform(counts)
    frame = kind().set_output(transform="pandas").fit_transform(counts)
    assert list(frame.columns) == ["corn", "oil", "wheat"]
    assert np.array_equal(frame.to_numpy(), plain.toarray())


def test_other_frames_have_no_sparse_columns():
    with pytest.raises(InvalidInput, match=r"'polars'\. Fix"):
        Vectors().set_output(transform="polars")


@pytest.mark.slow
@pytest.mark.parametrize(
    "weights",
    [
        "ltc",
        "bm25",
        TfidfVectorizer(),
        make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)),
        make_union(TfidfVectorizer()),
    ],
)
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_a_general_setting_changes_nothing_inside_a_categorizer(weights, output, tmp_path):
    expected = rb.Categorizer("svm", weights=weights, folds=2, engine="serial").fit(TEXTS, LABELS)
    with sklearn.config_context(transform_output=output):
        model = rb.Categorizer("svm", weights=weights, folds=2, engine="serial").fit(TEXTS, LABELS)
        scores = model.decision_function(TEXTS)
        opened = rb.Categorizer.open(model.save(tmp_path / "m.rubric")).decision_function(TEXTS)
    assert np.array_equal(scores, expected.decision_function(TEXTS))
    assert np.array_equal(scores, opened)


@pytest.mark.slow
def test_the_default_under_a_general_setting():
    with sklearn.config_context(transform_output="pandas"):
        assert list(rb.Categorizer(folds=2).fit(TEXTS, LABELS).predict(["wheat", "gas"])) == ["grain", "fuel"]


def test_weights_of_documents_are_routed():
    X, y = Vectors().fit_transform(TEXTS), np.array(LABELS)
    with sklearn.config_context(enable_metadata_routing=True):
        svm = rb.SVM().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        weights = {"sample_weight": np.linspace(1, 2, len(y))}
        assert (cross_validate(svm, X, y, params=weights, cv=2)["test_score"] == 1).all()
        flow = make_pipeline(Vectors(), rb.SVM().set_fit_request(sample_weight=True))
        assert list(flow.fit(TEXTS, LABELS, **weights).predict(["wheat"])) == ["grain"]
        score = rb.Categorizer("nb", folds=0).set_score_request(sample_weight=True).fit(TEXTS, LABELS)
        assert score.score(TEXTS, LABELS, sample_weight=weights["sample_weight"]) == 1
