"""Which documents meet the conditions of a rule.

Problem  a condition c >= 0 holds of a document that has the term c, one c < 0 of a document without the term ~c; a rule
         is a conjunction of conditions in order.
Given    documents by row (`starts`, `terms`, ascending in each row), the documents asked about, the conditions.
Return   `depths`: for each document asked about, how many conditions hold before the first that fails;
         `covered`: the documents of which all hold, in the order given.
Cost     a binary search in the document's row for each condition up to the first that fails.
Edges    without conditions every document is covered, at depth 0.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["covered", "depths", "holds"]


@numba.njit(cache=True, nogil=True)
def holds(starts: np.ndarray, terms: np.ndarray, document: int, condition: int) -> bool:
    """Whether a condition holds of a document."""
    term = condition if condition >= 0 else ~condition
    low, high = starts[document], starts[document + 1]
    while low < high:
        middle = (low + high) // 2
        if terms[middle] < term:
            low = middle + 1
        else:
            high = middle
    found = low < starts[document + 1] and terms[low] == term
    return found == (condition >= 0)


@numba.njit(cache=True, nogil=True)
def depths(starts: np.ndarray, terms: np.ndarray, documents: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """How many leading conditions hold of each document."""
    found = np.empty(len(documents), np.int64)
    for i in range(len(documents)):
        depth = 0
        while depth < len(conditions) and holds(starts, terms, documents[i], conditions[depth]):
            depth += 1
        found[i] = depth
    return found


@numba.njit(cache=True, nogil=True)
def covered(starts: np.ndarray, terms: np.ndarray, documents: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """The documents of which every condition holds."""
    kept = np.empty(len(documents), np.int64)
    count = 0
    for d in documents:
        depth = 0
        while depth < len(conditions) and holds(starts, terms, d, conditions[depth]):
            depth += 1
        if depth == len(conditions):
            kept[count] = d
            count += 1
    return kept[:count]
