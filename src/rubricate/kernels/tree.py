"""Grow a decision tree on the presence of words.

Problem  split the documents of a node by the word whose presence tells most about the truth, until nothing is told.
         With N documents (their weights), P of them positive, and n, p the same where the word is present:
             gain   H(N, P) − n/N H(n, p) − (N−n)/N H(N−n, P−p)        H(n, p): entropy in bits
             split  H(N, n)
         `ratio`: the largest gain / split among the words of at least average gain (quinlan1993, section 2.2); else
         the largest gain. Only words that leave `least` documents or more on either side take part, in the average too.
Given    the terms of each document (`starts`, `terms`, ascending) and the documents of each term (`post_starts`,
         `post_documents`); the truth and the weight of each document; n of each word at the root (`counts`);
         `table`, x log2 x of whole x.
Return   the nodes, row by row: the word asked for (−1 at a leaf), the child with the word and the child without it
         (−1 at a leaf), the documents of the node as a range of `order`; then P and N of each node, and `order`.
         Children come after their parent.
Cost     what is counted anew is the smaller child; the larger one is its parent less the smaller. So a document is
         read at most log2(documents) times; besides, each node looks at the words that can still split it.
Ties     words within 1e-10 of the best are equal: the first column wins.
Edges    a pure node, one with less than 2 · least documents or without a word of gain above 1e-10 is a leaf. No
         recursion: a chain may be as long as there are documents.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["ASKED", "FIRST", "LAST", "PRESENT", "WITHOUT", "grow_tree", "walk_trees", "x_log_x"]

ASKED, PRESENT, WITHOUT, FIRST, LAST = range(5)
"""The columns of a node."""
EPSILON = 1e-10
"""Gains and ratios that differ by less are equal."""


@numba.njit(cache=True, nogil=True)
def x_log_x(x: float, table: np.ndarray) -> float:
    """x log2 x, 0 at 0; looked up for whole numbers."""
    if x <= 0.0:
        return 0.0
    whole = int(x)
    if whole == x and whole < len(table):
        return table[whole]
    return x * np.log2(x)


@numba.njit(cache=True, nogil=True)
def _worths(
    active: np.ndarray,
    size: int,
    n: np.ndarray,
    p: np.ndarray,
    N: float,
    P: float,
    least: float,
    ratio: bool,
    table: np.ndarray,
    gains: np.ndarray,
) -> int:
    """Fill in the worth of each word that can split; the others leave the list. How many stay."""
    kept, total = 0, 0.0
    whole = x_log_x(N, table) - x_log_x(P, table) - x_log_x(N - P, table)
    for i in range(size):
        t = active[i]
        if n[t] < least - EPSILON or N - n[t] < least - EPSILON:
            continue
        with_it = x_log_x(n[t], table) - x_log_x(p[t], table) - x_log_x(n[t] - p[t], table)
        rest, positive = N - n[t], P - p[t]
        without = x_log_x(rest, table) - x_log_x(positive, table) - x_log_x(rest - positive, table)
        active[kept] = t
        gains[kept] = (whole - with_it - without) / N
        total += gains[kept]
        kept += 1
    if ratio and kept > 0:
        average, split = total / kept, x_log_x(N, table)
        for i in range(kept):
            if gains[i] >= average - EPSILON and gains[i] > EPSILON:
                rest = x_log_x(n[active[i]], table) + x_log_x(N - n[active[i]], table)
                gains[i] *= N / (split - rest)
            else:
                gains[i] = 0.0
    return kept


@numba.njit(cache=True, nogil=True)
def _best(active: np.ndarray, worths: np.ndarray, size: int) -> int:
    """The first column among the best words, −1 where none is worth anything."""
    best = EPSILON
    for i in range(size):
        best = max(best, worths[i])
    if best <= EPSILON:
        return -1
    chosen = -1
    for i in range(size):
        if worths[i] >= best - EPSILON and (chosen < 0 or active[i] < chosen):
            chosen = active[i]
    return chosen


@numba.njit(cache=True, nogil=True)
def _part(holders: np.ndarray, first: int, last: int, order: np.ndarray, place: np.ndarray) -> int:
    """Move the holders among order[first:last] to its front; where the others begin."""
    middle = first
    for d in holders:
        at = place[d]
        if first <= at < last:
            other = order[middle]
            order[middle], order[at] = d, other
            place[d], place[other] = middle, at
            middle += 1
    return middle


@numba.njit(cache=True, nogil=True)
def _count(
    documents: np.ndarray,
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    n: np.ndarray,
    p: np.ndarray,
    active: np.ndarray,
    larger_n: np.ndarray,
    larger_p: np.ndarray,
) -> int:
    """Count the words of these documents, list them, and take them from the counts of the larger child."""
    for d in documents:
        for t in terms[starts[d] : starts[d + 1]]:
            n[t] = p[t] = 0.0
    size = 0
    for d in documents:
        w, positive = weights[d], truth[d]
        for t in terms[starts[d] : starts[d + 1]]:
            if n[t] == 0.0:
                active[size] = t
                size += 1
            n[t] += w
            larger_n[t] -= w
            if positive:
                p[t] += w
                larger_p[t] -= w
    return size


@numba.njit(cache=True, nogil=True)
def _at_root(
    starts: np.ndarray, terms: np.ndarray, truth: np.ndarray, weights: np.ndarray, p: np.ndarray
) -> tuple[float, float]:
    """P and N of all documents, and p of each word."""
    P = N = 0.0
    for d in range(len(truth)):
        N += weights[d]
        if truth[d]:
            P += weights[d]
            for t in terms[starts[d] : starts[d + 1]]:
                p[t] += weights[d]
    return P, N


@numba.njit(cache=True, nogil=True)
def _sum(documents: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    P = N = 0.0
    for d in documents:
        N += weights[d]
        if truth[d]:
            P += weights[d]
    return P, N


@numba.njit(cache=True, nogil=True)
def _branch(
    node: int,
    asked: int,
    made: int,
    middle: int,
    order: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    sums: np.ndarray,
) -> tuple[int, int]:
    """Write the two children of a node; the smaller and the larger, the one with the word the smaller of equals."""
    first, last = nodes[node, FIRST], nodes[node, LAST]
    nodes[node, ASKED], nodes[node, PRESENT], nodes[node, WITHOUT] = asked, made, made + 1
    nodes[made, FIRST], nodes[made, LAST] = first, middle
    nodes[made + 1, FIRST], nodes[made + 1, LAST] = middle, last
    sums[made] = _sum(order[first:middle], truth, weights)
    sums[made + 1] = sums[node] - sums[made]
    return (made, made + 1) if middle - first <= last - middle else (made + 1, made)


@numba.njit(cache=True, nogil=True)
def grow_tree(
    starts: np.ndarray,
    terms: np.ndarray,
    post_starts: np.ndarray,
    post_documents: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    counts: np.ndarray,
    least: float,
    ratio: bool,
    table: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes, P and N of each, and the documents in the order that the nodes refer to."""
    documents, width = len(truth), len(counts)
    order, place = np.arange(documents), np.arange(documents)
    nodes, sums = np.full((8, 5), -1, np.int64), np.zeros((8, 2))
    n, p, active = [counts.copy()], [np.zeros(width)], [np.arange(width)]
    sizes, gains = [width], np.empty(width)
    sums[0, 0], sums[0, 1] = _at_root(starts, terms, truth, weights, p[0])
    nodes[0, FIRST], nodes[0, LAST] = 0, documents
    made, waiting = 1, [(0, 0)]
    while len(waiting) > 0:
        node, level = waiting.pop()
        P, N = sums[node]
        if P <= EPSILON or N - P <= EPSILON or 2 * least - N > EPSILON:
            continue
        sizes[level] = _worths(active[level], sizes[level], n[level], p[level], N, P, least, ratio, table, gains)
        asked = _best(active[level], gains, sizes[level])
        if asked < 0:
            continue
        holders = post_documents[post_starts[asked] : post_starts[asked + 1]]
        middle = _part(holders, nodes[node, FIRST], nodes[node, LAST], order, place)
        if made + 2 > len(nodes):
            nodes, sums = _doubled(nodes, sums)
        small, large = _branch(node, asked, made, middle, order, truth, weights, nodes, sums)
        if level + 1 == len(n):
            n.append(np.zeros(width))
            p.append(np.zeros(width))
            active.append(np.empty(width, np.int64))
            sizes.append(0)
        few = order[nodes[small, FIRST] : nodes[small, LAST]]
        sizes[level + 1] = _count(
            few, starts, terms, truth, weights, n[level + 1], p[level + 1], active[level + 1], n[level], p[level]
        )
        waiting.append((large, level))
        waiting.append((small, level + 1))
        made += 2
    return nodes[:made].copy(), sums[:made].copy(), order


@numba.njit(cache=True, nogil=True)
def _doubled(nodes: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    more, more_sums = np.full((2 * len(nodes), 5), -1, np.int64), np.zeros((2 * len(sums), 2))
    more[: len(nodes)], more_sums[: len(sums)] = nodes, sums
    return more, more_sums


@numba.njit(cache=True, nogil=True)
def walk_trees(
    starts: np.ndarray,
    terms: np.ndarray,
    width: int,
    roots: np.ndarray,
    asked: np.ndarray,
    present: np.ndarray,
    without: np.ndarray,
) -> np.ndarray:
    """The leaf that each document reaches in each tree: documents × trees."""
    documents = len(starts) - 1
    leaves = np.empty((documents, len(roots)), np.int64)
    holds = np.zeros(width, np.bool_)
    for d in range(documents):
        held = terms[starts[d] : starts[d + 1]]
        holds[held] = True
        for tree in range(len(roots)):
            node = roots[tree]
            while asked[node] >= 0:
                node = present[node] if holds[asked[node]] else without[node]
            leaves[d, tree] = node
        holds[held] = False
    return leaves
