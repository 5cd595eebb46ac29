"""Which category was given when another was missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rubricate.types import Ints, Sparse

__all__ = ["Confusions", "confusions"]


@dataclass(frozen=True, eq=False)
class Confusions:
    """Entry (c, g) of `pairs`: documents where c was missed and g wrongly given.

    `missed[c]` are the documents where c was missed, `alone[c]` those of them where nothing was wrongly given;
    `given[g]` the documents where g was wrongly given, `extra[g]` those of them where nothing was missed.
    """

    pairs: Sparse
    missed: Ints
    alone: Ints
    given: Ints
    extra: Ints

    def top(self, limit: int) -> list[tuple[int, int, int]]:
        """Return (missed, given, documents), most documents first; ties put the lower categories first."""
        whole = self.pairs.tocoo()
        best = np.lexsort((whole.col, whole.row, -whole.data))[:limit]
        return [(int(whole.row[k]), int(whole.col[k]), int(whole.data[k])) for k in best]


def confusions(truth: Sparse, decided: Sparse) -> Confusions:
    """Count the confusions. For single-label data `pairs` is the confusion matrix without its diagonal.

    A document with two missed and two wrongly given categories counts in four pairs: nobody knows which replaced
    which. Cost: missed × wrongly given categories, summed over the documents.

    >>> from rubricate.labels import indicator
    >>> pairs = confusions(indicator([[1, 0], [1, 0]]), indicator([[0, 1], [0, 0]]))
    >>> pairs.top(1), pairs.missed.tolist(), pairs.alone.tolist()
    ([(0, 1, 1)], [2, 0], [1, 0])
    """
    both = truth.multiply(decided)
    missed, given = (sparse.csr_array((part > both).astype(np.int64)) for part in (truth, decided))
    pairs = sparse.csr_array(missed.T @ given)
    pairs.eliminate_zeros()
    pairs.sort_indices()
    lone_missed, lone_given = (
        _per_category(own, np.diff(other.indptr) == 0) for own, other in ((missed, given), (given, missed))
    )
    return Confusions(pairs, _per_category(missed, None), lone_missed, _per_category(given, None), lone_given)


def _per_category(matrix: Sparse, rows: np.ndarray | None) -> Ints:
    kept = matrix if rows is None else matrix[np.flatnonzero(rows)]
    return np.bincount(kept.indices, minlength=matrix.shape[1]).astype(np.int64)
