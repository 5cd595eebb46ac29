"""On the aptemod of YL99: the trials behind the golden table, and the verdict on naive Bayes."""

from __future__ import annotations

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import rubricate as rb

pytestmark = pytest.mark.slow


def test_trials_of_the_golden_table_are_those_of_the_corpus(aptemod: rb.Corpus) -> None:
    documents, categories = aptemod.test.labels.shape
    assert (documents * categories, aptemod.test.labels.nnz) == (271_710, 3_744)


def test_svm_is_better_than_naive_bayes_by_every_test_of_the_paper(aptemod: rb.Corpus) -> None:
    """yangliu1999, tables 2 and 3: NB against SVM is << in s, S, T, T', recall and precision, >> in error."""
    words = TfidfVectorizer(stop_words="english", max_features=3000, sublinear_tf=True)
    train, test = words.fit_transform(aptemod.train.texts), words.transform(aptemod.test.texts)
    decided = {
        name: OneVsRestClassifier(model).fit(train, aptemod.train.labels).predict(test)
        for name, model in (("NB", MultinomialNB()), ("SVM", LinearSVC()))
    }
    found = rb.compare(decided, truth=aptemod.test.labels, categories=aptemod.categories, tests="paper")
    assert [(one.test, one.measure, one.symbol) for one in found] == [
        ("s", "", "<<"),
        ("S", "f1", "<<"),
        ("T", "f1", "<<"),
        ("T'", "f1", "<<"),
        ("p", "recall", "<<"),
        ("p", "precision", "<<"),
        ("p", "error", ">>"),
    ]
    assert {one.better for one in found} == {"b"}
