"""Grow a decision tree on the presence of words.

Problem  split the documents of a node by the word whose presence tells most about the truth, until nothing is told.
         With N documents (their weights), P of them positive, and n, p the same where the word is present:
             gain   H(N, P) − n/N H(n, p) − (N−n)/N H(N−n, P−p)        H(n, p): entropy in bits
             split  H(N, n)
         `ratio`: the largest gain / split among the words of at least average gain (quinlan1993, section 2.2); else
         the largest gain. Only words that leave `least` documents or more on either side take part, in the average too.
Given    the documents with their truth, and the criterion of a split.
Return   the tree, children after their parent.
Cost     what is counted anew is the smaller child; the larger one is its parent less the smaller. So a document is
         read at most log2(documents) times; besides, each node looks at the words that can still split it.
Ties     words within 1e-10 of the best are equal: the first column wins.
Edges    a pure node, one with less than 2 · least documents or without a word of gain above 1e-10 is a leaf. No
         recursion: a chain may be as long as there are documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = [
    "ASKED",
    "FIRST",
    "LAST",
    "PRESENT",
    "WITHOUT",
    "SplitCriterion",
    "Tree",
    "TreeCases",
    "Walks",
    "grow_tree",
    "walk_trees",
    "x_log_x",
]

ASKED, PRESENT, WITHOUT, FIRST, LAST = range(5)
"""The columns of a node."""
EPSILON = 1e-10
"""Gains and ratios that differ by less are equal."""


class TreeCases(NamedTuple):
    """Documents to grow a tree from.

    `rows` are the terms of each document, ascending, `posts` the documents of each term; `truth` and `weights` are
    those of the documents; `counts` is n of each word at the root.
    """

    rows: Lists
    posts: Lists
    truth: np.ndarray
    weights: np.ndarray
    counts: np.ndarray


class SplitCriterion(NamedTuple):
    """When and how a node is split.

    `least` documents on either side; by gain `ratio` or by gain; `table` holds x log2 x of whole x.
    """

    least: float
    ratio: bool
    table: np.ndarray


class Tree(NamedTuple):
    """A tree as arrays.

    A row of `nodes` has the word asked for (−1 at a leaf), the child with the word and the child without it (−1 at a
    leaf), and the documents of the node as a range of `order`; a row of `sums` has P and N of the node.
    """

    nodes: np.ndarray
    sums: np.ndarray
    order: np.ndarray


class Walks(NamedTuple):
    """Trees to walk down: the root of each, and for each node the word asked for and the next nodes."""

    roots: np.ndarray
    asked: np.ndarray
    present: np.ndarray
    without: np.ndarray


class _Level(NamedTuple):
    """The words of one node: n and p of each, and in `active[: size[0]]` the words that may still split it."""

    n: np.ndarray
    p: np.ndarray
    active: np.ndarray
    size: np.ndarray


class _Split(NamedTuple):
    """A node, the word it asks for, the number of its first child, and where documents without the word begin."""

    node: int
    asked: int
    made: int
    middle: int


@numba.njit(cache=True, nogil=True)
def x_log_x(x: float, table: np.ndarray) -> float:
    """Return x log2 x, 0 at 0; looked up for whole numbers."""
    if x <= 0.0:
        return 0.0
    whole = int(x)
    if whole == x and whole < len(table):
        return table[whole]
    return x * np.log2(x)


@numba.njit(cache=True, nogil=True)
def _bits(n: float, p: float, table: np.ndarray) -> float:
    """Return n H(n, p)."""
    return x_log_x(n, table) - x_log_x(p, table) - x_log_x(n - p, table)


@numba.njit(cache=True, nogil=True)
def _worths(level: _Level, sums: tuple[float, float], criterion: SplitCriterion) -> np.ndarray:
    """Return the worth of each word that can split; the others leave the list."""
    (P, N), (n, p, active, size) = sums, level
    least, table = criterion.least - EPSILON, criterion.table
    worths, kept, total = np.empty(size[0]), 0, 0.0
    whole = _bits(N, P, table)
    # A word that is too rare or too frequent here is so in every node below: it leaves the list for good.
    for i in range(size[0]):
        t = active[i]
        if n[t] < least or N - n[t] < least:
            continue
        active[kept] = t
        worths[kept] = (whole - _bits(n[t], p[t], table) - _bits(N - n[t], P - p[t], table)) / N
        total += worths[kept]
        kept += 1
    size[0] = kept
    # The ratio favours words that hardly split at all; so only words of at least average gain are compared by it.
    if criterion.ratio and kept > 0:
        average, split = total / kept, x_log_x(N, table)
        for i in range(kept):
            if worths[i] >= average - EPSILON and worths[i] > EPSILON:
                rest = x_log_x(n[active[i]], table) + x_log_x(N - n[active[i]], table)
                worths[i] *= N / (split - rest)
            else:
                worths[i] = 0.0
    return worths[:kept]


@numba.njit(cache=True, nogil=True)
def _best(active: np.ndarray, worths: np.ndarray) -> int:
    """Return the first column among the best words, −1 where none is worth anything."""
    best = EPSILON
    for worth in worths:
        best = max(best, worth)
    if best <= EPSILON:
        return -1
    chosen = -1
    # The list is not in the order of columns: of equals the least column is looked for.
    for i in range(len(worths)):
        if worths[i] >= best - EPSILON and (chosen < 0 or active[i] < chosen):
            chosen = active[i]
    return chosen


@numba.njit(cache=True, nogil=True)
def _part(holders: np.ndarray, span: tuple[int, int], order: tuple[np.ndarray, np.ndarray]) -> int:
    """Move the holders among the documents of a span to its front; return where the others begin.

    `order` is the documents in order, and the place of each document in it.
    """
    (first, last), (documents, place) = span, order
    middle = first
    for d in holders:
        at = place[d]
        if first <= at < last:
            other = documents[middle]
            documents[middle], documents[at] = d, other
            place[d], place[other] = middle, at
            middle += 1
    return middle


@numba.njit(cache=True, nogil=True)
def _count(cases: TreeCases, documents: np.ndarray, levels: tuple[_Level, _Level]) -> None:
    """Count and list the words of the smaller child's documents, and take them from the counts of the larger."""
    (starts, terms), truth, weights = cases.rows, cases.truth, cases.weights
    n, p, active, size = levels[0]
    larger_n, larger_p = levels[1].n, levels[1].p
    for d in documents:
        for t in terms[starts[d] : starts[d + 1]]:
            n[t] = p[t] = 0.0
    listed = 0
    for d in documents:
        w, positive = weights[d], truth[d]
        for t in terms[starts[d] : starts[d + 1]]:
            if n[t] == 0.0:
                active[listed] = t
                listed += 1
            n[t] += w
            larger_n[t] -= w
            if positive:
                p[t] += w
                larger_p[t] -= w
    size[0] = listed


