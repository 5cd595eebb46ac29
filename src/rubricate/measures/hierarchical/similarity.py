"""How similar categories are: the cosine of their vectors. sunlim2001, section 3.2, equations 10 and 11.

CS(a, b) = a·b / (|a||b|) of the vectors of two categories; ACS is its mean over the m(m − 1)/2 pairs. The paper sums
the vectors of a category's training documents; its table 3 comes out only with their union (which terms occur at
all), so that both are offered and `union` is the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures.counting.tables import canonical
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Similarity", "category_similarity", "category_vectors"]

_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Similarity:
    """Similarities of categories, kept as unit vectors or as the matrix itself; made by `category_similarity`."""

    categories: tuple[str, ...]
    vectors: Sparse | None = None
    values: Floats | None = None

    def __post_init__(self) -> None:
        kept = self.vectors if self.vectors is not None else self.values
        if kept is None or kept.shape[0] != len(self.categories):
            raise InvalidInput(f"similarities of {len(self.categories)} categories: one vector or row is needed each")

    @classmethod
    def of_matrix(cls, values: Any, categories: Sequence[str]) -> Similarity:
        """Take similarities that are known already: a symmetric matrix, categories × categories, of numbers up to 1."""
        matrix, m = np.asarray(values, np.float64), len(categories)
        if matrix.shape != (m, m) or not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max(initial=0) > 1e-9:
            raise InvalidInput(f"similarities must be a symmetric matrix of {m} × {m} finite numbers")
        if np.abs(matrix).max(initial=0) > 1 + 1e-9:
            raise InvalidInput(f"a similarity of {np.abs(matrix).max():g}; they lie between −1 and 1")
        return cls(tuple(map(str, categories)), values=matrix)

    def pairs(self, a: Ints, b: Ints) -> Floats:
        """Return CS of categories a[i] and b[i]; 0 where one has no terms. Cost: the terms of the pairs."""
        if self.values is not None:
            return self.values[a, b]
        rows = self.vectors
        parts = [slice(start, start + _CHUNK) for start in range(0, len(a), _CHUNK)]
        cosines = [np.asarray(rows[a[part]].multiply(rows[b[part]]).sum(axis=1)).ravel() for part in parts]  # type: ignore[index]
        return np.concatenate(cosines) if cosines else np.zeros(0)

    def matrix(self) -> Floats:
        """Return all similarities, categories × categories."""
        if self.values is not None:
            return self.values
        matrix: Floats = (self.vectors @ self.vectors.T).toarray()  # type: ignore[union-attr]
        return matrix

    @cached_property
    def average(self) -> float:
        """Return ACS; 0 for fewer than two categories.

        Of unit vectors u it is (|Σu|² − Σ|u|²) / (m(m − 1)), so that the cost is their terms, not m².
        """
        m = len(self.categories)
        if m < 2:
            return 0.0
        if self.values is not None:
            return float((self.values.sum() - np.trace(self.values)) / (m * (m - 1)))
        together = np.asarray(self.vectors.sum(axis=0)).ravel()  # type: ignore[union-attr]
        return float((together @ together - (self.vectors.data**2).sum()) / (m * (m - 1)))  # type: ignore[union-attr]

    def within(self, names: Iterable[str]) -> Similarity:
        """Keep the similarities of some of the categories; names without similarities are ignored."""
        kept = set(names)
        rows = np.array([i for i, name in enumerate(self.categories) if name in kept], np.int64)
        chosen = tuple(self.categories[i] for i in rows)
        if self.values is not None:
            return Similarity(chosen, values=self.values[np.ix_(rows, rows)])
        return Similarity(chosen, vectors=self.vectors[rows])  # type: ignore[index]


def category_vectors(X: Any, labels: Any, *, how: Literal["union", "sum"] = "union") -> Sparse:
    """Return one vector per category, from its documents: their `union` (1 for each term that occurs) or their `sum`.

    `X` is documents × terms, `labels` documents × categories. Cost: labels × terms of a document.
    """
    if how not in ("union", "sum"):
        raise UnknownName("way to join vectors", str(how), ("union", "sum"))
    rows, marks = sparse.csr_array(X, dtype=np.float64), canonical(labels)
    if rows.shape[0] != marks.shape[0]:
        raise InvalidInput(
            f"{rows.shape[0]} document vectors and labels of {marks.shape[0]} documents; give both of the same ones"
        )
    if how == "union":
        rows = sparse.csr_array((rows != 0).astype(np.float64))
    vectors = sparse.csr_array(marks.T.astype(np.float64) @ rows)
    vectors.eliminate_zeros()
    if how == "union":
        vectors.data[:] = 1.0
    return vectors


def category_similarity(
    X: Any,
    labels: Any,
    categories: Sequence[str],
    *,
    how: Literal["union", "sum"] = "union",
) -> Similarity:
    """Compare categories by the vectors of their documents (see `category_vectors`).

    A category without documents or terms is like no other: its similarities count as 0.

    >>> similarity = category_similarity([[1, 1, 0], [0, 1, 1]], [[1, 0], [0, 1]], ["corn", "wheat"])
    >>> round(similarity.average, 6), similarity.matrix().round(6).tolist()
    (0.5, [[1.0, 0.5], [0.5, 1.0]])
    """
    vectors = category_vectors(X, labels, how=how)
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    unit = sparse.csr_array(sparse.diags_array(scale) @ vectors)
    return Similarity(tuple(map(str, categories)), vectors=unit)
