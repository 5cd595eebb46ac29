"""Which terms occur in which documents under which categories, and the contingency tables counted from that.

A  documents of the category with the term       B  documents with the term, not of the category
C  documents of the category without the term    D  documents with neither            N = A + B + C + D
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import TypeAlias

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Sparse

__all__ = ["WAYS", "ContingencyTables", "Criterion", "Occurrences", "by_category"]

CELLS = 1 << 20
"""Term × category cells that are held in memory at once."""

WAYS = ("max", "avg", "sum", "each")
"""How the scores of a term for the categories become one; "each" leaves them as they are."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The training set as a criterion sees it: boolean documents × terms and documents × categories."""

    present: Sparse
    labels: Sparse

    @property
    def documents(self) -> int:
        """N."""
        return self.present.shape[0]

    def tables(self) -> Iterator[tuple[slice, ContingencyTables]]:
        """Yield contingency tables of all terms × categories, in blocks of terms of bounded size."""
        together = sparse.csr_array(self.present.T.astype(np.float64) @ self.labels.astype(np.float64))
        terms = np.bincount(self.present.indices, minlength=self.present.shape[1]).astype(np.float64)
        categories = np.bincount(self.labels.indices, minlength=self.labels.shape[1]).astype(np.float64)
        rows = max(1, CELLS // max(1, len(categories)))
        for start in range(0, len(terms), rows):
            block = slice(start, start + rows)
            A = together[block].toarray()
            yield block, ContingencyTables(A, terms[block, None], categories[None, :], float(self.documents))


@dataclass(frozen=True, eq=False)
class ContingencyTables:
    """Contingency tables of a block of terms (rows) with all categories (columns).

    The other cells follow from A, the margins `term` = A + B (one column) and `category` = A + C (one row), and N.
    """

    A: Floats
    term: Floats
    category: Floats
    N: float


Criterion: TypeAlias = Callable[..., Floats]


def by_category(by: str) -> Callable[[Callable[[ContingencyTables], Floats]], Criterion]:
    """Make a criterion of a function that scores the cells of a table; `by` is its own way to join categories.

    The criterion takes `(occurrences, by)`; with `by="each"` it gives terms × categories.
    """
    own = by

    def make(cells: Callable[[ContingencyTables], Floats]) -> Criterion:
        @wraps(cells)
        def criterion(occurrences: Occurrences, by: str | None = None) -> Floats:
            join = _joining(own if by is None else by, occurrences)
            parts = [join(cells(table)) for _, table in occurrences.tables()]
            return np.concatenate(parts) if parts else np.empty(0)

        criterion.needs_labels = True  # type: ignore[attr-defined]
        return criterion

    return make


def _joining(by: str, occurrences: Occurrences) -> Callable[[Floats], Floats]:
    labels = occurrences.labels
    prior = np.bincount(labels.indices, minlength=labels.shape[1]) / max(1, occurrences.documents)
    ways: dict[str, Callable[[Floats], Floats]] = {
        "max": lambda scores: scores.max(axis=1) if labels.shape[1] else np.zeros(len(scores)),
        "avg": lambda scores: (scores * prior).sum(axis=1),  # not @: equal rows must give equal sums
        "sum": lambda scores: scores.sum(axis=1),
        "each": lambda scores: scores,
    }
    return ways[by]
