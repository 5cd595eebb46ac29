"""NNet to a validation loss, beside scikit-learn's MLPClassifier of the same architecture.

python -m benchmarks.nnet --json          ids nnet (64 units), nnet-16, nnet-160: 1,000 terms, one and two threads
python -m benchmarks.nnet --only 64       the first alone

Both learn from nine tenths of the training documents and are judged on the same other tenth by the mean over documents
of the summed cross-entropies of the categories. The goal is the lowest loss that the peer reaches in 25 passes, with
the better of two settings (its default step of 0.001 on batches of 200 comes nowhere near, so it is not among them).
The peer's time ends with the pass that reaches the goal and has its passes only; ours is a whole `fit` of as many
passes as it needs to be at or below the goal, its judging included.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

import rubricate as rb
from benchmarks._timing import Row, measure, publish
from rubricate.classifiers.classic.nnet import FOLDS
from rubricate.folds import assign_folds

PASSES = 25
UNITS = (16, 64, 160)
SETTINGS = ((0.005, 64), (0.01, 64))
"""Step and batch of the peer."""


@cache
def reuters() -> tuple[Any, Any, Any]:
    train = rb.load("reuters21578", split="aptemod").train
    return (
        rb.text.Vectors(select="chi2:1000").fit_transform(train),
        train.labels,
        assign_folds(train.labels, FOLDS, seed=0) == 0,
    )


def held_out_loss(probabilities: Any, truth: Any) -> float:
    p = np.clip(probabilities.astype(float), 1e-12, 1 - 1e-12)
    return float(-np.where(truth, np.log(p), np.log1p(-p)).sum(axis=1).mean())


def peer_passes(hidden: int, rate: float, batch: int) -> tuple[list[float], list[float]]:
    """Return the seconds of each pass and the loss after it."""
    X, Y, held = reuters()
    X = X.astype(np.float32)
    seen, labels, truth = X[~held], Y[~held].toarray().astype(int), Y[held].toarray()
    net = MLPClassifier(
        (hidden,), activation="logistic", learning_rate_init=rate, batch_size=batch, alpha=0.0, random_state=0
    )
    seconds, losses = [], []
    for _ in range(PASSES):
        seconds.append(measure(lambda: net.partial_fit(seen, labels, classes=np.arange(labels.shape[1])))[0])
        losses.append(held_out_loss(net.predict_proba(X[held]), truth))
    return seconds, losses


def row(hidden: int, threads: int, repeats: int = 3) -> Row:
    X, Y, held = reuters()
    best = min(SETTINGS, key=lambda setting: min(peer_passes(hidden, *setting)[1]))
    goal = min(peer_passes(hidden, *best)[1])
    losses = rb.NNet(hidden, refit=False, epochs=PASSES).fit(X, Y).losses_
    reached = losses <= goal
    passes = int(np.argmax(reached)) + 1 if reached.any() else len(losses)
    ours, theirs = [], []
    for _ in range(repeats):
        seconds, model = measure(lambda: rb.NNet(hidden, refit=False, epochs=passes).fit(X, Y))
        ours.append(seconds)
        taken, again = peer_passes(hidden, *best)
        theirs.append(sum(taken[: int(np.argmin(again)) + 1]))
    loss = held_out_loss(1 / (1 + np.exp(-model.decision_function(X[held]))), Y[held].toarray())
    ours_s, peer_s = statistics.median(ours), statistics.median(theirs)
    work = f"{hidden} hidden units to a held-out loss of {goal:.4f} (ours {loss:.4f}), 1000 terms, 90 categories"
    name = f"scikit-learn MLPClassifier(logistic, step {best[0]}, batch {best[1]}, float32)"
    id = "nnet" if hidden == 64 else f"nnet-{hidden}"
    return Row(id, work, name, ours_s, peer_s, peer_s / ours_s, loss <= goal * 1.0001, threads)


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", nargs="+", type=int, choices=UNITS, default=UNITS)
    chosen, sys.argv[1:] = parser.parse_known_args()
    warnings.simplefilter("ignore")
    rows = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            rows += [row(hidden, threads, repeats=1 if hidden != 64 else 3) for hidden in chosen.only]
    publish(rows, __doc__ or "")


if __name__ == "__main__":
    main()
