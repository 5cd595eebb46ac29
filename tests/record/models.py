"""Model files of every classifier, trained on a small `newswire` and kept: files written before must always open.

A file that exists is never written again; to renew one, delete it and say why in the commit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from tests.record.material import public, small_newswire
from tests.record.recording import FOLDER, Case, digest
from tests.record.systems import fitted, make
from tests.record.variants import learned, threshold

import rubricate as rb
from rubricate import registry

SMALL: dict[str, dict[str, Any]] = {
    "nnet": {"hidden": 4, "epochs": 10},
    "nnets_parc": {"size": 10, "epochs": 5},
    "llsf": {"p": 10},
    "stack": {"rounds": 5, "folds": 2, "leaves": 4},
}
"""Settings that keep a file small."""


def _model(classifier: Any, **flow: Any) -> Any:
    """Return a categorizer with few terms, its cut and its confidence learned by two folds."""
    return fitted(classifier, small_newswire(), **({"select": "chi2:60", "cut": "scut", "folds": 2} | flow))


def _of_classifier(name: str) -> Any:
    flow = {"select": None, "min_df": 5, "cut": 0.5} if name in ("construe", "word") else {}  # they need all terms
    return _model(make(name, small_newswire().categories, **SMALL.get(name, {})), **flow)


def _of_texts() -> Any:
    return _model(OneVsRestClassifier(MultinomialNB()), weights=TfidfVectorizer(max_features=60), select=None)


def _of_parts() -> Any:
    """Return a model whose terms and cuts are learned by estimators within."""
    classifier = public("Thresholded")(registry.load("classifiers", "svm")(), cut="scut", folds=2)
    return _model(classifier, weights=public("Vectors")(select=public("Select")("chi2:60")), select=None, cut=0.0)


WRITERS: dict[str, Callable[[], Any]] = {
    **{name: partial(_of_classifier, name) for name in registry.names("classifiers")},
    "default": partial(_model, None, cut=None),
    "sigmoid": lambda: _model(registry.load("classifiers", "svm")(kernel="rbf", probability="sigmoid")),
    "single": lambda: rb.Categorizer("nb", select="chi2:60", folds=2).fit(*_single_labels()),
    "parts": _of_parts,
    "texts": _of_texts,
    "marked": lambda: _model("nb", analyzer=public("Analyzer")(stem=None, ngrams=(1, 2), title="mark"), weights="nnn"),
    "pcut": lambda: _model("rocchio", cut=threshold("pcut", prior="labels")),
    "rank_limit": lambda: _model("rocchio", cut=threshold("rank_limit", rank=2)),
    "rcut": lambda: _model("rocchio", cut="rcut:2"),
    "micro_macro": lambda: _model("rocchio", cut="micro_macro"),
}
"""Models by the names of their files: of each classifier with its defaults, then of the other parts of a file."""


def _single_labels() -> tuple[list[str], list[str]]:
    documents = small_newswire().train
    starts, columns = documents.labels.indptr, documents.labels.indices
    rows = [row for row in range(len(documents)) if starts[row] < starts[row + 1]]
    return [documents.texts[row] for row in rows], [documents.categories[columns[starts[row]]] for row in rows]


def model_path(name: str) -> Path:
    """Return the path of a model file."""
    return FOLDER / "models" / f"{name}.rubric"


def opened(name: str) -> dict[str, Any]:
    """Return what a kept model says of fifty documents; the file is written if there is none."""
    if not model_path(name).exists():
        WRITERS[name]().save(model_path(name))
    model, texts = rb.Categorizer.open(model_path(name)), small_newswire().test
    return {
        "scores": digest(model.decision_function(texts)),
        "decisions": digest(model.decide(texts).values),
        "confidence": digest(model.confidence(texts)),
        "cut": learned(model.cut_),
        "cross validation": model.cross_validation_,
        "categories": list(model.categories_),
    }


def model_cases() -> dict[str, Case]:
    """Return a case for each model file."""
    return {name: partial(opened, name) for name in WRITERS}
