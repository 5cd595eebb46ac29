"""Every classifier, threshold and transformer is saved and opened with the same results; a new file is found here.

A class passes if what it learns are arrays, sparse matrices, numbers, strings, containers and estimators of those. One
whose compiled loops follow learned positions gives `check_state()` as well: `test_a_cut_array_…` shows why.
"""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn import feature_extraction, linear_model, naive_bayes, preprocessing
from sklearn.decomposition import TruncatedSVD
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from tests.damaged import write_damaged, write_unchecked

import rubricate as rb
from rubricate import registry
from rubricate.errors import InvalidFile
from rubricate.thresholds import resolve

pytestmark = pytest.mark.slow

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 4


def makeable(kind):
    found = {name: registry.load(kind, name) for name in registry.names(kind)}
    return {
        name: each
        for name, each in found.items()
        if all(p.default is not p.empty for p in inspect.signature(each).parameters.values())
    }


CLASSIFIERS = makeable("classifiers")
every_classifier = pytest.mark.parametrize("name", CLASSIFIERS)


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(3)
    labels = rng.random((60, 4)) < [0.5, 0.4, 0.3, 0.2]
    labels[:4] = np.eye(4, dtype=bool)
    counts = rng.poisson(0.2 + labels @ np.kron(np.eye(4), np.full((1, 3), 2.0))).astype(float)
    return sparse.csr_array(counts), sparse.csr_array(labels)


FITTED: dict[str, object] = {}


def fitted(name, X, Y):
    if name not in FITTED:
        FITTED[name] = CLASSIFIERS[name]().fit(X, Y)
    return FITTED[name]


@every_classifier
def test_a_classifier_scores_as_before(name, documents, tmp_path):
    X, Y = documents
    before = fitted(name, X, Y)
    after = rb.open(rb.save(before, tmp_path / "m"))
    assert type(after) is type(before)
    assert after.get_params(deep=False).keys() == before.get_params(deep=False).keys()
    assert np.array_equal(after.decision_function(X), before.decision_function(X))
    assert (after.predict(X) != before.predict(X)).nnz == 0
    assert after.explain(X[:3], 1, 4) == before.explain(X[:3], 1, 4)
    assert rb.save(after, tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@every_classifier
def test_a_classifier_of_classes_predicts_as_before(name, documents, tmp_path):
    X, Y = documents
    y = np.array(["corn", "gold", "oil", "tin"])[Y.toarray().argmax(axis=1)]
    before = CLASSIFIERS[name]().fit(X.toarray(), y)
    after = rb.open(rb.save(before, tmp_path / "m"))
    assert after.predict(X.toarray()).tolist() == before.predict(X.toarray()).tolist()
    assert after.classes_.tolist() == before.classes_.tolist()


@every_classifier
def test_a_cut_array_is_refused_or_harmless(name, documents, tmp_path):
    """Each learned array in turn without its last row or column: refused, or not needed for the scores."""
    X, Y = documents
    before = fitted(name, X, Y)
    scores = before.decision_function(X)
    for attribute, value in vars(before).items():
        if (
            not attribute.endswith("_")
            or not (sparse.issparse(value) or isinstance(value, np.ndarray))
            or not value.ndim
        ):
            continue
        for cut in (value[:-1], *([value[:, :-1]] if value.ndim == 2 else [])):
            changed = copy.copy(before)
            setattr(changed, attribute, cut)
            path = write_unchecked(changed, tmp_path / "m")
            try:
                after = rb.open(path)
            except InvalidFile:
                write_damaged(changed, path)
                continue
            assert np.array_equal(after.decision_function(X), scores), f"{attribute} cut to {cut.shape}"


@pytest.mark.parametrize("name", registry.names("thresholds"))
def test_a_threshold_decides_as_before(name, documents, tmp_path):
    scores, Y = np.random.default_rng(0).random((60, 4)).round(1), documents[1]
    before = resolve(name).fit(scores, Y)
    after = rb.open(rb.save(before, tmp_path / "m"))
    assert repr(after) == repr(before)
    assert (after.decide(scores) != before.decide(scores)).nnz == 0


SKLEARN_TRANSFORMERS = [
    feature_extraction.text.TfidfTransformer(),
    TruncatedSVD(2, random_state=0),
    preprocessing.MaxAbsScaler(),
    preprocessing.Normalizer(),
]


@pytest.mark.parametrize(
    "transformer",
    [
        rb.text.Vectors(),
        rb.text.Vectors(rb.text.Analyzer(stop=["and"], ngrams=(1, 2)), weights="lnc", min_df=2),
        rb.text.Vectors(select="chi2:4"),
        *(rb.text.Vectors(weights=each) for each in SKLEARN_TRANSFORMERS),
        feature_extraction.text.TfidfVectorizer(),
        feature_extraction.text.CountVectorizer(ngram_range=(1, 2)),
        feature_extraction.text.HashingVectorizer(n_features=64),
    ],
    ids=repr,
)
def test_a_transformer_of_texts_works_as_before(transformer, tmp_path):
    before = transformer.fit(TEXTS, ["a", "a", "b", "b", "a", "b"] * 4)
    after = rb.open(rb.save(before, tmp_path / "m"))
    there, here = before.transform([*TEXTS, "", "zinc"]), after.transform([*TEXTS, "", "zinc"])
    assert np.array_equal(np.asarray(here.todense()) if sparse.issparse(here) else here,
                          np.asarray(there.todense()) if sparse.issparse(there) else there)  # fmt: skip


@pytest.mark.parametrize(
    "transformer", [rb.text.Weights("atc"), rb.text.Select("chi2:5"), *SKLEARN_TRANSFORMERS], ids=repr
)
def test_a_transformer_of_counts_works_as_before(transformer, documents, tmp_path):
    X, Y = documents
    before = transformer.fit(X, Y)
    after = rb.open(rb.save(before, tmp_path / "m"))
    there, here = before.transform(X), after.transform(X)
    assert abs(here - there).max() == 0


@pytest.mark.parametrize(
    "classifier",
    [
        linear_model.LogisticRegression(),
        linear_model.RidgeClassifier(),
        linear_model.SGDClassifier(random_state=0),
        LinearSVC(),
        naive_bayes.MultinomialNB(),
        naive_bayes.ComplementNB(),
        naive_bayes.BernoulliNB(),
        OneVsRestClassifier(LinearSVC()),
    ],
    ids=repr,
)
def test_a_scikit_learn_classifier_in_the_flow(classifier, tmp_path):
    before = rb.Categorizer(classifier, folds=2, engine="serial").fit(TEXTS, ["a", "a", "b", "b", "c", "c"] * 4)
    after = rb.Categorizer.open(before.save(tmp_path / "m"))
    assert np.array_equal(after.decision_function(TEXTS), before.decision_function(TEXTS))


@every_classifier
def test_a_categorizer_of_any_classifier(name, tmp_path):
    labels = [{"grain"}, {"grain", "trade"}, {"fuel"}, {"fuel"}, {"grain"}, {"fuel", "trade"}] * 4
    before = rb.Categorizer(name, folds=2, engine="serial").fit(TEXTS, labels)
    after = rb.Categorizer.open(before.save(tmp_path / "m"))
    assert np.array_equal(after.decision_function(TEXTS), before.decision_function(TEXTS))
    assert after.classify(TEXTS, abstain=0.5) == before.classify(TEXTS, abstain=0.5)
