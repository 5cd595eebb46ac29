"""Conjunctions of words that imply a category often enough.

Problem  a description is a set of terms; it covers the documents that have all of them, positive ones of weight p and
         negative ones of weight n. List the descriptions with p >= support and p/(p + n) >= confidence, from the empty
         one on, one term more at a time, where every term must tell: a term that all documents covered have (it is in
         the closure of the description) adds nothing, and neither does one that does not raise the confidence above
         that of the description and of the term alone. What is listed is not specialised further (ganascia1991).
Given    the examples, and the limits of descriptions.
Return   the terms of the descriptions one after the other (ascending in each), where each begins, and p and n of each.
Cost     for each description that is specialised, the rows of the documents it covers and a look at each term.
Ties     descriptions come in the order of their terms.
Edges    without a positive document nothing is listed. The empty description is never listed.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import RuleExamples, TermSums, count_terms, covered

__all__ = ["Limits", "descriptions"]


class Limits(NamedTuple):
    """The least weight of positive documents, the least confidence, and the most terms of a description."""

    support: float
    confidence: float
    longest: int


@numba.njit(cache=True, nogil=True)
def _tells(new: tuple[float, float], old: tuple[float, float]) -> bool:
    """Return whether one cover (p, n) is more precise than another; compared without a division."""
    return new[0] * old[1] > old[0] * new[1]


@numba.njit(cache=True, nogil=True)
def descriptions(examples: RuleExamples, limits: Limits) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the descriptions that are listed, where each begins, and the weights that each covers."""
    documents, columns = len(examples.starts) - 1, examples.columns
    support, confidence, longest = limits
    cover, size, turn = (
        np.empty((longest, documents), np.int64),
        np.zeros(longest, np.int64),
        np.zeros(longest, np.int64),
    )
    inside, outside, p, n = (
        np.zeros((longest, columns)),
        np.zeros((longest, columns)),
        np.zeros(longest),
        np.zeros(longest),
    )
    listed, begins, right, wrong = [np.int64(0)], [0], [0.0], [0.0]
    listed.clear()
    right.clear()
    wrong.clear()
    size[0], cover[0] = documents, np.arange(documents)
    p[0], n[0] = examples.weights[examples.positive].sum(), examples.weights[~examples.positive].sum()
    count_terms(examples, cover[0], TermSums(inside[0], outside[0]))
    level = 0
    # Depth first without recursion: turn[level] is the next term to try at a level, always above those before it.
    while level >= 0:
        t = turn[level]
        if t == columns:
            level -= 1
            continue
        turn[level] = t + 1
        p1, n1 = inside[level, t], outside[level, t]
        if p1 < support or p1 <= 0 or not _tells((p1, n1), (p[level], n[level])):
            continue
        # Level 0 is the empty description: there the term alone is the new description itself.
        if level > 0 and not _tells((p1, n1), (inside[0, t], outside[0, t])):
            continue
        if p1 >= confidence * (p1 + n1):
            listed.extend(turn[: level + 1] - 1)
            begins.append(len(listed))
            right.append(p1)
            wrong.append(n1)
        elif level + 1 < longest:
            # Not confident enough yet: specialise it, with terms above t alone, so that each set is met once.
            left = covered(examples, cover[level, : size[level]], np.full(1, t))
            level += 1
            cover[level, : len(left)] = left
            size[level], turn[level], p[level], n[level] = len(left), t + 1, p1, n1
            count_terms(examples, left, TermSums(inside[level], outside[level]))
    return np.array(listed), np.array(begins), np.array(right), np.array(wrong)
