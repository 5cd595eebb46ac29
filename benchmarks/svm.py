"""All SVMs of a corpus at once, beside scikit-learn's one after the other.

python -m benchmarks.svm --json       ids svm-90 and svm-2000 (gap in total; -worst in the worst category), svm-bias,
                                      svm-few (few categories, hard data), svm-dense, svm-path (four C in five folds)
python -m benchmarks.svm --only ID    one of them
python -m benchmarks.svm --full       svm-2000 with all 2,000 SVMs of the peer (about ten minutes) instead of a sample

Both sides reach the same relative duality gap, 1e-3, in total or in the worst category: each with the largest tolerance
of a fixed list that does. The optimum is known from a solution to 1e-5. Decisions must agree but for scores near zero.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

import rubricate as rb
from benchmarks._svm_rows import dense, few, path
from benchmarks._timing import Row, measure, publish

GAP = 1e-3
STEPS = (5, 4, 3.2, 2.5, 2, 1.6, 1.25, 1)
OURS = tuple(step * 1e-3 for step in STEPS)
PEERS = tuple(step * scale for scale in (1e-2, 1e-3, 1e-4, 1e-5) for step in STEPS)
SAMPLE = 25
"""Categories of svm-2000 that the peer is timed on, evenly by frequency."""
IDS = ["svm-90", "svm-2000", "svm-bias", "svm-few", "svm-dense", "svm-path"]


@cache
def reuters() -> tuple[Any, Any]:
    train = rb.load("reuters21578", split="aptemod").train
    return rb.text.Vectors(weights="ltc").fit_transform(train.texts), train.labels


@cache
def newswire() -> tuple[Any, Any]:
    train = rb.load("newswire", documents=45_000, categories=2_000).train
    return rb.text.Vectors(weights="ltc").fit_transform(train.texts), train.labels


def one_vs_rest(X: Any, Y: Any, tol: float, threads: int, backend: str) -> tuple[Any, Any]:
    """scikit-learn's weights and biases; a fit for each category, on threads or processes."""
    with joblib.parallel_backend(backend, n_jobs=threads):
        base = LinearSVC(loss="hinge", tol=tol, max_iter=100_000)
        fitted = OneVsRestClassifier(base, n_jobs=threads).fit(X, Y)
    return np.vstack([e.coef_ for e in fitted.estimators_]), np.concatenate([e.intercept_ for e in fitted.estimators_])


def gaps(X: Any, Y: Any, W: Any, b: Any, dual: Any) -> tuple[float, float]:
    """Relative gap of a solution with a penalised bias, in total and in the worst category."""
    signs = 2.0 * Y.toarray() - 1
    primal = 0.5 * (W**2).sum(axis=1) + 0.5 * b**2 + np.maximum(0, 1 - signs * (X @ W.T + b)).sum(axis=0)
    return float((primal - dual).sum() / primal.sum()), float(((primal - dual) / primal).max())


def loosest(tolerances: tuple[float, ...], reached: Callable[[float], float]) -> float:
    """The largest tolerance that reaches the gap."""
    return next((tol for tol in tolerances if reached(tol) <= GAP), tolerances[-1])


def agree(X: Any, a: Any, b: Any) -> bool:
    """Whether two (weights, biases) decide alike wherever either score is away from zero."""
    first, second = (X @ W.T + bias for W, bias in (a, b))
    return bool(((first > 0) == (second > 0))[(np.abs(first) > 0.1) | (np.abs(second) > 0.1)].all())


def interleaved(ours: Callable[[], Any], peer: Callable[[], Any], repeats: int, threads: int) -> tuple[float, float]:
    pairs = [(measure(ours, threads=threads)[0], measure(peer, threads=threads)[0]) for _ in range(repeats)]
    return tuple(statistics.median(times) for times in zip(*pairs, strict=True))  # type: ignore[return-value]


