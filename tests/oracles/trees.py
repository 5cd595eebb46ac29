"""C4.5 and IND on word presence, slow and plain: sets of documents, recursion, entropies written out."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import lgamma, log2

import numpy as np

CLOSE = 1e-10


@dataclass
class Node:
    rows: list
    P: float
    N: float
    asked: int = -1
    present: Node | None = None
    without: Node | None = None


def entropy(N, P):
    return -sum(part / N * log2(part / N) for part in (P, N - P) if part > 0) if N > 0 else 0.0


def make(rows, truth, weights):
    N, P = sum(weights[r] for r in rows), sum(weights[r] for r in rows if truth[r])
    return Node(list(rows), P, N)


def grown(X, truth, weights, *, least, ratio):
    """The whole tree over the rows of positive weight."""

    def build(rows):
        node = make(rows, truth, weights)
        if node.P == 0 or node.P == node.N or 2 * least > node.N:
            return node
        tests = {}
        for t in range(X.shape[1]):
            yes, no = ([r for r in rows if bool(X[r, t] > 0) == side] for side in (True, False))
            a, b = make(yes, truth, weights), make(no, truth, weights)
            if min(a.N, b.N) < least:
                continue
            gain = entropy(node.N, node.P) - a.N / node.N * entropy(a.N, a.P) - b.N / node.N * entropy(b.N, b.P)
            tests[t] = (gain, entropy(node.N, a.N), yes, no)
        if not tests:
            return node
        average = sum(gain for gain, *_ in tests.values()) / len(tests)
        worths = {
            t: (gain / split if gain >= average - CLOSE else 0.0) if ratio else gain
            for t, (gain, split, _, _) in tests.items()
            if gain > CLOSE
        }
        if not worths or max(worths.values()) <= CLOSE:
            return node
        node.asked = min(t for t, worth in worths.items() if worth >= max(worths.values()) - CLOSE)
        node.present, node.without = build(tests[node.asked][2]), build(tests[node.asked][3])
        return node

    return build([r for r in range(len(truth)) if weights[r] > 0])


def deviation(confidence):
    """C4.5's table, read between the lines."""
    table = [(0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)]
    for (low, z), (high, next_z) in itertools.pairwise([*table, (1.0, 0.0)]):
        if low <= confidence <= high:
            return z + (next_z - z) * (confidence - low) / (high - low)
    raise ValueError(confidence)


def added(N, E, confidence):
    """C4.5's AddErrs: errors to expect beyond the E seen among N."""
    if E < 1e-6:
        return N * (1 - confidence ** (1 / N))
    if E < 0.9999:
        none = added(N, 0, confidence)
        return none + E * (added(N, 1.0, confidence) - none)
    if E + 0.5 >= N:
        return 0.67 * (N - E)
    z2 = deviation(confidence) ** 2
    rate = (E + 0.5 + z2 / 2 + np.sqrt(z2 * ((E + 0.5) * (1 - (E + 0.5) / N) + z2 / 4))) / (N + z2)
    return N * rate - E


def leaf_errors(node, confidence):
    E = min(node.P, node.N - node.P)
    return E + added(node.N, E, confidence) if node.N > 0 else 0.0


def collapsed(node):
    """Training errors of the subtree; a node that makes no more by itself becomes a leaf."""
    own = min(node.P, node.N - node.P)
    if node.asked < 0:
        return own
    below = collapsed(node.present) + collapsed(node.without)
    if below >= own - 1e-3:
        node.asked = -1
        return own
    return below


def estimate(node, rows, X, truth, weights, confidence, *, update):
    """Errors to expect of a subtree that gets these rows; with `update` the subtree takes them and is pruned."""
    here = make(rows, truth, weights)
    if update:
        node.rows, node.P, node.N = here.rows, here.P, here.N
    alone = leaf_errors(here, confidence)
    if node.asked < 0:
        return alone
    parts = [[r for r in rows if bool(X[r, node.asked] > 0) == side] for side in (True, False)]
    branches = [node.present, node.without]
    tree = sum(
        estimate(branch, part, X, truth, weights, confidence, update=update)
        for branch, part in zip(branches, parts, strict=True)
    )
    if not update:
        return tree
    larger = node.present if node.present.N > node.without.N else node.without
    raised = estimate(larger, rows, X, truth, weights, confidence, update=False)
    if alone <= raised + 0.1 and alone <= tree + 0.1:
        node.asked = -1
        return alone
    if raised <= tree + 0.1:
        node.asked, node.present, node.without = larger.asked, larger.present, larger.without
        return estimate(node, rows, X, truth, weights, confidence, update=True)
    return tree


def c45(X, truth, weights, *, least=2, confidence=0.25):
    root = grown(X, truth, weights, least=least, ratio=True)
    if confidence < 1:
        collapsed(root)
        estimate(root, root.rows, X, truth, weights, confidence, update=True)
    return root


def ind(X, truth, weights, *, least=10):
    return grown(X, truth, weights, least=least, ratio=False)


def plain(node):
    """The tree as nested tuples: (column, with, without), or (positives, documents)."""
    if node.asked < 0:
        return (node.P, node.N)
    return (node.asked, plain(node.present), plain(node.without))


def log_beta(x, y):
    return lgamma(x) + lgamma(y) - lgamma(x + y)


def prunings(node, a, leaf):
    """Every pruning of a tree: (log of prior times evidence, the leaves that it cuts the tree to)."""
    own = log_beta(node.P + a, node.N - node.P + a) - log_beta(a, a)
    if node.asked < 0:
        return [(own, [node])]
    found = [(np.log(leaf) + own, [node])]
    for one, leaves in prunings(node.present, a, leaf):
        found += [(np.log(1 - leaf) + one + other, leaves + more) for other, more in prunings(node.without, a, leaf)]
    return found


def averaged(root, x, a, leaf):
    """The probability of a row as the mean over all prunings, one by one."""
    path, node = [root], root
    while node.asked >= 0:
        node = node.present if x[node.asked] > 0 else node.without
        path.append(node)
    every = prunings(root, a, leaf)
    weights = np.exp(np.array([log for log, _ in every]) - max(log for log, _ in every))
    means = []
    for _, leaves in every:
        end = next(node for node in path if any(node is each for each in leaves))
        means.append((end.P + a) / (end.N + 2 * a))
    return float(weights @ np.array(means) / weights.sum())
