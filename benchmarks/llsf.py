"""LLSF with 500 singular vectors, beside scikit-learn's TruncatedSVD by ARPACK and numpy's least squares on its output.

python -m benchmarks.llsf --json    ids llsf (2,415 terms by chi2) and llsf-full (all terms), on one and two threads

Both give a map from terms to the 90 categories; on the test documents the scores must agree to 1e-3 in relative
Frobenius norm. Ours keeps to one thread whatever it is given.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side

P = 500
TOLERANCE = 1e-3


def peer(X: Any, Y: Any) -> np.ndarray:
    """Return terms × categories: the least squares fit in the space of the singular vectors, mapped back to terms."""
    svd = TruncatedSVD(P, algorithm="arpack", random_state=0)
    reduced = svd.fit_transform(X)
    return svd.components_.T @ np.linalg.lstsq(reduced, Y.toarray().astype(float), rcond=None)[0]


def row(id: str, select: str | None, threads: int, repeats: int) -> Row:
    corpus = rb.load("reuters21578", split="aptemod")
    vectors = rb.text.Vectors(select=select)
    X, new, Y = vectors.fit_transform(corpus.train), vectors.transform(corpus.test), corpus.train.labels

    def same(ours: Any, theirs: Any) -> bool:
        scores, wanted = ours.decision_function(new), new @ theirs
        return bool(np.linalg.norm(scores - wanted) <= TOLERANCE * np.linalg.norm(wanted))

    with threadpool_limits(threads):
        return side_by_side(
            lambda: rb.LLSF(P).fit(X, Y),
            lambda: peer(X, Y),
            id=id,
            work=f"{X.shape[0]} documents, {X.shape[1]} terms, 90 categories, p = {P}",
            peer_name="scikit-learn TruncatedSVD(arpack) + lstsq",
            same=same,
            threads=threads,
            repeats=repeats,
        )


def main() -> None:
    rows = []
    for threads in (1, 2):
        rows.append(row("llsf", "chi2:2415", threads, repeats=3))
        rows.append(row("llsf-full", None, threads, repeats=1))
    publish(rows, __doc__)


if __name__ == "__main__":
    main()
