"""The s-test against the same counts by dense NumPy and statsmodels' McNemar without correction, and its own growth.

At 100,000 × 1,000 with 3 labels a document the peer goes through 10⁸ decisions (in blocks of documents, so that it
fits into memory), ours through the labels. McNemar's χ² without correction is the square of the s-test's Z.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from statsmodels.stats.contingency_tables import mcnemar

from benchmarks._timing import Row, side_by_side
from rubricate.significance import System
from rubricate.significance.sign_tests import micro_sign

BLOCK = 5_000


def random_labels(documents: int, categories: int, labels: int, rng: np.random.Generator) -> sparse.csr_array:
    """Draw up to `labels` different labels for each document, evenly."""
    columns = np.sort(rng.integers(0, categories, (documents, labels), dtype=np.int32), axis=1)
    kept = np.ones(columns.shape, bool)
    kept[:, 1:] = columns[:, 1:] != columns[:, :-1]
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return sparse.csr_array((np.ones(starts[-1], bool), columns[kept], starts), shape=(documents, categories))


def systems(documents: int, categories: int, labels: int, *, seed: int = 0) -> tuple[System, System]:
    """Make two systems that keep some of the true labels and add others; b keeps fewer."""
    rng = np.random.default_rng(seed)
    truth = random_labels(documents, categories, labels, rng)

    def decided(share: float) -> sparse.csr_array:
        kept = truth.copy()
        kept.data = rng.random(truth.nnz) < share
        kept.eliminate_zeros()
        return sparse.csr_array(kept + random_labels(documents, categories, 1, rng), dtype=bool)

    return tuple(System(name, truth=truth, decided=decided(s)) for name, s in (("a", 0.9), ("b", 0.89)))


def dense_peer(a: System, b: System) -> float:
    """Compute McNemar's χ² from dense comparisons, block by block."""
    table = np.zeros((2, 2), np.int64)
    for start in range(0, a.truth.shape[0], BLOCK):
        rows = slice(start, start + BLOCK)
        truth = a.truth[rows].toarray()
        a_right, b_right = (system.decided[rows].toarray() == truth for system in (a, b))
        both, only_a, only_b = (int(x.sum()) for x in (a_right & b_right, a_right & ~b_right, ~a_right & b_right))
        table += np.array([[both, only_a], [only_b, truth.size - both - only_a - only_b]])
    return float(mcnemar(table, exact=False, correction=False).statistic)


def sparse_peer(a: System, b: System) -> float:
    """Compute the same χ² from SciPy's sparse comparisons: the obvious way without a kernel."""
    a_wrong, b_wrong = (system.truth != system.decided for system in (a, b))
    only_a, only_b = (b_wrong > a_wrong).nnz, (a_wrong > b_wrong).nnz
    return (only_a - only_b) ** 2 / (only_a + only_b)


def s_test_rows(documents: int = 100_000, categories: int = 1_000, labels: int = 3, *, repeats: int = 3) -> list[Row]:
    """Return the rows `s-test` and `s-test-sparse` of the evaluation benchmark."""
    a, b = systems(documents, categories, labels)
    peers = {
        "s-test": ("NumPy in blocks + statsmodels mcnemar", dense_peer),
        "s-test-sparse": ("SciPy sparse comparisons", sparse_peer),
    }
    return [
        side_by_side(
            lambda: micro_sign(a, b).statistic ** 2,
            lambda peer=peer: peer(a, b),
            id=row,
            work=f"{documents:,} × {categories:,} pairs, {labels} labels a document",
            peer_name=name,
            same=lambda ours, theirs: bool(np.isclose(ours, theirs, rtol=1e-9)),
            repeats=repeats,
        )
        for row, (name, peer) in peers.items()
    ]


def growth() -> None:
    """Time the s-test at 10⁹ pairs and 10⁷ labels; run as `python -m benchmarks._s_test`."""
    import time

    a, b = systems(1_000_000, 1_000, 10)
    micro_sign(*systems(10, 10, 2))
    for _ in range(3):
        start = time.perf_counter()
        found = micro_sign(a, b)
        seconds = time.perf_counter() - start
        print(
            f"{a.truth.shape[0] * a.truth.shape[1]:,} pairs, {a.truth.nnz:,} labels: {seconds:.3f} s, n = {found.n:,}"
        )


if __name__ == "__main__":
    for row in s_test_rows():
        print(row)
    growth()
