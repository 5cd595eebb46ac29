"""Estimates of SVMs beside what they replace, in one run.

python -m benchmarks.estimation --json     ids xi-alpha, xi-alpha-share, leave-one-out(-peer, -r10, -single-…)

xi-alpha            training and ξα of all 90 categories beside 10-fold cross-validation of the same SVMs
xi-alpha-share      ξα alone beside the training (the ratio is training over ξα: at least 50 is at most 2 %)
leave-one-out       exact leave-one-out of all 90 beside retraining without each document (timed on a sample, scaled)
leave-one-out-peer  the same with a penalised bias, beside retraining scikit-learn's LinearSVC
leave-one-out-r10   the ten largest categories at 6,451 documents, C = .5, beside 10-fold cross-validation of the same
leave-one-out-single-words, -terms, -webkb, -newsgroups20, -ohsumed
                    one label per document, 2,659 documents each: banking77 by words and by the terms of the default,
                    WebKB with seven classes, 20 Newsgroups, OHSUMED; beside 10-fold cross-validation of the same,
                    with one thread on both sides and with two

python -m benchmarks.estimation --only single    the last ones alone, with --full on all training documents
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._timing import Row, measure, publish, side_by_side
from rubricate.classifiers.svm.solvers.leave_one_out import SolvedSVMs, leave_one_out_scores
from rubricate.engines import one_blas_thread
from rubricate.estimation.cross_validation import cross_validation
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.xi_alpha import xi_alpha

SAMPLE = 12
"""Documents that brute force is timed on."""
SINGLE = 2659
"""Documents of each single-label corpus."""


@cache
def reuters() -> tuple[Any, Any]:
    train = rb.load("reuters21578", split="aptemod").train
    return rb.text.Vectors(weights="ltc").fit_transform(train.texts), train.labels


def xi_alpha_rows() -> list[Row]:
    X, Y = reuters()
    whole = side_by_side(
        lambda: xi_alpha(rb.SVM(), X, Y),
        lambda: cross_validation(rb.SVM(), X, Y, folds=10, engine="serial"),
        id="xi-alpha",
        work="training and ξα of 90 SVMs on 7,770 Reuters documents",
        peer_name="10-fold cross-validation of the same SVMs",
        same=lambda ours, peer: abs(ours.micro["error"] - peer.micro["error"]) < 0.005,
        repeats=3,
    )
    svm = rb.SVM().fit(X, Y)
    alone = side_by_side(
        lambda: xi_alpha(svm, X, Y),
        lambda: rb.SVM().fit(X, Y),
        id="xi-alpha-share",
        work="ξα of 90 trained SVMs",
        peer_name="their training",
        same=lambda ours, peer: bool((ours.facts["d"] == xi_alpha(peer, X, Y).facts["d"]).all()),
        repeats=5,
    )
    return [whole, alone]


def leave_one_out_row(id: str, bias: Any, peer_name: str, without: Callable[[Any, Any, int], Any]) -> Row:
    """Brute force trains the 90 SVMs once for each document; a sample of documents says how long all would take.

    The categories are done one after the other with the sample's trainings between them, so that both meet the same
    load of the machine.
    """
    X, Y = reuters()
    svms = SolvedSVMs.of(rb.SVM(bias=bias).fit(X, Y), X, Y)
    leave_one_out_scores(svms, 0)
    sample = np.random.default_rng(0).choice(X.shape[0], SAMPLE, replace=False)
    seconds, peer, columns, said = 0.0, 0.0, [], []
    for c in range(Y.shape[1]):
        time, category = measure(lambda c=c: leave_one_out_scores(svms, c))
        seconds, columns = seconds + time, [*columns, category]
        if c % (Y.shape[1] // SAMPLE) == 0 and len(said) < SAMPLE:
            i = sample[len(said)]
            time, score = measure(lambda i=i: without(X, Y, i))
            peer, said = peer + time, [*said, score]
    scores = np.column_stack([category.score for category in columns])[sample[: len(said)]]
    sure = np.abs(said) > 0.02
    same = bool(((scores > 0) == (np.array(said) > 0))[sure].all())
    work = f"90 SVMs, 7,770 documents, {sum(int(category.solved.sum()) for category in columns)} re-solved"
    name = f"{peer_name} without each document, timed on {len(said)} and scaled"
    peer *= X.shape[0] / len(said)
    return Row(id, work, name, seconds, peer, peer / seconds, same, 1)


def ours_without(X: Any, Y: Any, i: int) -> Any:
    """The scores of a document by SVMs trained on all others."""
    kept = np.delete(np.arange(X.shape[0]), i)
    return rb.SVM().fit(X[kept], Y[kept]).decision_function(X[[i]])[0]


def peers_without(X: Any, Y: Any, i: int) -> Any:
    """The same by scikit-learn's LinearSVC, whose bias is penalised."""
    kept, plain = np.delete(np.arange(X.shape[0]), i), sparse.csr_matrix(X)
    base = LinearSVC(loss="hinge", tol=1e-3, max_iter=100_000)
    return OneVsRestClassifier(base).fit(plain[kept], Y[kept].toarray().astype(int)).decision_function(plain[[i]])[0]


