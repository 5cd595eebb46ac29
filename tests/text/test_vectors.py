"""Raw texts to vectors as one transformer: against its parts, CountVectorizer, and scikit-learn's tools."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from tests.tally import count_cases

from rubricate.errors import InvalidInput
from rubricate.text import analysis as _analyzer
from rubricate.text.analyzer import Analyzer
from rubricate.text.counts import counts
from rubricate.text.selection import Select
from rubricate.text.stop_lists import stop_words
from rubricate.text.vectors import Vectors
from rubricate.text.weights import Weights
from rubricate.types import Documents

TEXTS = ["Wheat exports rose", "Corn and wheat fell", "Gold rose in London", "gold and silver fell", ""]
LABELS = ["grain", "grain", "metal", "metal", "metal"]
SOME = st.lists(
    st.lists(st.sampled_from(["wheat", "corn", "gold", "the", "über", "İx", "fell"]), max_size=6).map(" ".join),
    min_size=1,
    max_size=9,
)


def same(a: sparse.csr_array, b: sparse.csr_array) -> bool:
    return a.shape == b.shape and (a != b).nnz == 0


@given(texts=SOME, new=SOME, scheme=st.sampled_from(["ltc", "nnn", "apc", "Lnc"]))
def test_the_whole_is_its_parts(texts: list[str], new: list[str], scheme: str) -> None:
    analyzer = Analyzer(stop=None)
    vectors = Vectors(analyzer, weights=scheme)
    matrix, vocabulary = counts(analyzer.terms(texts))
    if not vocabulary:
        with pytest.raises(InvalidInput, match="no term occurs in 1 or more"):
            vectors.fit(texts)
        count_cases(0)
        return
    weights = Weights(scheme).fit(matrix)
    assert same(vectors.fit_transform(texts), weights.transform(matrix))
    assert vectors.vocabulary_ == vocabulary
    assert same(vectors.transform(new), weights.transform(counts(analyzer.terms(new), vocabulary)[0]))
    count_cases()


@pytest.mark.slow
@given(texts=SOME, threads=st.integers(1, 3))
def test_threads_and_blocks_do_not_show(texts: list[str], threads: int) -> None:
    texts = ["wheat", *texts]
    whole = Vectors(Analyzer(ngrams=(1, 2)), threads=1)
    expected = whole.fit_transform(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_analyzer, "BLOCK", 10)
        vectors = Vectors(Analyzer(ngrams=(1, 2)), threads=threads)
        assert same(vectors.fit_transform(texts), expected)
        assert vectors.vocabulary_ == whole.vocabulary_
        single = sparse.csr_array(sparse.vstack([vectors.transform([text]) for text in texts]))
    assert same(single, expected)


def test_fit_twice_gives_the_same_and_forgets() -> None:
    vectors = Vectors().fit(["other words here"])
    first = vectors.fit(TEXTS).transform(TEXTS)
    assert same(clone(vectors).fit_transform(iter(TEXTS)), first)
    assert same(vectors.fit(TEXTS).transform(pd.Series(TEXTS)), first)
    assert vectors.get_feature_names_out().tolist() == list(vectors.vocabulary_)


def test_learned_attributes_are_plain_data() -> None:
    vectors = Vectors(select="chi2:3").fit(TEXTS, LABELS)
    learned = {name: value for name, value in vars(vectors).items() if name.endswith("_") and not name.startswith("_")}
    assert sorted(learned) == ["idf_", "stop_words_", "vocabulary_"]
    assert isinstance(vectors.idf_, np.ndarray)
    assert all(isinstance(term, str) for term in (*vectors.vocabulary_, *vectors.stop_words_))


def test_the_stop_list_is_kept_from_training(tmp_path) -> None:
    path = tmp_path / "stop.txt"
    path.write_text("gold\n")
    vectors = Vectors(Analyzer(stop=path)).fit(TEXTS)
    path.unlink()
    assert vectors.stop_words_ == ("gold",)
    assert vectors.transform(["gold"]).nnz == 0


def test_min_df_and_selection() -> None:
    assert Vectors(min_df=2).fit(TEXTS).vocabulary_ == ("fell", "gold", "rose", "wheat")
    assert Vectors(select="chi2:2").fit(TEXTS, LABELS).vocabulary_ == ("gold", "wheat")
    vectors = Vectors(select=Select("chi2", k=2, by="avg"), weights="nnc")
    rows = vectors.fit_transform(TEXTS, LABELS)
    assert rows.toarray().tolist() == [[0, 1], [0, 1], [1, 0], [1, 0], [0, 0]]
    assert same(vectors.transform(TEXTS), rows)


def test_documents_bring_titles_and_labels() -> None:
    labels = sparse.csr_array(np.array([[1, 0], [0, 1]], dtype=bool))
    documents = Documents(["a", "b"], ["rose", "rose"], labels, ("grain", "metal"), ["Wheat", "Gold"])
    vectors = Vectors(Analyzer(title=2), weights="nnn", select="chi2:2")
    assert vectors.fit_transform(documents).toarray().tolist() == [[0, 2], [2, 0]]
    assert vectors.vocabulary_ == ("gold", "wheat")


def test_any_transformer_can_weigh() -> None:
    vectors = Vectors(weights=TfidfTransformer())
    peer = TfidfTransformer().fit_transform(Vectors(weights="nnn").fit_transform(TEXTS))
    assert same(sparse.csr_array(vectors.fit_transform(TEXTS)), sparse.csr_array(peer))
    assert same(Vectors(weights=Weights("lnc")).fit_transform(TEXTS), Vectors(weights="lnc").fit_transform(TEXTS))


@pytest.mark.slow
def test_in_a_pipeline_and_a_grid() -> None:
    texts, y = TEXTS[:4] * 3, LABELS[:4] * 3
    grid = {
        "vectors__weights": ["ltc", "bnn"],
        "vectors__analyzer__stem": [None, "porter"],
        "vectors__select": [None, "chi2:3"],
    }
    search = GridSearchCV(Pipeline([("vectors", Vectors(Analyzer())), ("svm", LinearSVC())]), grid, cv=3).fit(texts, y)
    assert search.best_score_ == 1.0
    pipeline = make_pipeline(Vectors(weights="nnn"), Weights("ltc"), Select("chi2:4"), LinearSVC()).fit(texts, y)
    assert pipeline.predict(["silver and gold", "wheat"]).tolist() == ["metal", "grain"]


@pytest.mark.parametrize(
    "arguments, texts, message",
    [
        ({}, [], "no documents to learn from"),
        ({}, ["", "the of"], "no term occurs"),
        ({"min_df": 3}, TEXTS, "no term occurs in 3 or more of the 5 documents; lower min_df"),
        ({"min_df": 0}, TEXTS, "min_df must be a whole number of documents, 1 or more, got 0"),
        ({"threads": 0}, TEXTS, "threads must be 1 or more"),
        ({"weights": 3}, TEXTS, "weights must be a SMART triple"),
        ({"select": "chi2:2"}, TEXTS, "requires y"),
        ({}, ["a", None], "document 1"),
    ],
)
def test_what_cannot_be_learned_says_why(arguments, texts, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Vectors(**arguments).fit(texts)


def test_no_documents_to_transform() -> None:
    assert Vectors().fit(TEXTS).transform([]).shape == (0, 8)


@pytest.mark.slow
def test_reuters_is_count_vectorizer_with_the_same_analyzer(aptemod) -> None:
    """Vocabulary and counts identical, ltc equal to scikit-learn's without its added one."""
    train = aptemod.train
    texts, stop, stemmer, token = (
        list(train.texts),
        stop_words("smart"),
        Stemmer.Stemmer("porter"),
        re.compile(r"[^\W\d_]+"),
    )

    def analyse(text: str) -> list[str]:
        return stemmer.stemWords([w for w in token.findall(text.lower()) if len(w) > 1 and w not in stop])

    peer = CountVectorizer(analyzer=analyse)
    expected = peer.fit_transform(texts)
    ours = Vectors(weights="nnn").fit(train)
    assert ours.vocabulary_ == tuple(peer.get_feature_names_out())
    assert same(ours.transform(texts), sparse.csr_array(expected))
    tfidf = TfidfTransformer(sublinear_tf=True, smooth_idf=False).fit(expected)
    tfidf.idf_ = tfidf.idf_ - 1
    difference = Vectors().fit_transform(texts) - tfidf.transform(expected)
    assert abs(difference).max() < 1e-14
