"""Learning one cut a category, against scikit-learn's precision-recall curve of each category and its best F1."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.metrics import precision_recall_curve

from benchmarks._timing import publish, side_by_side
from rubricate.thresholds import Scut


def problem(documents: int, categories: int, labels_per_document: float) -> tuple[np.ndarray, sparse.csr_array]:
    """Normal scores, raised by 2.5 where the label is, category frequencies as skewed as those of newswire."""
    rng = np.random.default_rng(0)
    share = 1.0 / np.arange(1, categories + 1)
    rate = np.minimum(labels_per_document * share / share.sum(), 0.5)
    truth = rng.random((documents, categories)) < rate
    return rng.standard_normal((documents, categories)) + 2.5 * truth, sparse.csr_array(truth)


def peer(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The best F1 of each category over all thresholds."""
    best = np.zeros(scores.shape[1])
    for c in np.flatnonzero(truth.any(axis=0)):
        precision, recall, _ = precision_recall_curve(truth[:, c], scores[:, c])
        best[c] = np.max(2 * precision * recall / np.maximum(precision + recall, 1e-300))
    return best


def reached(scores: np.ndarray, labels: sparse.csr_array, cut: Scut) -> np.ndarray:
    """F1 of each category at the learned cuts."""
    decided = cut.decide(scores)
    hits = np.asarray(decided.multiply(labels).sum(axis=0)).ravel()
    size = np.asarray(decided.sum(axis=0)).ravel() + np.asarray(labels.sum(axis=0)).ravel()
    return 2 * hits / np.maximum(size, 1)


def main() -> None:
    rows = []
    for documents, categories, mean, repeats in ((7770, 90, 1.24, 5), (30_000, 2000, 3.0, 1)):
        scores, labels = problem(documents, categories, mean)
        truth = labels.toarray()
        rows.append(
            side_by_side(
                lambda scores=scores, labels=labels: Scut(fbr=None).fit(scores, labels),
                lambda scores=scores, truth=truth: peer(scores, truth),
                id=f"scut-{categories}",
                work=f"best F1 cut of {categories} categories on {documents} documents",
                peer_name="scikit-learn precision_recall_curve",
                same=lambda cut, best, scores=scores, labels=labels: np.allclose(reached(scores, labels, cut), best),
                repeats=repeats,
            )
        )
    publish(rows, __doc__)


if __name__ == "__main__":
    main()
