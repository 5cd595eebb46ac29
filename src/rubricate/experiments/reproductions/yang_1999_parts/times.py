"""Section 5.5: CPU seconds then and now."""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import clone

from rubricate.corpora import load
from rubricate.experiments.reproductions.yang_1999_parts.scored import ScoredSystem
from rubricate.experiments.reproductions.yang_1999_parts.study import OurFigures, VersionStudy
from rubricate.folds import score_matrix
from rubricate.text.vectors import Vectors
from rubricate.training.procedure import Step

__all__ = ["times"]

COLUMNS = ("training, s", "all test documents, s", "a test document, s")


def times(study: VersionStudy) -> OurFigures:
    """Measure training, scoring all test documents of v3 and one on average; and kNN on as many as OHSUMED has."""
    figures: OurFigures = {}
    for system in ("WORD", "LLSF", "kNN"):
        training, response, documents = _spent(study.scored(system, "v3"))
        spent = training, response, response / documents
        figures |= {(system, column): seconds for column, seconds in zip(COLUMNS, spent, strict=True)}
    indexing, response = _large(study)
    row = study.options["large"]["row"]
    return {**figures, (row, "training, s"): indexing, (row, "a test document, s"): response}


def _spent(scored: ScoredSystem) -> tuple[float, float, int]:
    """Measure CPU seconds of training and of scoring all test documents; return them with the number of documents."""
    parts, classifier = scored.shaped(Step(0, None)), clone(scored.classifiers[0])
    began = time.process_time()
    classifier.fit(parts.X, parts.labels)
    trained = time.process_time()
    score_matrix(classifier, parts.Z)
    return trained - began, time.process_time() - trained, parts.Z.shape[0]


def _large(study: VersionStudy) -> tuple[float, float]:
    """Time kNN on the embedded corpus: indexing, reading included, and the mean for a test document.

    OHSUMED is not at hand; these stories have 37 distinct terms on average.
    """
    options = study.options["large"]
    study.say(f"kNN, {options['training']:,} documents")
    corpus = load("newswire", documents=options["training"] + options["training"] // 2 + 2)
    began = time.process_time()
    vectors = Vectors(weights="ltc")
    kept = corpus.train.take(np.arange(options["training"]))
    model = study.reproduction.systems["kNN"].classifier().fit(vectors.fit_transform(kept), kept.labels)
    indexed = time.process_time()
    new = vectors.transform(corpus.test.take(np.arange(options["test"])))
    before = time.process_time()
    model.decision_function(new)
    return indexed - began, (time.process_time() - before) / options["test"]
