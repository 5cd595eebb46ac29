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
Cost     the documents of the smaller branch are walked down the larger one at every node; no recursion.
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
def _holds(held: np.ndarray, term: int) -> bool:
    low, high = 0, len(held)
    while low < high:
        middle = (low + high) // 2
        if held[middle] < term:
            low = middle + 1
        else:
            high = middle
    return low < len(held) and held[low] == term


@numba.njit(cache=True, nogil=True)
def _leaf_of(held: np.ndarray, node: int, nodes: np.ndarray) -> int:
    while nodes[node, ASKED] >= 0:
        node = nodes[node, PRESENT] if _holds(held, nodes[node, ASKED]) else nodes[node, WITHOUT]
    return node


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
def _settle(
    top: int,
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    sums: np.ndarray,
    order: np.ndarray,
) -> None:
    """Deal the documents of a node to all nodes under it."""
    for node in reachable(nodes, top):
        if nodes[node, ASKED] < 0:
            continue
        first, last = nodes[node, FIRST], nodes[node, LAST]
        middle, P, N = first, 0.0, 0.0
        for i in range(first, last):
            d = order[i]
            if _holds(terms[starts[d] : starts[d + 1]], nodes[node, ASKED]):
                order[i], order[middle] = order[middle], d
                middle += 1
                N += weights[d]
                P += weights[d] if truth[d] else 0.0
        one, other = nodes[node, PRESENT], nodes[node, WITHOUT]
        nodes[one, FIRST], nodes[one, LAST], nodes[other, FIRST], nodes[other, LAST] = first, middle, middle, last
        sums[one, 0], sums[one, 1] = P, N
        sums[other, 0], sums[other, 1] = sums[node, 0] - P, sums[node, 1] - N


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
    confidence: float,
    z: float,
) -> float:
    """Errors to expect of a branch whose leaves take in these documents too; `more` is zero before and after."""
    leaves = np.empty(len(documents), np.int64)
    for i in range(len(documents)):
        d = documents[i]
        leaves[i] = _leaf_of(terms[starts[d] : starts[d + 1]], branch, nodes)
        more[leaves[i], 1] += weights[d]
        more[leaves[i], 0] += weights[d] if truth[d] else 0.0
    total = errors[branch]
    for i in range(len(leaves)):
        leaf = leaves[i]
        if more[leaf, 1] > 0.0:
            P, N = sums[leaf, 0] + more[leaf, 0], sums[leaf, 1] + more[leaf, 1]
            total += expected_errors(N, P, confidence, z) - errors[leaf]
            more[leaf] = 0.0
    return total


@numba.njit(cache=True, nogil=True)
def prune_tree(
    starts: np.ndarray,
    terms: np.ndarray,
    truth: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    sums: np.ndarray,
    order: np.ndarray,
    confidence: float,
    z: float,
) -> None:
    """Prune in place, bottom-up."""
    _collapse(nodes, sums)
    errors, more = np.zeros(len(nodes)), np.zeros((len(nodes), 2))
    waiting = [(0, False)]
    while len(waiting) > 0:
        node, below_done = waiting.pop()
        leaf_errors = expected_errors(sums[node, 1], sums[node, 0], confidence, z)
        if nodes[node, ASKED] < 0:
            errors[node] = leaf_errors
            continue
        one, other = nodes[node, PRESENT], nodes[node, WITHOUT]
        if not below_done:
            waiting.append((node, True))
            waiting.append((other, False))
            waiting.append((one, False))
            continue
        larger, smaller = (one, other) if sums[one, 1] > sums[other, 1] else (other, one)
        few = order[nodes[smaller, FIRST] : nodes[smaller, LAST]]
        tree_errors = errors[one] + errors[other]
        branch_errors = _raised_errors(
            larger, few, starts, terms, truth, weights, nodes, sums, errors, more, confidence, z
        )
        errors[node] = tree_errors
        if leaf_errors <= min(branch_errors, tree_errors) + SLACK:
            nodes[node, ASKED], errors[node] = -1, leaf_errors
        elif branch_errors <= tree_errors + SLACK:
            nodes[node, : PRESENT + 2] = nodes[larger, : PRESENT + 2]
            _settle(node, starts, terms, truth, weights, nodes, sums, order)
            waiting.append((node, False))
