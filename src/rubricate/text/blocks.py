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

__all__ = ["MEANING", "Blocks", "side_by_side"]

MEANING = "meaning of the text"
"""The name of what an encoder's columns say together; one of them alone says nothing."""


class Blocks(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Representations side by side, each document of length 1 in each of b blocks, and all of it divided by √b.

    The division keeps documents at length 1, so that C means the same for one block as for several: an SVM with cost C
    on these vectors is one with cost C / b on the blocks as they are (but for the bias, where it is penalised).

    Parameters
    ----------
    parts
        Representations that start from the counts of terms, or from an encoder.
    shares
        None for blocks of equal length, or the length of each block; divided by √Σ share².

    Learned: `parts_`, the fitted representations.
    """

    def __init__(self, parts: Sequence[Representation], *, shares: Sequence[float] | None = None) -> None:
        self.parts = parts
        self.shares = shares

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn every block from documents and their label matrix."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Sparse:
        """Learn every block from documents and their label matrix, and return the vectors."""
        if not self.parts:
            raise InvalidInput("Blocks needs at least one representation")
        self._check_shares()
        self.parts_ = tuple(clone(part) for part in self.parts)
        return side_by_side([part.fit_transform(X, y) for part in self.parts_], self.shares)

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of documents."""
        check_is_fitted(self)
        return side_by_side([part.transform(X) for part in self.parts_], self.shares)

    def _check_shares(self) -> None:
        shares = self.shares
        if shares is not None and (len(shares) != len(self.parts) or not all(0 < share < np.inf for share in shares)):
            raise InvalidInput(f"shares must be one number above 0 for each of {len(self.parts)} parts, got {shares!r}")

    def joined(self, parts: Sequence[Representation]) -> Self:
        """Return a fitted copy from fitted representations."""
        made = clone(self)
        made.parts_ = tuple(parts)
        return made

    def names(self) -> Sequence[str] | None:
        """Return the terms of all blocks, in the order of the columns; None where some have no names.

        Columns of an encoder are all named MEANING: what a text means beside its words.
        """
        check_is_fitted(self)
        names = [[MEANING] * part.encoder.width_ if part.encoder is not None else part.names() for part in self.parts_]
        return None if any(each is None for each in names) else [name for each in names for name in each or ()]

    def describe(self) -> dict[str, Any]:
        """Describe terms, weights and selection in a few words each, for a signature."""
        described = [part.describe() for part in getattr(self, "parts_", self.parts)]
        joined = {
            key: " & ".join(dict.fromkeys(filter(None, (each[key] for each in described)))) for key in described[0]
        }
        if self.shares is not None:
            joined["weights"] += f" in shares {':'.join(f'{share:.3g}' for share in self.shares)}"
        return joined

    def key(self) -> Hashable:
        """Return a key that is equal for blocks that give the same vectors."""
        shares = () if self.shares is None else tuple(self.shares)
        return (Blocks, *(part.key() for part in self.parts), shares)


def side_by_side(blocks: Sequence[Any], shares: Sequence[float] | None = None) -> Sparse:
    """Return matrices of the same documents as one, their columns in order, divided by the root of their number.

    With `shares` each is multiplied by its share and divided by √Σ share².

    >>> side_by_side([np.eye(2), np.ones((2, 1))]).toarray().round(3).tolist()
    [[0.707, 0.0, 0.707], [0.0, 0.707, 0.707]]
    """
    matrices = [sparse.csr_array(block) for block in blocks]
    lengths_of = np.ones(len(matrices)) if shares is None else np.asarray(shares, np.float64)
    factors = lengths_of / np.sqrt(np.sum(lengths_of**2))
    starts = np.sum([matrix.indptr.astype(np.int64) for matrix in matrices], axis=0)
    indices, data = np.empty(starts[-1], np.int32), np.empty(starts[-1])
    free, width = starts[:-1].copy(), 0  # the next free place of each row
    for matrix, factor in zip(matrices, factors, strict=True):
        lengths = np.diff(matrix.indptr)
        at = np.arange(matrix.nnz) + np.repeat(free - matrix.indptr[:-1], lengths)
        indices[at] = matrix.indices + width
        data[at] = matrix.data * factor
        free, width = free + lengths, width + matrix.shape[1]
    if starts[-1] <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    joined = sparse.csr_array((data, indices, starts), shape=(len(starts) - 1, width))
    joined.has_canonical_format = all(matrix.has_canonical_format for matrix in matrices)
    return joined