@numba.njit(cache=True, nogil=True)
def _at_root(cases: TreeCases, p: np.ndarray) -> tuple[float, float]:
    """Return P and N of all documents, and fill in p of each word."""
    (starts, terms), truth, weights = cases.rows, cases.truth, cases.weights
    P = N = 0.0
    for d in range(len(truth)):
        N += weights[d]
        if truth[d]:
            P += weights[d]
            for t in terms[starts[d] : starts[d + 1]]:
                p[t] += weights[d]
    return P, N


@numba.njit(cache=True, nogil=True)
def _sum(cases: TreeCases, documents: np.ndarray) -> tuple[float, float]:
    """Return P and N of some documents."""
    truth, weights = cases.truth, cases.weights
    P = N = 0.0
    for d in documents:
        N += weights[d]
        if truth[d]:
            P += weights[d]
    return P, N


@numba.njit(cache=True, nogil=True)
def _branch(cases: TreeCases, tree: Tree, split: _Split) -> tuple[int, int]:
    """Write the two children of a node; return the smaller and the larger, with the word the smaller of equals."""
    (nodes, sums, order), (node, asked, made, middle) = tree, split
    first, last = nodes[node, FIRST], nodes[node, LAST]
    nodes[node, ASKED], nodes[node, PRESENT], nodes[node, WITHOUT] = asked, made, made + 1
    nodes[made, FIRST], nodes[made, LAST] = first, middle
    nodes[made + 1, FIRST], nodes[made + 1, LAST] = middle, last
    sums[made] = _sum(cases, order[first:middle])
    sums[made + 1] = sums[node] - sums[made]
    return (made, made + 1) if middle - first <= last - middle else (made + 1, made)


