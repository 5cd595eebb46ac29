"""χ² of all terms × categories on Reuters, beside scikit-learn's chi2, called once per category."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_selection import chi2

import rubricate as rb
from benchmarks._timing import publish, side_by_side
from rubricate.text.selection import term_scores


def peer(present: sparse.csr_array, labels: np.ndarray) -> np.ndarray:
    """Compute scikit-learn's statistic (over documents with the term) of every category: terms × categories."""
    return np.column_stack([chi2(present, labels[:, c])[0] for c in range(labels.shape[1])])


def main() -> None:
    train = rb.load("reuters21578", split="aptemod").train
    counts = rb.text.Vectors(weights="nnn").fit_transform(train)
    present = (counts != 0).astype(np.float64)
    labels = train.labels.toarray()
    without = present.shape[0] - np.bincount(present.indices, minlength=present.shape[1])

    def same(ours: Any, theirs: Any) -> bool:
        """Check that χ² of the 2 × 2 table is scikit-learn's value times N / (documents without the term)."""
        return bool(np.allclose(ours, theirs * (present.shape[0] / without)[:, None], rtol=1e-9))

    row = side_by_side(
        lambda: term_scores("chi2", present, train.labels, by="each"),
        lambda: peer(present, labels),
        id="chi2",
        work=f"{present.shape[1]:,} terms × {labels.shape[1]} categories, {present.shape[0]:,} Reuters documents",
        peer_name="scikit-learn feature_selection.chi2, a call a category",
        same=same,
    )
    publish([row], __doc__ or "")


if __name__ == "__main__":
    main()
