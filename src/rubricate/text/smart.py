"""SMART weights: three letters for the term frequency, the document frequency and the length of a document.

With f the count of term t in document d, N training documents, n of them with t:

    tf     n  f                       b  1 (present)            l  1 + ln f
           a  .5 + .5 f / max f       L  (1 + ln f) / (1 + ln mean f)
    idf    n  1                       t  ln(N / n)              p  max(0, ln((N - n) / n))
           s  1 + ln((1 + N) / (1 + n))
    norm   n  1                       c  1 / √Σ w²

max and mean f run over the terms of the document that are in the vocabulary. The idf t has no +1: a term of every
training document weighs nothing; s, not one of SMART's letters, is the smoothed idf of scikit-learn, which is 1 there.
L is 0 where 1 + ln mean f is, which takes counts below 1. A term of no training document (n = 0) has idf 0. `tfidf` is
another name of ntc, the weighting of joachims2000; the letters are those of salton1988 and manning2008 (section 6.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import UnknownName
from rubricate.scratch import empty, rest
from rubricate.types import Floats, Ints, Sparse

__all__ = ["SCHEMES", "idf", "parse_scheme", "weigh"]

TF, IDF, NORM = "nlbaL", "ntps", "nc"
ALIASES = {"tfidf": "ntc"}
BLOCK = 1 << 20
"""Stored values that are weighed together."""
SCHEMES = tuple(tf + df + norm for tf in TF for df in IDF for norm in NORM)
"""Every triple."""


def parse_scheme(name: str) -> str:
    """Return the three letters of a scheme.

    >>> parse_scheme("ltc"), parse_scheme("tfidf")
    ('ltc', 'ntc')
    """
    scheme = ALIASES.get(name, name)
    if scheme not in SCHEMES:
        raise UnknownName("scheme of weights", str(name), [*SCHEMES, *ALIASES])
    return scheme


def idf(frequency: Ints, documents: int, scheme: str) -> Floats:
    """Return the second letter's weight of each term, by the number of training documents that have it.

    >>> idf(np.array([1, 2, 4, 0]), 4, "ltc").round(3).tolist()
    [1.386, 0.693, 0.0, 0.0]
    """
    known = frequency > 0
    n = np.where(known, frequency, 1).astype(np.float64)
    letter = parse_scheme(scheme)[1]
    if letter == "n":
        return np.ones(len(frequency))
    if letter == "s":
        return np.where(known, 1 + np.log((1 + documents) / (1 + n)), 0.0)
    if letter == "t":
        return np.where(known, np.log(documents / n), 0.0)
    return np.where(known, np.log(np.maximum((documents - n) / n, 1.0)), 0.0)


def weigh(counts: Sparse, scheme: str, idf: Floats) -> Sparse:
    """Return the weights of canonical counts: float64, without stored zeros; a document without weight is a zero row.

    Cost: a few passes over what is stored. Each row depends on itself and on `idf` alone. Where no weight is zero the
    result shares the column numbers of `counts`.
    """
    from rubricate.native.sparse import largest, make_unit, mean  # compiled: a single row does without

    tf, _, norm = tuple(parse_scheme(scheme))
    starts = counts.indptr.astype(np.int64)
    summary = {"a": largest, "L": mean}.get(tf)
    data = empty(counts.nnz, np.float64)
    for first, last in _row_blocks(starts):
        part, own = slice(starts[first], starts[last]), starts[first : last + 1] - starts[first]
        f = counts.data[part].astype(np.float64)
        weights = _frequency(f, tf, None if summary is None else np.repeat(summary(own, f), np.diff(own)))
        np.multiply(weights, idf[counts.indices[part]], out=data[part])
    if norm == "c":
        make_unit(starts, data)
    rest()
    if data.all():
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
    weights = sparse.csr_array((data, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    weights.eliminate_zeros()
    return weights


def _row_blocks(starts: Ints) -> Iterator[tuple[int, int]]:
    """Yield the first row of each block of about `BLOCK` stored values, and the row after its last."""
    first = 0
    while first < len(starts) - 1:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1)
        yield first, last
        first = last


def _frequency(f: Floats, tf: str, summary: Any) -> Floats:
    """Return the first letter's weight of each count, in place; `summary` is the max (a) or mean (L) of its row."""
    if tf == "b":
        f[:] = 1.0
    elif tf == "a":
        f /= summary
        f *= 0.5
        f += 0.5
    elif tf in "lL":
        np.log(f, out=f)
        f += 1.0
        if tf == "L":
            scale = 1.0 + np.log(summary) + np.zeros_like(f)
            f = np.divide(f, scale, out=np.zeros_like(f), where=scale != 0)
    return f