@numba.njit(cache=True, nogil=True)
def grow_tree(cases: TreeCases, criterion: SplitCriterion) -> Tree:
    """Grow a tree until nothing is told."""
    documents, width = len(cases.truth), len(cases.counts)
    order, place = np.arange(documents), np.arange(documents)
    tree = Tree(np.full((8, 5), -1, np.int64), np.zeros((8, 2)), order)
    levels = [_Level(cases.counts.copy(), np.zeros(width), np.arange(width), np.full(1, width))]
    tree.sums[0, 0], tree.sums[0, 1] = _at_root(cases, levels[0].p)
    tree.nodes[0, FIRST], tree.nodes[0, LAST] = 0, documents
    made, waiting = 1, [(0, 0)]
    while len(waiting) > 0:
        node, at = waiting.pop()
        P, N = tree.sums[node]
        # Pure, or too few documents for two children.
        if P <= EPSILON or N - P <= EPSILON or 2 * criterion.least - N > EPSILON:
            continue
        asked = _best(levels[at].active, _worths(levels[at], (P, N), criterion))
        if asked < 0:
            continue
        holders = cases.posts.items[cases.posts.starts[asked] : cases.posts.starts[asked + 1]]
        middle = _part(holders, (tree.nodes[node, FIRST], tree.nodes[node, LAST]), (order, place))
        if made + 2 > len(tree.nodes):
            tree = _doubled(tree)
        small, large = _branch(cases, tree, _Split(node, asked, made, middle))
        if at + 1 == len(levels):
            levels.append(_Level(np.zeros(width), np.zeros(width), np.empty(width, np.int64), np.zeros(1, np.int64)))
        few = order[tree.nodes[small, FIRST] : tree.nodes[small, LAST]]
        _count(cases, few, (levels[at + 1], levels[at]))
        # The smaller child is grown first and takes the next level; the larger one goes on with its parent's counts.
        # So there are never more levels than log2(documents) + 1.
        waiting.append((large, at))
        waiting.append((small, at + 1))
        made += 2
    return Tree(tree.nodes[:made].copy(), tree.sums[:made].copy(), order)


@numba.njit(cache=True, nogil=True)
def _doubled(tree: Tree) -> Tree:
    """Return the tree with room for twice as many nodes."""
    size = len(tree.nodes)
    nodes, sums = np.full((2 * size, 5), -1, np.int64), np.zeros((2 * size, 2))
    nodes[:size], sums[:size] = tree.nodes, tree.sums
    return Tree(nodes, sums, tree.order)


@numba.njit(cache=True, nogil=True)
def walk_trees(rows: Lists, width: int, trees: Walks) -> np.ndarray:
    """Return the leaf that each document reaches in each tree, documents × trees; `width` is the number of words."""
    (starts, items), (roots, asked, present, without) = rows, trees
    documents = len(starts) - 1
    leaves = np.empty((documents, len(roots)), np.int64)
    holds = np.zeros(width, np.bool_)
    for d in range(documents):
        held = items[starts[d] : starts[d + 1]]
        holds[held] = True
        for tree in range(len(roots)):
            node = roots[tree]
            while asked[node] >= 0:
                node = present[node] if holds[asked[node]] else without[node]
            leaves[d, tree] = node
        holds[held] = False
    return leaves
