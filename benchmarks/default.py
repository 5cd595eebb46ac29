"""fit-default: `Categorizer.fit` with all defaults beside `GridSearchCV` over the same candidates.

python -m benchmarks.default [--json] [--documents N]

The candidates are four representations (terms without and with a stop list, words in 1- and 2-grams, these with
character n-grams) and four C (five for the last), in five folds on all documents for the peer; ours looks at
representations on a sample first, which is part of what is compared. Two threads and two processes; with --cpu, the CPU
seconds of each. The same result: our cross-validated accuracy is not below the peer's by more than .005.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._timing import CPU, Row, measure, publish

COSTS = [0.5, 1.0, 2.0, 4.0]
THREADS = 1 if CPU else 2
"""CPU seconds of our threads are counted whatever their number, those of the peer's processes are not."""


def vectorizers() -> list[Any]:
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2)
    stopped = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    return [stopped, TfidfVectorizer(sublinear_tf=True), words, make_union(words, characters)]


def row(documents: int) -> Row:
    train = rb.load(Path(os.environ["RUBRICATE_DATA"]) / "banking77" / "train.csv").train
    chosen = np.random.default_rng(0).permutation(len(train))[:documents]
    texts, labels = [train.bodies[d] for d in chosen], [train.categories[c] for c in train.labels.indices[chosen]]
    flow = make_pipeline(vectorizers()[0], LinearSVC(loss="hinge"))
    first, (*narrow, wide) = flow.steps[0][0], vectorizers()
    grid = [
        {first: narrow, "linearsvc__C": COSTS},
        {first: [wide], "linearsvc__C": [0.25, *COSTS]},
    ]
    rb.Categorizer().fit(texts[:200], labels[:200])  # compiled before
    seconds, ours = measure(lambda: rb.Categorizer().fit(texts, labels))
    peer_seconds, peer = measure(lambda: GridSearchCV(flow, grid, cv=5, n_jobs=THREADS).fit(texts, labels))
    figures = ours.cross_validation_["micro_f1"], peer.best_score_
    work = f"{len(texts):,} questions of banking77: representation, C, cut and confidence ({figures[0]:.4f})"
    name = f"scikit-learn GridSearchCV(vectorizer, LinearSVC), n_jobs={THREADS} ({figures[1]:.4f})"
    same = bool(figures[0] >= figures[1] - 0.005)
    return Row("fit-default", work, name, seconds, peer_seconds, peer_seconds / seconds, same, THREADS)


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--documents", type=int, default=2659)
    chosen, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    publish([row(chosen.documents)], __doc__ or "")


if __name__ == "__main__":
    main()
