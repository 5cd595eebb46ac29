"""Rows of `benchmarks.svm` beyond many categories: few categories, dense vectors, a path of C in folds."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.utils.extmath import randomized_svd

import rubricate as rb
from benchmarks._timing import CPU, Row, measure
from rubricate.text import Analyzer, Vectors

GAP = 1e-3
TOLERANCES = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4)
OURS = (5e-3, 2e-3, 1e-3)
CORPORA = {
    "WebKB": {"name": "webkb", "split": "seven"},
    "OHSUMED": {"name": "ohsumed"},
    "20 Newsgroups": {"name": "newsgroups20"},
}
PAIRS = {"tokens": "words", "stop": None, "stem": None, "min_length": 1, "ngrams": (1, 2)}
ANALYSES: dict[str, dict[str, Any]] = {"terms": {}, "1–2-grams": PAIRS}
COLUMNS = 384
COSTS = [0.5, 1.0, 2.0, 4.0]
THREADS = 1 if CPU else 2
"""CPU seconds of our threads are counted whatever their number, those of the peer's processes are not."""


def few() -> Iterator[Row]:
    """Yield a row for each corpus of few categories, with terms and with word pairs."""
    for title, options in CORPORA.items():
        train = rb.load(**options).train
        for name, settings in ANALYSES.items():
            X = Vectors(Analyzer(**settings), weights="ltc").fit_transform(train.texts)
            work = f"{train.labels.shape[1]} SVMs on {X.shape[0]:,} documents of {title}, {name}"
            yield at_equal_gap("svm-few", X, train.labels, work)


def dense() -> Row:
    """Return the row of dense vectors: the 384 leading components of the words of banking77, of length 1."""
    X, labels = banking()
    U, s, _ = randomized_svd(sparse.csr_matrix(X), COLUMNS, n_iter=2, random_state=0)
    vectors = U * s
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    work = f"{labels.shape[1]} SVMs on {len(vectors):,} vectors of {COLUMNS} columns (banking77)"
    return at_equal_gap("svm-dense", vectors, labels, work)


def path() -> Row:
    """Return the row of four C in five folds and the fit of the best, with everything each side does about it."""
    X, labels = banking()
    y, plain = labels.indices, sparse.csr_matrix(X)

    def ours() -> Any:
        return rb.Categorizer(weights="precomputed", folds=5).fit(X, y)

    def peer() -> Any:
        return GridSearchCV(LinearSVC(loss="hinge"), {"C": COSTS}, cv=5, n_jobs=THREADS).fit(plain, y)

    mine, (peer_seconds, theirs) = ours(), measure(peer)
    seconds = statistics.median(measure(ours)[0] for _ in range(3))
    figures = (mine.cross_validation_["micro_f1"], theirs.best_score_)
    work = (
        f"four C in five folds and the best of them, 77 classes of {X.shape[0]:,} questions "
        f"(accuracy {figures[0]:.4f} and {figures[1]:.4f})"
    )
    same = bool(figures[0] >= figures[1] - 0.005)
    name = f"scikit-learn GridSearchCV(LinearSVC hinge), n_jobs={THREADS}"
    return Row("svm-path", work, name, seconds, peer_seconds, peer_seconds / seconds, same, THREADS)


def banking() -> tuple[Any, Any]:
    train = rb.load(Path(os.environ["RUBRICATE_DATA"]) / "banking77" / "train.csv").train
    return Vectors(Analyzer(**PAIRS), weights="ltc").fit_transform(train.texts), train.labels


def at_equal_gap(id: str, X: Any, Y: Any, work: str) -> Row:
    """Return the row of two solvers on one thread, each at its loosest tolerance with a total gap of 1e-3."""
    exact = rb.SVM(bias="penalised", tol=1e-4, threads=1).fit(X, Y)
    signs = 2.0 * Y.toarray() - 1
    plain = sparse.csr_matrix(X) if sparse.issparse(X) else X
    targets = [(signs[:, c] > 0).astype(int) for c in range(Y.shape[1])]

    def gap(W: Any, b: Any) -> float:
        primal = 0.5 * (W**2).sum(axis=1) + 0.5 * b**2 + np.maximum(0, 1 - signs * (X @ W.T + b)).sum(axis=0)
        return float((primal - exact.dual_).sum() / primal.sum())

    def ours(tol: float) -> tuple[Any, Any]:
        svm = rb.SVM(bias="penalised", tol=tol, threads=1).fit(X, Y)
        return svm.coef_, svm.intercept_

    def peer(tol: float) -> tuple[Any, Any]:
        fits = [LinearSVC(loss="hinge", tol=tol, max_iter=20_000, random_state=0).fit(plain, y) for y in targets]
        return np.vstack([fit.coef_ for fit in fits]), np.concatenate([fit.intercept_ for fit in fits])

    our_tol, our_gap, solved = _loosest(ours, OURS, gap)
    peer_tol, peer_gap, other = _loosest(peer, TOLERANCES, gap)
    first, second = (np.asarray(X @ W.T + b) for W, b in (solved, other))
    pairs = [(measure(lambda: ours(our_tol))[0], measure(lambda: peer(peer_tol))[0]) for _ in range(3)]
    seconds, peer_seconds = (statistics.median(times) for times in zip(*pairs, strict=True))
    near = (np.abs(first) > 0.1) | (np.abs(second) > 0.1)
    same = max(our_gap, peer_gap) <= GAP and bool(((first > 0) == (second > 0))[near].mean() > 0.999)
    told = f"{work}, total gap 1e-3 (tol {our_tol:g} and {peer_tol:g})"
    name = "scikit-learn LinearSVC(hinge), one after the other"
    return Row(id, told, name, seconds, peer_seconds, peer_seconds / seconds, same, 1)


def _loosest(
    solve: Callable[[float], tuple[Any, Any]], tolerances: tuple[float, ...], gap: Callable[[Any, Any], float]
) -> tuple[float, float, tuple[Any, Any]]:
    """Return the largest tolerance that reaches the gap, the gap that it reaches, and its weights."""
    for tol in tolerances:
        W, b = solve(tol)
        reached = gap(W, b)
        if reached <= GAP:
            break
    return tol, reached, (W, b)
