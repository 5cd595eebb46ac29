"""Prune a tree by its estimated errors, with subtree raising; and arrange nodes.

Problem  with E errors among N training documents at a leaf, the errors to expect are N · U(E, N), U the upper limit of
         the error rate at a confidence. Replace a node by a leaf where that is no worse than its subtree, or by its
         larger branch, whose leaves then take in the documents of the other branch (quinlan1993, sections 4.2 and 4.3).
Given    the terms of each document, its truth and weight; nodes, sums and order of `kernels.tree.grow_tree`; the
         confidence (E = 0 has a closed form in it) and z, how many standard deviations it stands for.
Return   nodes and sums with what was pruned left unreachable.
Rules    of C4.5, release 8: U is 1 − confidence^(1/N) for E = 0, linear between E = 0 and 1, Wilson's limit with half
         an error more above; E >= N − 1/2: two thirds of the rest besides. First, a node whose leaves make as many
         training errors as itself is a leaf. A replacement may cost .1 errors; a leaf goes before a branch. After
         raising, the subtree is pruned again.
Ties     branches of equal size: the one without the word is the larger.
Cost     the documents of the smaller branch are walked down the larger one at every node, and after raising again at
         the nodes that have got documents (at the others nothing would change); no recursion.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.tree import ASKED, FIRST, LAST, PRESENT, WITHOUT

__all__ = ["expected_errors", "prune_tree", "reachable"]

SLACK = 0.1
"""Errors that a simpler tree may cost."""
SAME = 1e-3
"""Training errors that count as none."""


@numba.njit(cache=True, nogil=True)
def expected_errors(N: float, P: float, confidence: float, z: float) -> float:
    """Errors to expect of a leaf that says what most of its N documents are, P of them positive."""
    E = min(P, N - P)
    if N <= 0.0:
        return 0.0
    none = N * (1.0 - confidence ** (1.0 / N))
    if E < 1e-6:
        return none
    if E < 0.9999:
        return E + none + E * (_more(N, 1.0, z) - none)
    return E + _more(N, E, z)


@numba.njit(cache=True, nogil=True)
def _more(N: float, E: float, z: float) -> float:
    """Errors to expect beyond the E seen."""
    if E + 0.5 >= N:
        return 0.67 * (N - E)
    e, z2 = E + 0.5, z * z
    return N * (e + z2 / 2 + np.sqrt(z2 * (e * (1 - e / N) + z2 / 4))) / (N + z2) - E


@numba.njit(cache=True, nogil=True)
def reachable(nodes: np.ndarray, root: int) -> np.ndarray:
    """The nodes under a root, it first, each before its children, the child with the word first."""
    found, size, waiting = np.empty(len(nodes), np.int64), 0, [root]
    while len(waiting) > 0:
        node = waiting.pop()
        found[size] = node
        size += 1
        if nodes[node, ASKED] >= 0:
            waiting.append(nodes[node, WITHOUT])
            waiting.append(nodes[node, PRESENT])
    return found[:size].copy()


@numba.njit(cache=True, nogil=True)
def _collapse(nodes: np.ndarray, sums: np.ndarray) -> None:
    """Make leaves of nodes whose leaves together err as often on the training documents."""
    wrong = np.minimum(sums[:, 0], sums[:, 1] - sums[:, 0])
    for node in range(len(nodes) - 1, -1, -1):
        if nodes[node, ASKED] >= 0:
            below = wrong[nodes[node, PRESENT]] + wrong[nodes[node, WITHOUT]]
            if below >= wrong[node] - SAME:
                nodes[node, ASKED] = -1
            else:
                wrong[node] = below


@numba.njit(cache=True, nogil=True)
def _listed(nodes: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The documents of each leaf as a list: its first document, and the document after each; −1 ends it."""
    first, after = np.full(len(nodes), -1, np.int64), np.full(len(order), -1, np.int64)
    for leaf in reachable(nodes, 0):
        if nodes[leaf, ASKED] < 0:
            for i in range(nodes[leaf, FIRST], nodes[leaf, LAST]):
                after[order[i]], first[leaf] = first[leaf], order[i]
    return first, after


@numba.njit(cache=True, nogil=True)
def _documents(node: int, nodes: np.ndarray, first: np.ndarray, after: np.ndarray, found: np.ndarray) -> int:
    """Fill in the documents of the leaves under a node; how many."""
    size = 0
    for leaf in reachable(nodes, node):
        d = first[leaf] if nodes[leaf, ASKED] < 0 else -1
        while d >= 0:
            found[size] = d
            size += 1
            d = after[d]
    return size


