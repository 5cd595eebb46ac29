"""Conjunctions of words that imply a category often enough.

Problem  a description is a set of terms; it covers the documents that have all of them, positive ones of weight p and
         negative ones of weight n. List the descriptions with p >= support and p/(p + n) >= confidence, from the empty
         one on, one term more at a time, where every term must tell: a term that all documents covered have (it is in
         the closure of the description) adds nothing, and neither does one that does not raise the confidence above
         that of the description and of the term alone. What is listed is not specialised further (ganascia1991).
Given    documents by row (`starts`, `terms`), the number of terms, which documents are positive, their weights, the
         least support and confidence, the most terms of a description.
Return   the terms of the descriptions one after the other (ascending in each), where each begins, and p and n of each.
Cost     for each description that is specialised, the rows of the documents it covers and a look at each term.
Ties     descriptions come in the order of their terms.
Edges    without a positive document nothing is listed. The empty description is never listed.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rule_cover import covered
from rubricate.kernels.rule_growth import count_terms

__all__ = ["descriptions"]


@numba.njit(cache=True, nogil=True)
def _tells(p: float, n: float, p0: float, n0: float) -> bool:
    """Whether covering p and n is more precise than covering p0 and n0."""
    return p * n0 > p0 * n


@numba.njit(cache=True, nogil=True)
def _adds(
    level: int, t: int, inside: np.ndarray, outside: np.ndarray, p: np.ndarray, n: np.ndarray, support: float
) -> bool:
    """Whether the description at a level with the term t has the support and is more precise than either alone."""
    p1, n1 = inside[level, t], outside[level, t]
    if p1 < support or p1 <= 0 or not _tells(p1, n1, p[level], n[level]):
        return False
    return level == 0 or _tells(p1, n1, inside[0, t], outside[0, t])


@numba.njit(cache=True, nogil=True)
def descriptions(
    starts: np.ndarray,
    terms: np.ndarray,
    columns: int,
    positive: np.ndarray,
    weights: np.ndarray,
    support: float,
    confidence: float,
    longest: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The descriptions that are listed, where each begins, and the weights that each covers."""
    documents = len(starts) - 1
    cover, size = np.empty((longest, documents), np.int64), np.zeros(longest, np.int64)
    inside, outside, turn = np.zeros((longest, columns)), np.zeros((longest, columns)), np.zeros(longest, np.int64)
    p, n = np.zeros(longest), np.zeros(longest)
    listed, begins, right, wrong = (
        [np.int64(0) for _ in range(0)],
        [0],
        [0.0 for _ in range(0)],
        [0.0 for _ in range(0)],
    )
    size[0], cover[0] = documents, np.arange(documents)
    p[0], n[0] = weights[positive].sum(), weights[~positive].sum()
    count_terms(starts, terms, cover[0], positive, weights, inside[0], outside[0])
    level = 0
    while level >= 0:
        t = turn[level]
        if t == columns:
            level -= 1
            continue
        turn[level] = t + 1
        if not _adds(level, t, inside, outside, p, n, support):
            continue
        p1, n1 = inside[level, t], outside[level, t]
        if p1 >= confidence * (p1 + n1):
            listed.extend(turn[: level + 1] - 1)
            begins.append(len(listed))
            right.append(p1)
            wrong.append(n1)
        elif level + 1 < longest:
            left = covered(starts, terms, cover[level, : size[level]], np.full(1, t))
            level += 1
            cover[level, : len(left)] = left
            size[level], turn[level], p[level], n[level] = len(left), t + 1, p1, n1
            count_terms(starts, terms, left, positive, weights, inside[level], outside[level])
    return np.array(listed), np.array(begins), np.array(right), np.array(wrong)
