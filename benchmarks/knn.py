"""knn-topn, knn-sklearn: the 45 nearest training documents of every test document of ApteMod-90, exact.

Ours is `KNN.kneighbors` with everything it checks; the index is made before, as is the peers' transposed or normalised
matrix. The same result: the same similarities to 1e-12, and the same documents wherever the similarities differ.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sparse_dot_topn import sp_matmul_topn

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side

K = 45


def vectors(select: str | None):
    corpus = rb.load("reuters21578", split="aptemod")
    flow = rb.text.Vectors(select=select)
    return flow.fit_transform(corpus.train), flow.transform(corpus.test), corpus.train.labels


def ranked(product: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the peer's result as two matrices; where it found fewer than K, the rest has similarity 0."""
    found, near = np.full((product.shape[0], K), -1), np.zeros((product.shape[0], K))
    for row in range(product.shape[0]):
        part = slice(product.indptr[row], product.indptr[row + 1])
        found[row, : part.stop - part.start], near[row, : part.stop - part.start] = (
            product.indices[part],
            product.data[part],
        )
    return found, near


def same(ours: tuple[np.ndarray, np.ndarray], peer: tuple[np.ndarray, np.ndarray]) -> bool:
    """Compare similarities to 1e-12, and documents where no other, nor the first one left out, is as similar."""
    near = ours[1]
    gap = np.abs(np.diff(near, axis=1)) > 1e-9
    apart = np.ones_like(near, dtype=bool)
    apart[:, 1:] &= gap
    apart[:, :-1] &= gap
    apart[:, -1] = False
    apart &= near > 0
    return bool(np.abs(near - peer[1]).max() < 1e-12 and (ours[0] == peer[0])[apart].all())


def rows() -> list[Row]:
    found = []
    for name, select in (("all terms", None), ("2,415 terms", "chi2:2415")):
        X, queries, labels = vectors(select)
        work = f"kNN k={K}, {queries.shape[0]} test documents, {name}"
        left, right = sparse.csr_matrix(queries), sparse.csr_matrix(X.T)
        for threads in (1, 2):
            knn = rb.KNN(K, threads=threads).fit(X, labels)
            ours = partial(knn.kneighbors, queries)
            topn = partial(sp_matmul_topn, left, right, top_n=K, sort=True, n_threads=None if threads == 1 else threads)
            brute = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=threads).fit(X)
            found.append(
                side_by_side(
                    ours, topn, id="knn-topn", work=work, peer_name="sparse_dot_topn", threads=threads,
                    same=lambda a, b: same(a, ranked(b)),
                )
            )  # fmt: skip
            found.append(
                side_by_side(
                    ours, partial(brute.kneighbors, queries), id="knn-sklearn", work=work, threads=threads, repeats=3,
                    peer_name="scikit-learn NearestNeighbors brute cosine", same=lambda a, b: same(a, (b[1], 1 - b[0])),
                )
            )  # fmt: skip
    return found


if __name__ == "__main__":
    publish(rows(), __doc__ or "")
