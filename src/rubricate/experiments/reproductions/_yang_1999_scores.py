"""Scores of a system on one version of the corpus, for the test documents and, out of folds, for the training ones."""

from __future__ import annotations

import time
import warnings
from functools import cached_property
from importlib import resources
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.categorizer.rule_runs import run_rules
from rubricate.experiments.systems import Setting, System
from rubricate.folds import out_of_fold, score_matrix, stratified_folds
from rubricate.rules.parser import parse_rules
from rubricate.text.vectors import Vectors
from rubricate.types import Corpus, Documents, Floats, Sparse

__all__ = ["Ruled", "Scored", "varied", "with_unlabelled"]

FOLDS = 5
UNLABELLED = "unlabelled"


class Scored:
    """A system trained on the training documents; what is not asked for is not computed.

    Vectors and selection come from all training documents, a preprocessing as in the paper.
    """

    def __init__(self, system: System, corpus: Corpus, *, seed: int = 0) -> None:
        self.name, self.seed = system.name, seed
        self.labels, self.truth = corpus.train.labels, corpus.test.labels
        vectors = system.vectors()
        self._X = vectors.fit_transform(corpus.train, self.labels)
        self._Z = vectors.transform(corpus.test)
        self._classifier = _placed(system.classifier(), vectors, corpus.categories)
        began = time.process_time()
        self._fitted = _quietly(self._classifier.fit, self._X, self.labels)
        self.training_seconds = time.process_time() - began

    @cached_property
    def scores(self) -> Floats:
        """Of the test documents, documents × categories; `response_seconds` is set."""
        began = time.process_time()
        found = score_matrix(self._fitted, self._Z)
        self.response_seconds = time.process_time() - began
        return found

    @cached_property
    def held_out(self) -> Floats:
        """Of the training documents, each by a classifier that has not seen it: what Scut learns from."""
        folds = stratified_folds(self.labels, FOLDS, seed=self.seed)
        return _quietly(out_of_fold, self._classifier, self._X, self.labels, folds=folds)

    @cached_property
    def decided(self) -> Sparse:
        """The classifier's own decisions on the test documents, without a threshold."""
        return sparse.csr_array(self._fitted.predict(self._Z), dtype=bool)


class Ruled(Scored):
    """A rule base that comes with Rubricate: decisions over the categories that it has rules for, and no scores."""

    def __init__(self, base: str, corpus: Corpus) -> None:
        text = (resources.files("rubricate.rules") / "bases" / base).read_text("utf-8")
        rules = parse_rules(text, path=base)
        run = run_rules(rules, corpus)
        own = [run.categories.index(name) for name in rules.categories]
        self.name = base
        self.truth, self.decided = corpus.test.labels[:, own], run.decisions.values[:, own]  # type: ignore[union-attr]


def _placed(classifier: Any, vectors: Vectors, categories: tuple[str, ...]) -> Any:
    """A classifier that matches names is told those of terms and categories, and how texts are read."""
    known = {"terms": vectors.vocabulary_, "categories": categories, "analyzer": vectors.analyzer}
    if known.keys() <= classifier.get_params(deep=False).keys():
        classifier.set_params(**known)
    return classifier


def _quietly(function: Any, *arguments: Any, **options: Any) -> Any:
    """Category names with no word in the vocabulary are counted in the table of the text; no warnings besides."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no word of", category=UserWarning)
        return function(*arguments, **options)


def varied(system: System, **changes: Any) -> System:
    """The system with some settings changed."""
    changed = {name: Setting(value, "paper") for name, value in changes.items()}
    return System(system.name, {**system.settings, **changed})


def with_unlabelled(corpus: Corpus) -> Corpus:
    """The corpus with one category more, for the documents that have none."""
    categories = (*corpus.categories, UNLABELLED)

    def more(documents: Documents) -> Documents:
        empty = np.diff(documents.labels.indptr)[:, None] == 0
        labels = sparse.csr_array(sparse.hstack([documents.labels, sparse.csr_array(empty)]), dtype=bool)
        return Documents(documents.ids, documents.bodies, labels, categories, documents.titles, documents.fields)

    return Corpus(corpus.name, corpus.split, more(corpus.train), more(corpus.test), licence=corpus.licence)
