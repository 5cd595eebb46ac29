"""Populations for simulations with few labels: truth, decisions and scores of a system, kept in build/populations.

reuters      rb.SVM(C=1) on ltc vectors, cut micro_macro, ApteMod: 3,019 test documents, 90 categories
goemotions   rb.SVM(C=0.3) on ltc vectors, cut micro_macro: 5,427 test comments, 28 emotions
litcovid     the probabilities that come with BioCreative VII's LitCovid task, cut at .5: 2,551 articles, 7 topics

For Reuters and GoEmotions also the out-of-fold scores of the training documents (five folds).
"""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import rubricate as rb
from rubricate.folds import assign_folds, fold_scores
from rubricate.types import Decisions, Run, Scores

KEPT = Path(__file__).parents[1] / "build" / "populations"
CLASSIFIERS = {"reuters": rb.SVM(C=1.0), "goemotions": rb.SVM(C=0.3)}


class Population(NamedTuple):
    """Truth, decisions and scores, documents × categories; the training documents' labels and out-of-fold scores."""

    truth: Any
    decided: Any
    scores: Any
    categories: tuple[str, ...]
    train_truth: Any
    train_scores: Any

    def run(self) -> Run:
        ids = tuple(f"d{row}" for row in range(len(self.truth)))
        decided = Decisions(sparse.csr_array(self.decided), self.categories, ids)
        scores = Scores(np.asarray(self.scores, float), self.categories, ids)
        return Run("system", ids, self.categories, scores, decided)


def data() -> Path:
    return Path(os.environ["RUBRICATE_DATA"])


def corpus(name: str) -> Any:
    """Return training and test texts and labels: (texts, labels) twice, and the categories."""
    if name == "reuters":
        found = rb.load("reuters21578", split="aptemod")
        parts = (found.train, found.test)
    else:
        parts = tuple(rb.load(str(data() / name / f"{part}.csv"), text="text").train for part in ("train", "test"))
    categories = parts[0].categories
    columns = [list(parts[1].categories).index(c) if c in parts[1].categories else -1 for c in categories]
    test = parts[1].labels.toarray()
    aligned = np.column_stack([test[:, c] if c >= 0 else np.zeros(len(test), bool) for c in columns])
    return (parts[0].texts, parts[0].labels), (parts[1].texts, sparse.csr_array(aligned)), categories


def _litcovid() -> Population:
    tables = {}
    for name in ("gold", "run"):
        with (data() / "predictions" / "litcovid" / f"{name}.csv").open(encoding="utf-8") as stream:
            tables[name] = list(csv.reader(stream))
    truth = np.array([row[1:] for row in tables["gold"][1:]], float) > 0
    scores = np.array([row[1:] for row in tables["run"][1:]], float)
    none = np.zeros((0, truth.shape[1]))
    return Population(truth, scores >= 0.5, scores, tuple(tables["gold"][0][1:]), none > 0, none)


@cache
def population(name: str) -> Population:
    if name == "litcovid":
        return _litcovid()
    place = KEPT / f"{name}.npz"
    if not place.exists():
        _train(name, place)
    with np.load(place) as kept:
        return Population(
            kept["truth"], kept["decided"], kept["scores"], tuple(map(str, kept["categories"])),
            kept["train_truth"], kept["train_scores"],
        )  # fmt: skip


def _train(name: str, place: Path) -> None:
    (texts, labels), (test, truth), categories = corpus(name)
    vectors = rb.text.Vectors(weights="ltc")
    X = vectors.fit_transform(texts)
    classifier = CLASSIFIERS[name]
    folds = assign_folds(labels, 5)
    held = fold_scores(classifier, X, labels, folds=folds, engine="serial")
    cut = rb.thresholds.resolve("micro_macro").fit(Scores(held, categories, range(len(held))), labels)
    scores = classifier.fit(X, labels).decision_function(vectors.transform(test))
    decided = cut.decide(Scores(scores, categories, range(len(scores))))
    place.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        place, truth=truth.toarray(), decided=decided.toarray(), scores=scores.astype(np.float32),
        categories=np.array(categories), train_truth=labels.toarray(), train_scores=held.astype(np.float32),
    )  # fmt: skip


if __name__ == "__main__":
    for each in ("litcovid", "reuters", "goemotions"):
        found = population(each)
        both, total = (found.truth & found.decided).sum(), found.truth.sum() + found.decided.sum()
        print(each, found.truth.shape, f"micro-F1 {2 * both / total:.4f}")
