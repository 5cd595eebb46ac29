"""Documents to 95 % of the full micro-F1 by what is labelled next: ours, random, and small-text's strategies.

python -m benchmarks.label_next CORPUS [SEEDS [STRATEGY…]]     a Markdown table; reuters, newsgroups20, banking77
The same linear SVM on ltc vectors for all. It starts from 200 random documents and adds 25 % at a time, at least 100;
each strategy chooses from the same pool. Micro-F1 is that of the test documents (decisions at 0, the best category
where none); between two sizes the number of documents is interpolated. CORPUS:train takes a third of the training
documents for the test ones: strategies are chosen there.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse

import rubricate as rb
from benchmarks._populations import corpus
from rubricate.labelling.active_learning import choose

START, BATCH, GROWTH = 200, 100, 0.25


def texts_of(name: str) -> Any:
    if name == "newsgroups20":
        found = rb.load("newsgroups20")
        return (found.train.texts, found.train.labels), (found.test.texts, found.test.labels), found.categories
    return corpus(name)


def micro_f1(truth: Any, scores: Any) -> float:
    decided = scores > 0
    decided[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return float(2 * (truth & decided).sum() / (truth.sum() + decided.sum()))


def scored(X: Any, labels: Any, rows: Any, others: list[Any]) -> list[Any]:
    """Return scores of the others by SVMs of the labelled rows; categories without labelled documents score -1."""
    own = labels[np.sort(rows)]
    known = np.flatnonzero(np.asarray(own.sum(axis=0)).ravel())
    svm = rb.SVM().fit(X[np.sort(rows)], sparse.csr_array(own[:, known]))
    scores = []
    for other in others:
        values = svm.decision_function(other)
        columns = values if values.ndim > 1 else np.column_stack([-values, values])[:, : len(known)]
        scores.append(np.full((other.shape[0], labels.shape[1]), -1.0))
        scores[-1][:, known] = columns
    return scores


def breaking_ties(scores: Any, n: int) -> Any:
    """Return what small-text's BreakingTies chooses: the least gap between the two best, by its own code."""
    from small_text.query_strategies import BreakingTies

    class Fixed:
        def predict_proba(self, dataset: Any) -> Any:
            shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
            return shifted / shifted.sum(axis=1, keepdims=True)

    class Rows:
        def __init__(self, size: int) -> None:
            self.size = size

        def __len__(self) -> int:
            return self.size

        def __getitem__(self, item: Any) -> Any:
            return Rows(len(np.atleast_1d(np.arange(self.size)[item])))

    rows = np.arange(len(scores))
    return BreakingTies().query(Fixed(), Rows(len(scores)), rows, np.array([], int), np.array([], int), n=n)


STRATEGIES = {
    "ties": lambda scores, X, n, seed: choose(scores, n, strategy="ties", seed=seed)[0],
    "ties + diversity": lambda scores, X, n, seed: choose(scores, n, strategy="ties", vectors=X, seed=seed)[0],
    "margin + diversity": lambda scores, X, n, seed: choose(scores, n, strategy="margin", vectors=X, seed=seed)[0],
    "margin": lambda scores, X, n, seed: choose(scores, n, strategy="margin", seed=seed)[0],
    "uncertainty": lambda scores, X, n, seed: choose(scores, n, strategy="uncertainty", seed=seed)[0],
    "reduction": lambda scores, X, n, seed: choose(scores, n, strategy="reduction", seed=seed)[0],
    "random": lambda scores, X, n, seed: choose(scores, n, strategy="random", seed=seed)[0],
    "small-text breaking ties": lambda scores, X, n, seed: breaking_ties(scores, n),
}


def needed(data: Any, choice: Any, goal: float, seed: int) -> float:
    """Return how many documents are labelled when micro-F1 reaches the goal; all of them if it does not before."""
    X, labels, test, truth = data
    rows = np.random.default_rng(seed).permutation(X.shape[0])[:START]
    before = (0, 0.0)
    while len(rows) < X.shape[0]:
        open_ = np.setdiff1d(np.arange(X.shape[0]), rows)
        of_test, of_pool = scored(X, labels, rows, [test, X[open_]])
        reached = micro_f1(truth, of_test)
        if reached >= goal:
            share = (goal - before[1]) / (reached - before[1])
            return before[0] + share * (len(rows) - before[0])
        before, batch = (len(rows), reached), min(max(BATCH, int(GROWTH * len(rows))), len(open_))
        rows = np.concatenate([rows, open_[np.asarray(choice(of_pool, X[open_], batch, seed), np.int64)]])
    return float(X.shape[0])


def main() -> None:
    name, seeds = sys.argv[1].removesuffix(":train"), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    (texts, labels), (test, truth), _ = texts_of(name)
    if sys.argv[1].endswith(":train"):
        order = np.random.default_rng(99).permutation(len(texts))
        own, held = np.sort(order[: 2 * len(order) // 3]), np.sort(order[2 * len(order) // 3 :])
        test, truth = [texts[row] for row in held], labels[held]
        texts, labels = [texts[row] for row in own], labels[own]
    vectors = rb.text.Vectors(weights="ltc")
    X, others = vectors.fit_transform(texts), vectors.transform(test)
    full = micro_f1(truth.toarray(), rb.SVM().fit(X, labels).decision_function(others))
    print(f"{name}: full micro-F1 {full:.4f} with {X.shape[0]} documents", file=sys.stderr)
    for strategy, choice in STRATEGIES.items():
        if len(sys.argv) > 3 and strategy not in sys.argv[3:]:
            continue
        counts = [needed((X, labels, others, truth.toarray()), choice, 0.95 * full, seed) for seed in range(seeds)]
        ends = f"{min(counts):.0f}–{max(counts):.0f}"
        print(f"| {name} | {strategy} | {np.median(counts):.0f} | {ends} | {seeds} |", flush=True)


if __name__ == "__main__":
    main()
