"""Several representations side by side: terms, words, characters, each a block of columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.text.representation import Representation
from rubricate.types import Sparse

__all__ = ["Blocks", "side_by_side"]


class Blocks(TransformerMixin, BaseEstimator):
    """Representations side by side, each document of length 1 in each of b blocks, and all of it divided by √b.

    The division keeps documents at length 1, so that C means the same for one block as for several: an SVM with cost C
    on these vectors is one with cost C / b on the blocks as they are (but for the bias, where it is penalised).

    Parameters
    ----------
    parts
        Representations that start from the counts of terms.

    Learned: `parts_`, the fitted representations.
    """

    def __init__(self, parts: Sequence[Representation]) -> None:
        self.parts = parts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn every block from documents and their label matrix."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Sparse:
        """Learn every block from documents and their label matrix, and return the vectors."""
        if not self.parts:
            raise InvalidInput("Blocks needs at least one representation")
        self.parts_ = tuple(clone(part) for part in self.parts)
        return side_by_side([part.fit_transform(X, y) for part in self.parts_])

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of documents."""
        check_is_fitted(self)
        return side_by_side([part.transform(X) for part in self.parts_])

    def joined(self, parts: Sequence[Representation]) -> Self:
        """Return a fitted copy from fitted representations."""
        made = clone(self)
        made.parts_ = tuple(parts)
        return made

    def names(self) -> Sequence[str] | None:
        """Return the terms of all blocks, in the order of the columns; None where some have no names."""
        check_is_fitted(self)
        names = [part.names() for part in self.parts_]
        return None if any(each is None for each in names) else [name for each in names for name in each or ()]

    def describe(self) -> dict[str, Any]:
        """Describe terms, weights and selection in a few words each, for a signature."""
        described = [part.describe() for part in self.parts]
        return {key: " & ".join(dict.fromkeys(each[key] for each in described)) for key in described[0]}

    def key(self) -> Hashable:
        """Return a key that is equal for blocks that give the same vectors."""
        return (Blocks, *(part.key() for part in self.parts))


def side_by_side(blocks: Sequence[Any]) -> Sparse:
    """Return matrices of the same documents as one, their columns in order, divided by the root of their number.

    >>> side_by_side([np.eye(2), np.ones((2, 1))]).toarray().round(3).tolist()
    [[0.707, 0.0, 0.707], [0.0, 0.707, 0.707]]
    """
    matrices = [sparse.csr_array(block) for block in blocks]
    starts = np.sum([matrix.indptr.astype(np.int64) for matrix in matrices], axis=0)
    indices, data = np.empty(starts[-1], np.int32), np.empty(starts[-1])
    free, width = starts[:-1].copy(), 0  # the next free place of each row
    for matrix in matrices:
        lengths = np.diff(matrix.indptr)
        at = np.arange(matrix.nnz) + np.repeat(free - matrix.indptr[:-1], lengths)
        indices[at] = matrix.indices + width
        data[at] = matrix.data / np.sqrt(len(matrices))
        free, width = free + lengths, width + matrix.shape[1]
    if starts[-1] <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    joined = sparse.csr_array((data, indices, starts), shape=(len(starts) - 1, width))
    joined.has_canonical_format = all(matrix.has_canonical_format for matrix in matrices)
    return joined
