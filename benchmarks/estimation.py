"""Estimates of SVMs beside what they replace, in one run.

python -m benchmarks.estimation --json     ids xi-alpha, xi-alpha-share, leave-one-out(-peer)

xi-alpha            training and ξα of all 90 categories beside 10-fold cross-validation of the same SVMs
xi-alpha-share      ξα alone beside the training (the ratio is training over ξα: at least 50 is at most 2 %)
leave-one-out       exact leave-one-out of all 90 beside retraining without each document (timed on a sample, scaled)
leave-one-out-peer  the same with a penalised bias, beside retraining scikit-learn's LinearSVC
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._timing import Row, measure, publish, side_by_side
from rubricate.classifiers.svm_leave_one_out import SolvedSVMs, leave_one_out_scores
from rubricate.engines import one_blas_thread
from rubricate.estimation.resampling import cross_validation
from rubricate.estimation.xi_alpha import xi_alpha

SAMPLE = 12
"""Documents that brute force is timed on."""


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


def rows() -> list[Row]:
    brute = [
        leave_one_out_row("leave-one-out", "free", "retraining by our own solver", ours_without),
        leave_one_out_row("leave-one-out-peer", "penalised", "retraining scikit-learn's LinearSVC", peers_without),
    ]
    return [*xi_alpha_rows(), *brute]


def main() -> None:
    with one_blas_thread():
        publish(rows(), __doc__ or "")


if __name__ == "__main__":
    main()
