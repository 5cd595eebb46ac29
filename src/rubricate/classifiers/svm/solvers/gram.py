"""Inner products of few long documents, from which their linear SVMs are solved faster than from the documents.

A sweep over n documents of m stored values each costs n · m operations per category, for words and character n-grams of
long pages some thousands per document. With all products at hand a step costs n operations whatever m is, and the same
products serve every category and every C. They are kept for as long as the documents live.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.engines import one_blas_thread
from rubricate.types import Floats, Sparse

__all__ = ["gram", "pays"]

MOST, LARGE, LONG = 1500, 50_000, 1.5
"""Products are used for at most so many documents (18 MB), of so many stored values in all, where a document has so
many times n stored values.

On pages of WebKB in words and character n-grams: 480 documents of 1,900 values take .19 s directly, .22 s for the
products and .013 s for each C; 2,000 of 2,000 values take 1.0 s directly, 2.1 s for the products and .13 s for each C,
so that there they would pay from three C on only."""
RARE = 32
"""Terms of more than one document in so many are multiplied as dense columns, the others as sparse ones."""
CHUNK = 1 << 22
"""Values of the dense columns that are multiplied at a time: 32 MB."""


def pays(X: Sparse) -> bool:
    """Return whether products of the documents are the faster way."""
    n = X.shape[0]
    return n <= MOST and X.nnz >= LARGE and X.nnz >= LONG * n * n


@dataclass(eq=False)
class _Kept:
    """The products of a matrix that is still alive, and a digest of it: its values may be changed in place."""

    values: weakref.ref[Any]
    lock: threading.Lock = field(default_factory=threading.Lock)
    digest: bytes = b""
    products: Floats | None = None


KEPT: dict[int, _Kept] = {}
"""By the identity of the values; an entry goes with them."""
_GUARD = threading.Lock()


def gram(X: Sparse) -> Floats:
    """Return x·z of all documents; made once for as long as the values of X live and stay as they are."""
    owner = _owner(X.data)
    key = id(owner)
    with _GUARD:
        if key not in KEPT:
            KEPT[key] = _Kept(weakref.ref(owner, lambda _: KEPT.pop(key, None)))
        kept = KEPT[key]
    digest = _digest(X)
    with kept.lock:
        if kept.products is None or kept.digest != digest:
            kept.products, kept.digest = _products(X), digest
        return kept.products


def _owner(values: Any) -> Any:
    """Return the array whose memory these values are: checks on the way here give views of it."""
    while isinstance(values.base, np.ndarray):
        values = values.base
    return values


def _digest(X: Sparse) -> bytes:
    digest = hashlib.blake2b(repr(X.shape).encode(), digest_size=16)
    for part in (X.indptr, X.indices, X.data):
        digest.update(part.tobytes())
    return digest.digest()


def _products(X: Sparse) -> Floats:
    n = X.shape[0]
    columns = sparse.csc_array(X)
    often = np.diff(columns.indptr)
    many = often > max(8, n // RARE)
    rare = sparse.csr_array(columns[:, np.flatnonzero(~many & (often > 0))])
    products = (rare @ rare.T).toarray()
    frequent, width = np.flatnonzero(many), max(1, CHUNK // n)
    with one_blas_thread():
        for start in range(0, len(frequent), width):
            dense = columns[:, frequent[start : start + width]].toarray()
            products += dense @ dense.T
    return products