@numba.njit(cache=True, nogil=True)
def _raised_errors(
    branch: int,
    documents: np.ndarray,
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    sums: np.ndarray,
    errors: np.ndarray,
    more: np.ndarray,
    holds: np.ndarray,
    leaves: np.ndarray,
    confidence: float,
    z: float,
) -> float:
    """Errors to expect of a branch whose leaves take in these documents too; `more` is zero before and after."""
    for i in range(len(documents)):
        d, node = documents[i], branch
        held = terms[starts[d] : starts[d + 1]]
        holds[held] = True
        while nodes[node, ASKED] >= 0:
            node = nodes[node, PRESENT] if holds[nodes[node, ASKED]] else nodes[node, WITHOUT]
        holds[held] = False
        leaves[i] = node
        more[node, 1] += weights[d]
        more[node, 0] += weights[d] if truth[d] else 0.0
    total = errors[branch]
    for i in range(len(documents)):
        leaf = leaves[i]
        if more[leaf, 1] > 0.0:
            P, N = sums[leaf, 0] + more[leaf, 0], sums[leaf, 1] + more[leaf, 1]
            total += expected_errors(N, P, confidence, z) - errors[leaf]
            more[leaf] = 0.0
    return total


@numba.njit(cache=True, nogil=True)
def _raise(
    branch: int,
    documents: np.ndarray,
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    sums: np.ndarray,
    first: np.ndarray,
    after: np.ndarray,
    changed: np.ndarray,
    holds: np.ndarray,
) -> None:
    """Walk the documents down a branch and leave them there; mark the nodes that they pass."""
    for d in documents:
        node = branch
        held = terms[starts[d] : starts[d + 1]]
        holds[held] = True
        while nodes[node, ASKED] >= 0:
            node = nodes[node, PRESENT] if holds[nodes[node, ASKED]] else nodes[node, WITHOUT]
            changed[node] = True
            sums[node, 1] += weights[d]
            sums[node, 0] += weights[d] if truth[d] else 0.0
        holds[held] = False
        after[d], first[node] = first[node], d


@numba.njit(cache=True, nogil=True)
def _cut(node: int, nodes: np.ndarray, first: np.ndarray, after: np.ndarray, found: np.ndarray) -> None:
    """Make a leaf of a node: the documents of its leaves are its own."""
    size = _documents(node, nodes, first, after, found)
    nodes[node, ASKED], first[node] = -1, -1
    for d in found[:size]:
        after[d], first[node] = first[node], d


@numba.njit(cache=True, nogil=True)
def prune_tree(
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    width: int,
    nodes: np.ndarray,
    sums: np.ndarray,
    order: np.ndarray,
    confidence: float,
    z: float,
) -> None:
    """Prune in place, bottom-up."""
    _collapse(nodes, sums)
    first, after = _listed(nodes, order)
    errors, more, changed = np.zeros(len(nodes)), np.zeros((len(nodes), 2)), np.ones(len(nodes), np.bool_)
    holds, found, leaves = np.zeros(width, np.bool_), np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    waiting = [(0, False)]
    while len(waiting) > 0:
        node, below_done = waiting.pop()
        alone = expected_errors(sums[node, 1], sums[node, 0], confidence, z)
        one, other = nodes[node, PRESENT], nodes[node, WITHOUT]
        if nodes[node, ASKED] < 0:
            errors[node] = alone
        elif not below_done:
            waiting.append((node, True))
            for child in (other, one):
                if changed[child]:
                    waiting.append((child, False))
                    changed[child] = False
        else:
            larger, smaller = (one, other) if sums[one, 1] > sums[other, 1] else (other, one)
            few = found[: _documents(smaller, nodes, first, after, found)]
            errors[node] = errors[one] + errors[other]
            raised = _raised_errors(
                larger, few, starts, terms, truth, weights, nodes, sums, errors, more, holds, leaves, confidence, z
            )
            if alone <= min(raised, errors[node]) + SLACK:
                _cut(node, nodes, first, after, found)
                errors[node] = alone
            elif raised <= errors[node] + SLACK:
                _raise(larger, few, starts, terms, truth, weights, nodes, sums, first, after, changed, holds)
                nodes[node, :FIRST] = nodes[larger, :FIRST]
                waiting.append((node, False))
