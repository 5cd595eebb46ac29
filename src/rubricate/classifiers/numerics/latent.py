"""Latent dimensions: the largest right singular vectors of documents × terms (deerwester1990)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rubricate.classifiers.numerics.matrices import binary_scale, take_columns, used_columns
from rubricate.classifiers.numerics.svd import largest_pairs
from rubricate.engines import one_blas_thread
from rubricate.types import Floats, Sparse

__all__ = ["directions"]


def directions(X: Sparse, size: int, *, weights: Floats | None = None, seed: int = 0) -> Floats:
    """Return at most `size` vectors as columns, those of the largest singular values first; documents count by weight.

    A term of no document has 0. Beyond the rank of X columns are zero; there is always one column. The largest entry
    of each vector is positive, since a decomposition leaves the sign open. Cost: `svd.py`, on the shorter side.
    """
    terms = used_columns(X)
    A = take_columns(X if weights is None else sparse.csr_array(X * np.sqrt(weights)[:, None]), terms)
    vectors = np.zeros((X.shape[1], max(1, min(size, *A.shape))))
    if len(terms):
        with one_blas_thread():
            vectors[terms] = _right(A / binary_scale(A.data), min(size, *A.shape), seed)
    at = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.where(vectors[at, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _right(A: Sparse, size: int, seed: int) -> Floats:
    """Return the right singular vectors: V of AᵀA, or AᵀU S⁻¹ from the other side."""
    tall = A.shape[1] <= A.shape[0]
    shorter = A if tall else sparse.csr_array(A.T)
    values, vectors = largest_pairs(shorter, size, seed=seed)
    real = values > values[0] * max(A.shape) * np.finfo(np.float64).eps
    if tall:
        return vectors * real
    return (shorter @ vectors) * np.divide(1.0, np.sqrt(values), out=np.zeros(len(values)), where=real)
