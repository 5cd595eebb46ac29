"""Prune a tree by its estimated errors, with subtree raising; and arrange nodes.

Problem  with E errors among N training documents at a leaf, the errors to expect are N · U(E, N), U the upper limit of
         the error rate at a confidence. Replace a node by a leaf where that is no worse than its subtree, or by its
         larger branch, whose leaves then take in the documents of the other branch (quinlan1993, sections 4.2 and 4.3).
Given    the documents, a tree of `kernels.tree.grow_tree`, and the limit of errors.
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

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.tree import ASKED, FIRST, LAST, PRESENT, WITHOUT, Tree, TreeCases

__all__ = ["ErrorLimit", "expected_errors", "prune_tree", "reachable"]

SLACK = 0.1
"""Errors that a simpler tree may cost: C4.5, release 8."""
SAME = 1e-3
"""Training errors that count as none: C4.5, release 8."""


class ErrorLimit(NamedTuple):
    """The confidence of the upper limit, and z, how many standard deviations it stands for."""

    confidence: float
    z: float


class _Pruning(NamedTuple):
    """A tree on the way to be pruned.

    The documents of a leaf are a list: `first` of the leaf, then `after` each document; −1 ends it. `errors` are those
    to expect of each node; `changed` marks nodes to be looked at; `more`, `holds`, `documents` and `leaves` are scratch
    space (`more` is zero and `holds` false between uses).
    """

    cases: TreeCases
    tree: Tree
    limit: ErrorLimit
    first: np.ndarray
    after: np.ndarray
    errors: np.ndarray
    changed: np.ndarray
    more: np.ndarray
    holds: np.ndarray
    documents: np.ndarray
    leaves: np.ndarray


@numba.njit(cache=True, nogil=True)
def expected_errors(N: float, P: float, limit: ErrorLimit) -> float:
    """Return the errors to expect of a leaf that says what most of its N documents are, P of them positive."""
    E = min(P, N - P)
    if N <= 0.0:
        return 0.0
    none = N * (1.0 - limit.confidence ** (1.0 / N))
    if E < 1e-6:
        return none
    # Below one error C4.5 interpolates between the exact limit for none and Wilson's for one.
    if E < 0.9999:
        return E + none + E * (_more(N, 1.0, limit.z) - none)
    return E + _more(N, E, limit.z)


@numba.njit(cache=True, nogil=True)
def _more(N: float, E: float, z: float) -> float:
    """Return the errors to expect beyond the E seen: Wilson's upper limit, with half an error more."""
    if E + 0.5 >= N:
        return 0.67 * (N - E)
    e, z2 = E + 0.5, z * z
    return N * (e + z2 / 2 + np.sqrt(z2 * (e * (1 - e / N) + z2 / 4))) / (N + z2) - E


@numba.njit(cache=True, nogil=True)
def reachable(nodes: np.ndarray, root: int) -> np.ndarray:
    """Return the nodes under a root, it first, each before its children, the child with the word first."""
    below, size, waiting = np.empty(len(nodes), np.int64), 0, [root]
    while len(waiting) > 0:
        node = waiting.pop()
        below[size] = node
        size += 1
        if nodes[node, ASKED] >= 0:
            waiting.append(nodes[node, WITHOUT])
            waiting.append(nodes[node, PRESENT])
    return below[:size].copy()


@numba.njit(cache=True, nogil=True)
def _collapse(nodes: np.ndarray, sums: np.ndarray) -> None:
    """Make leaves of nodes whose leaves together err as often on the training documents."""
    wrong = np.minimum(sums[:, 0], sums[:, 1] - sums[:, 0])
    # Children come after their parents: from the last node on, those below are decided first.
    for node in range(len(nodes) - 1, -1, -1):
        if nodes[node, ASKED] >= 0:
            below = wrong[nodes[node, PRESENT]] + wrong[nodes[node, WITHOUT]]
            if below >= wrong[node] - SAME:
                nodes[node, ASKED] = -1
            else:
                wrong[node] = below


