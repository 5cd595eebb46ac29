"""Cases of the record: the scores of every classifier, and of some of them with other settings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from sklearn.naive_bayes import ComplementNB
from tests.record.material import rules_for
from tests.record.recording import Case, digest, plain

import rubricate as rb
from rubricate import registry

EXPLAINED = 5
"""Documents whose reasons are recorded."""

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "big_bang": [{"share": 0.0}, {"probability": "sigmoid"}],
    "charade": [{"redundancy": 2, "longest": 2}],
    "classi": [{"kept": "last", "margin": 0.5}],
    "dtree": [{"style": "ind"}, {"min_documents": 5}],
    "experts": [{"beta": 0.5}],
    "knn": [{"k": 9, "votes": "best"}],
    "label_tree": [{"leaf": 10, "trees": 2, "branch": 4}],
    "llsf": [{"p": 50}, {"ridge": 1.0}],
    "local": [{"scheme": "node", "negatives": "exclusive"}, {"scheme": "level"}, {"probability": "sigmoid"}],
    "nb": [{"model": "bernoulli"}, {"model": "complement"}, {"against": "rest", "alpha": 0.1}],
    "nnet": [{"hidden": 8, "outputs": "separate", "epochs": 4}, {"loss": "squared_error", "hidden": 16}],
    "nnets_parc": [{"inputs": "relevancy", "size": 20, "epochs": 4}, {"hidden": 4, "size": 40, "epochs": 10}],
    "proximity": [{"by": "similarity"}, {"slope": 2.0, "accept": 3.0}],
    "ripper": [{"passes": 0, "absent": False}, {"loss_ratio": 2.0}],
    "rocchio": [{"gamma": 16.0, "negatives": "clip"}],
    "svm": [
        {"C": 4.0, "bias": "penalised"},
        {"bias": None},
        {"kernel": "rbf", "gamma": 1.0},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"class_weight": "balanced"},
        {"tol": 1e-6},
    ],
    "swap1": [{"words": 30, "folds": 2}],
    "tolerant": [{"combine": "mean", "beam": 2}, {"slope": 1.5, "choose": "all"}],
    "top_down": [{"root": "classifier"}, {"contested": True}, {"probability": "sigmoid"}, {"cut": "scut"}],
    "word": [{"idf": "documents"}],
}
"""Settings beside the defaults that take another way through the code."""


def make(name: str, categories: tuple[str, ...], **settings: Any) -> Any:
    """Return a classifier by its name; `construe` gets its rules."""
    if name == "construe":
        settings = {"rules": rules_for(categories), **settings}
    if "cut" in settings:
        settings = settings | {"cut": registry.load("thresholds", settings["cut"])()}
    return registry.load("classifiers", name)(**settings)


def fitted(classifier: Any, corpus: Any, **flow: Any) -> Any:
    """Return a categorizer, without folds unless told, trained on the corpus."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no word of")  # names such as acq are words of no document
        return rb.Categorizer(classifier, **({"folds": 0, "cut": "rcut:1"} | flow)).fit(corpus)


def reasons(model: Any, documents: Any) -> list[Any]:
    """Return the weights of the reasons for each label of the first documents."""
    explained = model.explain(list(documents.texts[:EXPLAINED]), limit=5)
    return [{name: [plain(reason.weight) for reason in why] for name, why in each.items()} for each in explained]


def scores_of(name: str, corpus: Callable[[], Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return what is recorded of a classifier on a corpus: its scores, its chances, its reasons."""
    classifier = make(name, corpus().categories, **settings)
    model = fitted(classifier, corpus())
    values = {"scores": digest(model.decision_function(corpus().test)), "reasons": reasons(model, corpus().test)}
    if settings.get("probability"):
        values["chances"] = digest(model.classifier_.predict_proba(model.features(corpus().test)))
    return values


def classifier_cases(corpus: Callable[[], Any]) -> dict[str, Case]:
    """Return a case for each classifier of the registry."""
    return {f"scores: {name}": partial(scores_of, name, corpus, {}) for name in registry.names("classifiers")}


def setting_cases(corpus: Callable[[], Any], names: Iterable[str] = SETTINGS) -> dict[str, Case]:
    """Return a case for each of `SETTINGS` of these classifiers."""
    return {
        f"scores: {name} {' '.join(f'{key}={value}' for key, value in settings.items())}": partial(
            scores_of, name, corpus, settings
        )
        for name in names
        for settings in SETTINGS[name]
    }


def with_bases(corpus: Callable[[], Any]) -> dict[str, Any]:
    """Return the scores of hierarchical classifiers over naive Bayes, ours and scikit-learn's."""
    ours = registry.load("classifiers", "nb")()
    bases = {"top_down": ours, "local": ComplementNB(), "big_bang": ours, "tolerant": ours, "proximity": ours}
    return {
        name: digest(fitted(make(name, (), base=base), corpus(), weights="nnn").decision_function(corpus().test))
        for name, base in bases.items()
    }
