"""Which document has which word: what is left of a matrix when only presence counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Ints, Sparse

__all__ = ["presence", "present_terms"]


def presence(X: Any) -> Sparse:
    """Return where X is above 0.

    >>> presence(np.array([[2.0, -1.0, 0.0]])).toarray().tolist()
    [[True, False, False]]
    """
    X = sparse.csr_array(X)
    present = sparse.csr_array(X > 0) if X.nnz and X.data.min() <= 0 else X
    return sparse.csr_array((np.ones(present.nnz, bool), present.indices, present.indptr), shape=X.shape)


def present_terms(X: Any) -> tuple[Ints, Ints]:
    """Return where the terms of each row start, and the terms."""
    present = presence(X)
    return present.indptr.astype(np.int64), present.indices.astype(np.int64)
