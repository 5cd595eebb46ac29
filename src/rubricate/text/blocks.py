"""Several representations side by side: terms, words, characters, each a block of columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.text.representation import Representation
from rubricate.text.term_vectors import side_by_side
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
