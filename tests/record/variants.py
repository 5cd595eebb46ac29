"""Cases of the record: cuts, representations, folds, and the estimators that train inside one another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from tests.record.material import public
from tests.record.recording import Case, digest, text_digest
from tests.record.systems import fitted

import rubricate as rb
from rubricate import registry

Corpus = Callable[[], Any]

CUTS = ("scut", "scut:0.3", "pcut:1.2", "rcut:2", "micro_macro:0.5", "rank_limit:3", "0.1")
WEIGHTS = ("ltc", "nnn", "atc", "lnc", "bpn")
SELECTIONS = ("information_gain:200", "document_frequency:200", "mutual_information:200")


def threshold(name: str, **settings: Any) -> Any:
    """Return a cut by its name in the registry."""
    return registry.load("thresholds", name)(**settings)


def learned(cut: Any) -> dict[str, Any]:
    """Return the numbers that a fitted cut decides by."""
    if hasattr(cut, "cut_"):
        return learned(cut.cut_)
    return {name: digest(getattr(cut, name)) for name in ("cuts_", "counts_") if hasattr(cut, name)}


def judged(model: Any, corpus: Any) -> dict[str, Any]:
    """Return what a categorizer that was trained with folds has learned and decides."""
    values = {
        "scores": digest(model.decision_function(corpus.test)),
        "decisions": digest(model.decide(corpus.test).values),
        "cut": learned(model.cut_),
        "cross validation": model.cross_validation_,
    }
    if model.cross_validation_ is not None:
        values["confidence"] = digest(model.confidence(corpus.test))
        values["out of fold"] = digest(model.out_of_fold_run().decisions.values)
    return values


def default(corpus: Corpus) -> dict[str, Any]:
    """Return the numbers of a categorizer with the default of its terms; C is chosen among four."""
    model = rb.Categorizer(representation="terms").fit(corpus())
    coverage = model.coverage()
    return judged(model, corpus()) | {
        "C": model.classifier_.C,
        "coverage": {"coverage": digest(coverage.coverage), "error": digest(coverage.error)},
        "vectors": digest(model.features(corpus().test)),
    }


def with_cut(corpus: Corpus, classifier: Any, cut: Any, folds: int | None) -> dict[str, Any]:
    """Return the numbers of a categorizer with this cut."""
    return judged(fitted(classifier, corpus(), cut=cut, folds=folds), corpus())


def represented(corpus: Corpus, settings: dict[str, Any]) -> dict[str, Any]:
    """Return vectors, and scores and decisions by them, with selection and weights learned in each fold."""
    model = fitted("rocchio", corpus(), cut="scut", folds=3, **settings)
    return judged(model, corpus()) | {"vectors": digest(model.features(corpus().test))}


def thresholded(corpus: Corpus) -> dict[str, Any]:
    """Return the cuts of a `Thresholded` of ours and of one that starts from texts."""
    documents, tests = corpus().train, corpus().test
    vectors = public("Vectors")().fit(documents)
    ours = public("Thresholded")(registry.load("classifiers", "svm")(), cut="micro_macro", folds=3, keep_scores=True)
    ours.fit(vectors.transform(documents), documents.labels)
    peer = public("Thresholded")(
        make_pipeline(TfidfVectorizer(), OneVsRestClassifier(MultinomialNB(alpha=0.1))), cut="scut", folds=2
    ).fit(list(documents.texts), documents.labels)
    return {
        "ours": learned(ours.cut_) | {"decisions": digest(ours.decide(vectors.transform(tests)))},
        "out of fold": digest(ours.out_of_fold_scores_),
        "texts": learned(peer.cut_) | {"decisions": digest(peer.decide(list(tests.texts)))},
    }


def stack_of_texts(corpus: Corpus) -> dict[str, Any]:
    """Return the scores of a stack whose members have representations of their own."""
    vectors = public("Vectors")
    members = [
        ("svm", make_pipeline(vectors(), registry.load("classifiers", "svm")())),
        ("knn", make_pipeline(vectors(select="chi2:200"), registry.load("classifiers", "knn")(k=9))),
        ("nb", make_pipeline(vectors(weights="nnn"), registry.load("classifiers", "nb")())),
    ]
    stack = registry.load("classifiers", "stack")(members, folds=3, rounds=20, seeds=2, keep_scores=True)
    stack.fit(corpus().train, corpus().train.labels)
    held = [digest(scores.values) for scores in stack.out_of_fold_scores()]
    return {"scores": digest(stack.decision_function(corpus().test)), "out of fold": held}


def svm_with_chances(corpus: Corpus) -> dict[str, Any]:
    """Return sigmoids, chances and dual variables of an SVM."""
    model = fitted(registry.load("classifiers", "svm")(probability="sigmoid"), corpus())
    svm = model.classifier_
    parts = {name: digest(getattr(svm, name)) for name in ("alpha_", "slack_", "sigmoid_", "intercept_", "radius2_")}
    return parts | {"chances": digest(svm.predict_proba(model.features(corpus().test)))}


def calibrated(corpus: Corpus) -> dict[str, Any]:
    """Return the numbers of a categorizer whose cut was learned from leave-one-out scores."""
    model = public("calibrate")(fitted("svm", corpus()), corpus().train, cut="micro_macro")
    return {
        "cut": learned(model.cut_),
        "cross validation": model.cross_validation_,
        "decisions": digest(model.decide(corpus().test).values),
        "confidence": digest(model.confidence(corpus().test)),
    }


def single_label(corpus: Corpus) -> dict[str, Any]:
    """Return the classes predicted where every document has one label, given as a column."""
    texts, column = zip(*_first_labels(corpus().train), strict=True)
    model = rb.Categorizer(representation="terms", folds=3).fit(list(texts), np.array(column))
    return {
        "classes": text_digest(list(map(str, model.predict(list(corpus().test.texts))))),
        "scores": digest(model.decision_function(list(corpus().test.texts))),
        "cross validation": model.cross_validation_,
    }


def _first_labels(documents: Any) -> list[tuple[str, str]]:
    """Return text and first label of each document that has one."""
    starts, columns = documents.labels.indptr, documents.labels.indices
    return [
        (text, documents.categories[columns[start]])
        for text, start, stop in zip(documents.texts, starts[:-1], starts[1:], strict=True)
        if stop > start
    ]


def own_vectors(corpus: Corpus) -> dict[str, Any]:
    """Return the scores for precomputed vectors."""
    labels, maker = corpus().train.labels, public("Vectors")(weights="lnc", min_df=3)
    vectors = maker.fit_transform(corpus().train, labels)
    model = rb.Categorizer("knn", weights="precomputed", folds=2, cut="scut").fit(vectors, labels)
    tests = maker.transform(corpus().test)
    return {"scores": digest(model.decision_function(tests)), "decisions": digest(model.decide(tests).values)}


def updated(corpus: Corpus) -> dict[str, Any]:
    """Return the scores of classifiers that learned some documents later, all of them of known categories."""
    documents, size = corpus().train, 2 * len(corpus().train) // 3
    unknown = np.bincount(documents.labels[:size].indices, minlength=len(documents.categories)) == 0
    later = size + np.flatnonzero(documents.labels[size:].astype(float) @ unknown.astype(float) == 0)
    first, rest = documents.take(range(size)), documents.take(later)
    models = {name: fitted(name, first).update(rest) for name in ("experts", "knn", "nb", "rocchio")}
    return {name: digest(model.decision_function(corpus().test)) for name, model in models.items()}


def variant_cases(corpus: Corpus) -> dict[str, Case]:
    """Return the cases that go beyond the scores of one classifier."""
    return {
        "default": partial(default, corpus),
        **{f"cut: {name}": partial(with_cut, corpus, "svm", name, 3) for name in CUTS},
        "representation: select chi2:200": partial(represented, corpus, {"select": "chi2:200"}),
        "representation: tfidf of texts": partial(represented, corpus, {"weights": TfidfVectorizer(sublinear_tf=True)}),
        "thresholded": partial(thresholded, corpus),
        "stack of texts": partial(stack_of_texts, corpus),
        "svm with chances": partial(svm_with_chances, corpus),
        "calibrated": partial(calibrated, corpus),
    }


def further_cases(corpus: Corpus) -> dict[str, Case]:
    """Return more of them, for the corpus that every machine has."""
    objects = {
        "scut of error, smooth, twice": threshold("scut", criterion="error", smooth=1.0, seeds=2),
        "pcut by labels": threshold("pcut", x=1.3, prior="labels"),
        "rank_limit of rcut": threshold("rank_limit", rank=2, cut="rcut:1"),
        "micro_macro of three folds": threshold("micro_macro", folds=3, seeds=2),
    }
    representations = {
        **{f"weights {name}": {"weights": name} for name in WEIGHTS},
        **{f"select {name}": {"select": name} for name in SELECTIONS},
        "min_df": {"min_df": 3, "analyzer": public("Analyzer")(stem=None, ngrams=(1, 2), title="mark")},
        "tfidf of counts": {"weights": TfidfTransformer(), "select": "chi2:200"},
    }
    return {
        **{f"cut: {name}": partial(with_cut, corpus, "knn", cut, None) for name, cut in objects.items()},
        **{f"representation: {name}": partial(represented, corpus, each) for name, each in representations.items()},
        "single label": partial(single_label, corpus),
        "own vectors": partial(own_vectors, corpus),
        "updated": partial(updated, corpus),
    }
