"""Code as a user writes it, for type checkers that know the package only from outside: it is never run."""

from __future__ import annotations

from typing import assert_type

import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

import rubricate as rb


def train_and_answer() -> list[tuple[str, ...] | None]:
    corpus = rb.load("newswire")
    assert_type(corpus, rb.Corpus)
    model = rb.Categorizer(rb.SVM(C=1.0), weights="ltc", cut="micro_macro").fit(corpus.train)
    assert_type(model, rb.Categorizer)
    model.save("topics.rubric")
    return rb.Categorizer.open("topics.rubric").classify(["Wheat exports rose in March"], abstain=0.5)


def judge() -> float:
    corpus = rb.load("news.csv", labels="topics")
    theirs = rb.read_run("truth.csv", "theirs.csv", missing="wrong")
    assert_type(theirs, rb.Run)
    runs = [rb.Categorizer("knn").fit(corpus.train).run(corpus.test), theirs]
    result = rb.evaluate(runs[0])
    assert_type(result.micro["f1"], float)
    print(rb.compare(runs))
    return result.macro["f1"]


def inside_a_pipeline() -> None:
    X = sparse.csr_array(np.eye(3))
    flow = make_pipeline(rb.text.Weights("ltc"), rb.NB())
    flow.fit(X, ["a", "b", "a"])
    cuts = rb.thresholds.Scut(folds=5)
    rb.Categorizer(rb.KNN(k=45), select="chi2:2415", cut=cuts)
