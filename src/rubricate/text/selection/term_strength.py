"""Term strength: how likely a term is in a document when it is in a related one."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rubricate.native.neighbours import count_related
from rubricate.native.sparse import Rows
from rubricate.text.occurrences import Occurrences
from rubricate.types import Floats, Ints, Sparse

__all__ = ["term_strength"]

RELATED = 10
"""Related documents that a document should have on average; yang1995 found 10 to 20 best."""
BINS = 1000


def term_strength(occurrences: Occurrences, by: str | None = None) -> Floats:
    """s(t) = P(t in y | t in x) over ordered pairs (x, y) of related documents. wilbur1992; yang1995; yang1997, eq. 5.

    Two documents are related where the cosine of their vectors (idf ln(N/n) of the terms present) reaches a threshold:
    the least multiple of .001 at which a document has at most ten related ones on average (if none does, 1). Labels do
    not matter, nor does `by`. A term that is in no related document has strength 0. Deviation: no test against chance,
    which yang1995 adds. Cost: the sum over terms of their squared document frequency; documents are compared in turn.
    """
    present = occurrences.present
    vectors = _unit_vectors(present)
    rows, by_term = _rows(vectors), _rows(sparse.csr_array(vectors.T))
    histogram, _ = count_related(rows, by_term, BINS)
    above = np.cumsum(histogram[::-1])[::-1]
    few = np.flatnonzero(above <= RELATED * present.shape[0])
    least = max(1, int(few[0])) if len(few) else BINS
    return _strength(present, count_related(rows, by_term, BINS, least=least, with_pairs=True)[1])


def _rows(matrix: Sparse) -> Rows:
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def _unit_vectors(present: Sparse) -> Sparse:
    documents, terms = present.shape
    frequency = np.bincount(present.indices, minlength=terms)
    data = np.log(documents / np.maximum(frequency, 1))[present.indices]
    rows = np.repeat(np.arange(documents), np.diff(present.indptr))
    length = np.sqrt(np.bincount(rows, weights=data * data, minlength=documents))
    data = data / np.where(length > 0, length, 1.0)[rows]
    vectors = sparse.csr_array((data, present.indices.astype(np.int64), present.indptr.astype(np.int64)), present.shape)
    vectors.eliminate_zeros()
    return vectors


def _strength(present: Sparse, related: Ints) -> Floats:
    """Return, over the ordered pairs, how many have t in both divided by how many have t in the first."""
    documents = present.shape[0]
    pairs = sparse.csr_array((np.ones(len(related)), (related[:, 0], related[:, 1])), shape=(documents, documents))
    counts = present.astype(np.float64)
    first = np.asarray(counts.T @ np.asarray(pairs.sum(axis=1)).ravel()).ravel()
    both = np.asarray(counts.multiply(pairs @ counts).sum(axis=0)).ravel()
    return np.divide(both, first, out=np.zeros_like(both), where=first > 0)