def r10_row() -> Row:
    corpus = rb.load("reuters21578", split="r10")
    texts = [*corpus.train.texts, *corpus.test.texts]
    order = np.random.default_rng(0).permutation(len(texts))[:6451]
    labels = np.vstack([corpus.train.labels.toarray(), corpus.test.labels.toarray()])[order]
    Y = rb.Documents([str(i) for i in order], [texts[i] for i in order], _sparse(labels), corpus.categories)
    X = rb.text.Vectors(
        rb.text.Analyzer(stop=None, stem=None, tokens="alphanumeric", min_length=1), weights="ntc", min_df=3
    )
    vectors, svm = X.fit_transform(Y.texts), rb.SVM(C=0.5)
    return side_by_side(
        lambda: leave_one_out(svm, vectors, Y.labels, engine="serial"),
        lambda: cross_validation(svm, vectors, Y.labels, folds=10, engine="serial"),
        id="leave-one-out-r10",
        work="training and exact leave-one-out, ten largest Reuters categories, 6,451 documents, C = .5",
        peer_name="10-fold cross-validation of the same SVMs",
        same=lambda ours, peer: abs(ours.micro["error"] - peer.micro["error"]) < 0.002,
        repeats=7,
    )


def single_label_corpora() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, training documents and how they become vectors."""
    words = rb.text.Analyzer(stop=None, stem=None, tokens="alphanumeric", min_length=1)
    questions = rb.load(Path(os.environ["RUBRICATE_DATA"]) / "banking77" / "train.csv").train
    yield "words", questions, rb.text.Vectors(words)
    yield "terms", questions, rb.text.Vectors()
    yield "webkb", rb.load("webkb", split="seven").train, rb.text.Vectors()
    yield "newsgroups20", rb.load("newsgroups20").train, rb.text.Vectors()
    yield "ohsumed", rb.load("ohsumed", split="single23").train, rb.text.Vectors()


def single_label_rows(*, full: bool = False) -> list[Row]:
    rows: list[Row] = []
    for name, train, analysis in single_label_corpora():
        count = len(train.texts) if full else SINGLE
        chosen = np.sort(np.random.default_rng(0).choice(len(train.texts), count, replace=False))
        X, Y = analysis.fit_transform([train.texts[i] for i in chosen]), _sparse(train.labels)[chosen]
        rows += [single_label_row(name, X, Y, threads) for threads in (1, 2)]
    return rows


def single_label_row(name: str, X: Any, Y: Any, threads: int) -> Row:
    """Both sides with as many threads: one for solvers and tasks, or what they take by default."""
    svm, engine = rb.SVM(threads=1 if threads == 1 else None), "serial" if threads == 1 else "threads"
    return side_by_side(
        lambda: leave_one_out(svm, X, Y, single=True, engine=engine),
        lambda: cross_validation(svm, X, Y, folds=10, single=True, engine=engine),
        id=f"leave-one-out-single-{name}",
        work=f"training and exact leave-one-out, {X.shape[0]:,} documents with one of {Y.shape[1]} labels",
        peer_name="10-fold cross-validation of the same SVMs",
        # Ten folds train on a tenth less: up to .01 more errors on these corpora.
        same=lambda ours, peer: -0.005 < ours.accuracy - peer.accuracy < 0.015,
        threads=threads,
        repeats=7,
    )


def _sparse(labels: Any) -> Any:
    return sparse.csr_array(labels)


def rows() -> list[Row]:
    brute = [
        leave_one_out_row("leave-one-out", "free", "retraining by our own solver", ours_without),
        leave_one_out_row("leave-one-out-peer", "penalised", "retraining scikit-learn's LinearSVC", peers_without),
    ]
    return [*xi_alpha_rows(), *brute, r10_row(), *single_label_rows()]


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", choices=["single"])
    parser.add_argument("--full", action="store_true")
    chosen, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    with one_blas_thread():
        publish(single_label_rows(full=chosen.full) if chosen.only else rows(), __doc__ or "")


if __name__ == "__main__":
    main()
