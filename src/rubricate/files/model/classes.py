"""The classes that a model file may hold, and their names: plug-ins of the registry, and the fixed tables here.

A file never names a module. A class that is in no table cannot be opened, whatever the file says.
"""

from __future__ import annotations

import importlib
from typing import Any

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName

__all__ = ["FUNCTIONS", "PLAIN", "class_of", "name_of", "private_state"]

PLUGINS = ("classifiers", "thresholds")
"""Kinds of plug-ins that are estimators."""
FUNCTIONS = ("measures", "engines")
"""Kinds of plug-ins that are functions and may be parameters."""

OURS = {
    "Aligned": "rubricate.training.aligned",
    "Analyzer": "rubricate.text",
    "BM25": "rubricate.text.length_weights",
    "Blocks": "rubricate.text.blocks",
    "Categorizer": "rubricate.categorizer",
    "Confidence": "rubricate.training.confidence",
    "Embeddings": "rubricate.text.embeddings",
    "PivotedLength": "rubricate.text.length_weights",
    "Representation": "rubricate.text.representation",
    "Select": "rubricate.text",
    "Shape": "rubricate.text.representation",
    "Thresholded": "rubricate.training.thresholded",
    "Vectors": "rubricate.text.vectors",
    "Weights": "rubricate.text",
}

SKLEARN = {
    "BernoulliNB": "sklearn.naive_bayes",
    "ComplementNB": "sklearn.naive_bayes",
    "CountVectorizer": "sklearn.feature_extraction.text",
    "FeatureUnion": "sklearn.pipeline",
    "HashingVectorizer": "sklearn.feature_extraction.text",
    "LabelBinarizer": "sklearn.preprocessing",
    "LinearSVC": "sklearn.svm",
    "LogisticRegression": "sklearn.linear_model",
    "MaxAbsScaler": "sklearn.preprocessing",
    "MultinomialNB": "sklearn.naive_bayes",
    "Normalizer": "sklearn.preprocessing",
    "OneVsRestClassifier": "sklearn.multiclass",
    "Pipeline": "sklearn.pipeline",
    "RidgeClassifier": "sklearn.linear_model",
    "SGDClassifier": "sklearn.linear_model",
    "StandardScaler": "sklearn.preprocessing",
    "TfidfTransformer": "sklearn.feature_extraction.text",
    "TfidfVectorizer": "sklearn.feature_extraction.text",
    "TruncatedSVD": "sklearn.decomposition",
}
"""Classes of scikit-learn whose state is arrays, numbers and words."""

PRIVATE = {"TfidfVectorizer": ("_tfidf",), "RidgeClassifier": ("_label_binarizer",)}
"""Attributes that some of them need although their names are private."""

_CUTS = ("rubricate.thresholds.cutting.decisions", "CategoryThresholds", ())
PLAIN: dict[tuple[str, str], tuple[str, str, tuple[str, ...] | None]] = {
    ("classifiers", "svm"): ("rubricate.classifiers.base.linear", "LinearScores", ("kernel",)),
    ("rubricate", "Aligned"): ("rubricate.training.label_columns", "LabelColumns", ("form",)),
    ("rubricate", "Analyzer"): ("rubricate.text.analysis", "Analysis", None),
    ("rubricate", "Blocks"): ("rubricate.text.term_vectors", "TermBlocks", ("shares",)),
    ("rubricate", "Confidence"): ("rubricate.training.offsets", "ConfidenceCurve", ()),
    ("rubricate", "Representation"): ("rubricate.text.term_vectors", "TermRepresentation", ()),
    ("rubricate", "Vectors"): ("rubricate.text.term_vectors", "TermVectors", ("analyzer", "weights")),
    ("thresholds", "fixed"): _CUTS,
    ("thresholds", "micro_macro"): _CUTS,
    ("thresholds", "rcut"): ("rubricate.thresholds.cutting.decisions", "BestCategories", ("t",)),
    ("thresholds", "scut"): _CUTS,
}
"""The fitted part of an estimator that predicts without scikit-learn: module, class, and the parameters it needs (None:
all). The estimator predicts by the same code, most of them as subclasses."""

TABLES = {"rubricate": OURS, "sklearn": SKLEARN}


def name_of(estimator: Any) -> tuple[str, str]:
    """Return the kind and name under which the class of an estimator is saved, or say why it cannot be saved."""
    kind = type(estimator)
    for group in PLUGINS:
        name = registry.find(group, kind)
        if name is not None and registry.load(group, name) is kind:
            return group, name
    for group, table in TABLES.items():
        if kind.__name__ in table and class_of(group, kind.__name__) is kind:
            return group, kind.__name__
    raise InvalidInput(
        f"a {kind.__name__} cannot be saved: a model file holds data and no code, so it may hold only Rubricate's own "
        f"estimators and these of scikit-learn: {', '.join(SKLEARN)}"
    )


def class_of(group: str, name: str) -> Any:
    """Return the class of this kind and name."""
    if group in PLUGINS:
        return registry.load(group, name)
    table = TABLES.get(group)
    if table is None:
        raise UnknownName("kind of estimator", str(group), [*PLUGINS, *TABLES])
    if name not in table:
        raise UnknownName(f"{group} estimator", str(name), table)
    return getattr(importlib.import_module(table[name]), name)


def private_state(group: str, name: str) -> tuple[str, ...]:
    """Return the private attributes that belong to the state of a class."""
    return PRIVATE.get(name, ()) if group == "sklearn" else ()
