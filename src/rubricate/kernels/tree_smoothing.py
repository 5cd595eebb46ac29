"""Average a class probability tree over all of its prunings. buntine1992, section 4.

Problem  a tree whose nodes may each be a leaf (prior chance `leaf`) or go on. With p positives among n documents and a
         Beta(a, a) prior on the chance of a positive, a leaf has the evidence and the estimate
             L = B(p + a, n − p + a) / B(a, a)          (p + a) / (n + 2a)
         and a node the evidence S = leaf · L + (1 − leaf) · S(child) · S(other child); at the bottom S = L.
         The posterior chance that it is a leaf is w = leaf · L / S, and the probability at the end of a path is the
         mean of its nodes' estimates: q = w · estimate + (1 − w) · q(child).
Given    a tree of `kernels.tree`; a; leaf.
Return   for each node the weighted mean of the estimates on the path down to it, as if it were the last: what a
         document gets that ends there.
Cost     the nodes. Evidence is kept as logarithms: a thousand documents underflow.
"""

from __future__ import annotations

from math import lgamma, log, log1p

import numba
import numpy as np

from rubricate.kernels.tree import ASKED, PRESENT, WITHOUT, Tree

__all__ = ["smooth"]


@numba.njit(cache=True, nogil=True)
def _log_evidence(P: float, N: float, a: float) -> float:
    """Return log L; sums below 0 by rounding count as 0."""
    P, rest = max(P, 0.0), max(N - P, 0.0)
    return lgamma(P + a) + lgamma(rest + a) - lgamma(P + rest + 2 * a) + lgamma(2 * a) - 2 * lgamma(a)


@numba.njit(cache=True, nogil=True)
def _log_sum(first: float, second: float) -> float:
    """Return log(e^first + e^second) without overflow."""
    high, low = max(first, second), min(first, second)
    return high + log1p(np.exp(low - high))


@numba.njit(cache=True, nogil=True)
def smooth(tree: Tree, a: float, leaf: float) -> np.ndarray:
    """Return the smoothed probability at each node."""
    nodes, sums, _ = tree
    evidence, stop = np.empty(len(nodes)), np.ones(len(nodes))
    # Children come after parents: evidence is gathered from the last node up, estimates are handed down from the first.
    for node in range(len(nodes) - 1, -1, -1):
        own = _log_evidence(sums[node, 0], sums[node, 1], a)
        evidence[node] = own
        if nodes[node, ASKED] >= 0:
            below = evidence[nodes[node, PRESENT]] + evidence[nodes[node, WITHOUT]]
            evidence[node] = _log_sum(log(leaf) + own, log(1 - leaf) + below)
            stop[node] = np.exp(log(leaf) + own - evidence[node])
    mean, going_on = np.zeros(len(nodes)), np.ones(len(nodes))
    smoothed = np.empty(len(nodes))
    for node in range(len(nodes)):
        estimate = (sums[node, 0] + a) / (sums[node, 1] + 2 * a)
        smoothed[node] = mean[node] + going_on[node] * estimate
        if nodes[node, ASKED] >= 0:
            # A document goes on past this node with chance 1 − w; its share of the mean is handed to the children.
            for child in (nodes[node, PRESENT], nodes[node, WITHOUT]):
                mean[child] = mean[node] + going_on[node] * stop[node] * estimate
                going_on[child] = going_on[node] * (1 - stop[node])
    return smoothed
