"""Which categories of a document may have its largest score, when every score is known to lie between two bounds.

Problem: category c of document d contends if no other category's lower bound is above its upper bound, and if it is not
         alone in that. Bars and roofs: the largest lower, and the largest upper bound of the other categories. A score
         that is certain to lie below its bar is not the largest, one above its roof is.

Given  bounds (categories × documents), which categories are a document's own, and the documents to look at.
Return pairs in the order of categories, then documents, that contend and whose bounds are apart: of all categories, of
       documents' own ones, or of the others; their bars and roofs; the documents with more than one contender.
Cost   three passes over the bounds of these documents.
Ties   an upper bound that is equal to the largest lower one contends.
Edge   with one category nobody contends.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["ALL", "OTHER", "OWN", "Contenders", "contenders"]

ALL, OWN, OTHER = range(3)
"""Which categories of a document are asked for."""


class Contenders(NamedTuple):
    """Pairs of category and document with bars and roofs; the documents that are open."""

    categories: np.ndarray
    documents: np.ndarray
    bars: np.ndarray
    roofs: np.ndarray
    open: np.ndarray


class _Best(NamedTuple):
    """The largest number of each document, that among the other categories, and where the largest is."""

    first: np.ndarray
    second: np.ndarray
    at: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _best(values: np.ndarray, documents: np.ndarray) -> _Best:
    count = len(documents)
    first, second, at = np.full(count, -np.inf), np.full(count, -np.inf), np.full(count, -1, np.int64)
    for c in range(len(values)):
        for k in range(count):
            value = values[c, documents[k]]
            if value > first[k] or at[k] < 0:
                second[k], first[k], at[k] = first[k], value, c
            elif value > second[k]:
                second[k] = value
    return _Best(first, second, at)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _other(best: _Best, c: int, k: int) -> float:
    """Return the largest number of a document among the categories other than c."""
    return best.second[k] if best.at[k] == c else best.first[k]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def contenders(low: np.ndarray, high: np.ndarray, own: np.ndarray, documents: np.ndarray, part: int) -> Contenders:
    """Return who contends among `ALL`, `OWN` or `OTHER` categories of documents."""
    lows, highs, count, size = _best(low, documents), _best(high, documents), np.zeros(len(documents), np.int64), 0
    for c in range(len(low)):
        for k in range(len(documents)):
            contending = high[c, documents[k]] >= lows.first[k]
            count[k] += contending
            size += contending
    categories, chosen, bars, roofs = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), np.empty(size)
    at = 0
    for c in range(len(low)):
        for k in range(len(documents)):
            d = documents[k]
            asked = part == ALL or own[c, d] == (part == OWN)
            if asked and count[k] > 1 and high[c, d] >= lows.first[k] and high[c, d] > low[c, d]:
                categories[at], chosen[at], bars[at], roofs[at] = c, d, _other(lows, c, k), _other(highs, c, k)
                at += 1
    return Contenders(categories[:at], chosen[:at], bars[:at], roofs[:at], documents[count > 1])
