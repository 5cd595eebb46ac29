"""SMART weights of the names of categories. The letters are those of `rubricate.text`, which weighs documents.

tf     n  f      b  1 (present)      l  1 + ln f      a  .5 + .5 f / max f      f: the count in the name
idf    n  1      t  ln(N / n)        p  max(0, ln((N - n) / n))                 0 for a term of no document
norm   n  1      c  1 / √Σ w²
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import UnknownName
from rubricate.native.sparse import largest
from rubricate.types import Floats, Sparse

__all__ = ["check_scheme", "idf", "term_frequency"]

SCHEMES = tuple(map("".join, product("nbla", "ntp", "nc")))


def check_scheme(scheme: Any) -> None:
    """Raise UnknownName for anything but a triple of these letters."""
    if scheme not in SCHEMES:
        raise UnknownName("scheme of weights", str(scheme), SCHEMES)


def idf(X: Any, weights: Floats | None, letter: str) -> Floats:
    """Return the weight of the second letter, by how many documents, each counted by its weight, have each term."""
    weights = np.ones(X.shape[0]) if weights is None else weights
    if letter == "n":
        return np.ones(X.shape[1])
    X = sparse.csr_array(X)
    held = np.bincount(X.indices, np.repeat(weights, np.diff(X.indptr)) * (X.data != 0), X.shape[1])
    n = np.where(held > 0, held, 1.0)
    among = weights.sum() / n
    return np.where(held > 0, np.log(np.maximum(among - (letter == "p"), 1.0)), 0.0)


def term_frequency(counts: Sparse, letter: str) -> Sparse:
    """Return the weight of the first letter."""
    f = counts.data
    if letter == "a":
        most = np.repeat(largest(counts.indptr.astype(np.int64), f), np.diff(counts.indptr))
        f = 0.5 + 0.5 * f / most
    elif letter != "n":
        f = 1.0 + np.log(f) if letter == "l" else np.ones(len(f))
    return sparse.csr_array((f, counts.indices, counts.indptr), shape=counts.shape)