@numba.njit(cache=True, nogil=True)
def _listed(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents of each leaf as a list: its first document, and the document after each; −1 ends it."""
    nodes, order = tree.nodes, tree.order
    first, after = np.full(len(nodes), -1, np.int64), np.full(len(order), -1, np.int64)
    for leaf in reachable(nodes, 0):
        if nodes[leaf, ASKED] < 0:
            for i in range(nodes[leaf, FIRST], nodes[leaf, LAST]):
                after[order[i]], first[leaf] = first[leaf], order[i]
    return first, after


@numba.njit(cache=True, nogil=True)
def _documents(state: _Pruning, node: int) -> np.ndarray:
    """Return the documents of the leaves under a node, in the scratch space."""
    nodes, first, after, documents, size = state.tree.nodes, state.first, state.after, state.documents, 0
    for leaf in reachable(nodes, node):
        d = first[leaf] if nodes[leaf, ASKED] < 0 else -1
        while d >= 0:
            documents[size] = d
            size += 1
            d = after[d]
    return documents[:size]


@numba.njit(cache=True, nogil=True)
def _raised_errors(state: _Pruning, branch: int, documents: np.ndarray) -> float:
    """Return the errors to expect of a branch whose leaves take in these documents too."""
    (nodes, sums, _), ((starts, terms), _, truth, weights, _) = state.tree, state.cases
    more, holds, leaves, errors = state.more, state.holds, state.leaves, state.errors
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
    # Only leaves that got documents change: the errors of the branch are corrected by theirs, each leaf once.
    total = errors[branch]
    for i in range(len(documents)):
        leaf = leaves[i]
        if more[leaf, 1] > 0.0:
            P, N = sums[leaf, 0] + more[leaf, 0], sums[leaf, 1] + more[leaf, 1]
            total += expected_errors(N, P, state.limit) - errors[leaf]
            more[leaf] = 0.0
    return total


@numba.njit(cache=True, nogil=True)
def _raise(state: _Pruning, branch: int, documents: np.ndarray) -> None:
    """Walk the documents down a branch and leave them there; mark the nodes that they pass."""
    (nodes, sums, _), ((starts, terms), _, truth, weights, _) = state.tree, state.cases
    holds, changed, first, after = state.holds, state.changed, state.first, state.after
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
def _cut(state: _Pruning, node: int) -> None:
    """Make a leaf of a node: the documents of its leaves are its own."""
    documents = _documents(state, node)
    state.tree.nodes[node, ASKED], state.first[node] = -1, -1
    for d in documents:
        state.after[d], state.first[node] = state.first[node], d


@numba.njit(cache=True, nogil=True)
def _state(cases: TreeCases, tree: Tree, limit: ErrorLimit) -> _Pruning:
    """Return a tree with its lists of documents, and scratch space; every node is to be looked at."""
    nodes, documents = len(tree.nodes), len(tree.order)
    first, after = _listed(tree)
    return _Pruning(
        cases,
        tree,
        limit,
        first,
        after,
        np.zeros(nodes),
        np.ones(nodes, np.bool_),
        np.zeros((nodes, 2)),
        np.zeros(len(cases.counts), np.bool_),
        np.empty(documents, np.int64),
        np.empty(documents, np.int64),
    )


@numba.njit(cache=True, nogil=True)
def prune_tree(cases: TreeCases, tree: Tree, limit: ErrorLimit) -> None:
    """Prune in place, bottom-up."""
    nodes, sums, _ = tree
    _collapse(nodes, sums)
    state = _state(cases, tree, limit)
    errors, waiting = state.errors, [(0, False)]
    while len(waiting) > 0:
        node, below_done = waiting.pop()
        alone = expected_errors(sums[node, 1], sums[node, 0], limit)
        one, other = nodes[node, PRESENT], nodes[node, WITHOUT]
        if nodes[node, ASKED] < 0:
            errors[node] = alone
        elif not below_done:
            waiting.append((node, True))
            for child in (other, one):
                # After raising, only nodes that have got documents are looked at again.
                if state.changed[child]:
                    waiting.append((child, False))
                    state.changed[child] = False
        else:
            # Three candidates: a leaf, the larger branch with the documents of the smaller one, the subtree as it is.
            larger, smaller = (one, other) if sums[one, 1] > sums[other, 1] else (other, one)
            few = _documents(state, smaller)
            errors[node] = errors[one] + errors[other]
            raised = _raised_errors(state, larger, few)
            if alone <= min(raised, errors[node]) + SLACK:
                _cut(state, node)
                errors[node] = alone
            elif raised <= errors[node] + SLACK:
                # The larger branch takes the place of the node, which is then looked at again.
                _raise(state, larger, few)
                nodes[node, :FIRST] = nodes[larger, :FIRST]
                waiting.append((node, False))