def penalised(id: str, X: Any, Y: Any, columns: Any, work: str, repeats: int) -> list[Row]:
    """Rows for both criteria and one and two threads; the peer is timed on these columns and scaled up to all."""
    dual = rb.SVM(bias="penalised", tol=1e-5, threads=None).fit(X, Y).dual_
    part, dense, plain = Y[:, columns], Y[:, columns].toarray().astype(int), sparse.csr_matrix(X)

    @cache
    def our_gaps(tol: float) -> tuple[float, float]:
        svm = rb.SVM(bias="penalised", tol=tol, threads=None).fit(X, Y)
        gap = svm.primal_ - dual
        return float(gap.sum() / svm.primal_.sum()), float((gap / svm.primal_).max())

    @cache
    def peer_gaps(tol: float) -> tuple[float, float]:
        return gaps(X, part, *one_vs_rest(plain, dense, tol, 2, "threading"), dual[columns])

    rows = []
    for criterion, name in enumerate(("total", "worst")):
        our_tol = loosest(OURS, lambda tol, k=criterion: our_gaps(tol)[k])
        peer_tol = loosest(PEERS, lambda tol, k=criterion: peer_gaps(tol)[k])
        for threads in (1, 2):
            svm = rb.SVM(bias="penalised", tol=our_tol, threads=threads).fit(X, Y)
            backend = fastest_backend(plain, dense, peer_tol, threads)
            W = svm.coef_[columns]
            found = (W.toarray() if sparse.issparse(W) else W), svm.intercept_[columns]
            same = agree(X, found, one_vs_rest(plain, dense, peer_tol, threads, backend))
            same &= max(our_gaps(our_tol)[criterion], peer_gaps(peer_tol)[criterion]) <= GAP
            seconds, peer_seconds = interleaved(
                lambda svm=svm: svm.fit(X, Y),
                lambda tol=peer_tol, n=threads, b=backend: one_vs_rest(plain, dense, tol, n, b),
                repeats,
                threads,
            )
            peer_seconds *= Y.shape[1] / len(columns)
            told = f"{work}, gap 1e-3 ({name}; tol {our_tol:g} and {peer_tol:g})"
            peer = f"scikit-learn OneVsRest(LinearSVC hinge), {backend}"
            ratio = peer_seconds / seconds
            rows.append(
                Row(id + ("" if criterion == 0 else "-worst"), told, peer, seconds, peer_seconds, ratio, same, threads)
            )
    return rows


def fastest_backend(X: Any, Y: Any, tol: float, threads: int) -> str:
    """What runs the peer's fits fastest: threads or processes (started before they are timed)."""
    if threads == 1:
        return "sequential"
    one_vs_rest(X, Y[:, :2], tol, threads, "loky")
    return min(
        ("threading", "loky"), key=lambda b: measure(lambda: one_vs_rest(X, Y, tol, threads, b), threads=threads)[0]
    )


def free_bias(repeats: int = 1) -> list[Row]:
    """The ten largest categories with an unpenalised bias; SVC has one thread a fit, two fits at a time on threads."""
    X, Y = reuters()
    top = np.argsort(-Y.sum(axis=0), kind="stable")[:10]
    labels, plain = Y[:, top], sparse.csr_matrix(X)
    dense, signs = labels.toarray().astype(int), 2.0 * labels.toarray() - 1
    exact = rb.SVM(tol=1e-5, threads=None).fit(X, labels)
    rows = []
    for threads in (1, 2):

        def peer(threads: int = threads) -> list[Any]:
            fits = (joblib.delayed(SVC(kernel="linear", cache_size=1000).fit)(plain, dense[:, c]) for c in range(10))
            return joblib.Parallel(threads, backend="threading")(fits)

        svm = rb.SVM(threads=threads).fit(X, labels)
        peer_seconds, fitted = measure(peer, threads=threads)
        theirs = np.vstack([e.coef_.toarray() for e in fitted]), np.concatenate([e.intercept_ for e in fitted])
        primal = 0.5 * (theirs[0] ** 2).sum(axis=1)
        primal = primal + np.maximum(0, 1 - signs * (X @ theirs[0].T + theirs[1])).sum(axis=0)
        reached = max(float(((p - exact.dual_) / p).max()) for p in (primal, svm.primal_))
        same = reached <= GAP and agree(X, (svm.coef_, svm.intercept_), theirs)
        fits = [measure(lambda svm=svm: svm.fit(X, labels), threads=threads)[0] for _ in range(max(5, repeats))]
        seconds = statistics.median(fits)
        work = "biased SVMs of the ten largest Reuters categories, gap 1e-3 in the worst (SVC at its default tol)"
        rows.append(Row("svm-bias", work, "scikit-learn SVC(kernel='linear'), its cache raised to 1,000 MB",
                        seconds, peer_seconds, peer_seconds / seconds, same, threads))  # fmt: skip
    return rows


def rows(only: list[str], full: bool) -> list[Row]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    found = []
    if "svm-90" in only:
        found += penalised("svm-90", *reuters(), np.arange(90), "90 linear SVMs on 7,770 Reuters documents", repeats=5)
    if "svm-2000" in only:
        X, Y = newswire()
        by_size = np.argsort(-Y.sum(axis=0), kind="stable")
        columns = np.arange(2_000) if full else by_size[20 :: 2_000 // SAMPLE]
        work = "2,000 linear SVMs on 30,000 synthetic stories"
        if not full:
            work += f", peer timed on {len(columns)} of them (evenly by size) and scaled"
        found += penalised("svm-2000", X, Y, columns, work, repeats=1)
    found += free_bias() if "svm-bias" in only else []
    found += few() if "svm-few" in only else []
    found += [dense()] if "svm-dense" in only else []
    return found + ([path()] if "svm-path" in only else [])


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", nargs="+", choices=IDS, default=IDS)
    chosen, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    publish(rows(chosen.only, chosen.full), __doc__ or "")


if __name__ == "__main__":
    main()
