"""Label trees: the two halves of a set of categories, the machines of a node, and the search for the best categories.

Problem  many categories are put into a tree of balanced groups; at each node one linear machine per branch (a child, or
         at a leaf a category) says how well a document fits it. Prabhu et al. 2018 (Parabel), Khandagale et al. 2020
         (Bonsai), Jasinska et al. 2016 (probabilistic label trees).
Machine  min over w, b   ½|w − w₀|² + ½((b − b₀) / B)² + C Σ_i max(0, 1 − y_i (w·x_i + b))², by descent along the dual
         variables one document at a time, all branches of a node together: the k scores of a document are one pass
         over its terms, k numbers wide.
Score    of a category in a tree: Π over the nodes on its path of exp(−loss(f)), loss(f) = max(0, 1 − f)² + ε/2 (1 −
         f / (1 + |f|)); ε only keeps scores apart that would all be 1. In the forest: the mean over the trees, where 0
         counts for a tree whose search did not come by.
Cost     learning a node: sweeps × (its stored values) × branches; search: per document beam × depth nodes.
Ties     of equal scores the one met first is kept: earlier nodes and branches first.
Edges    a document without terms is judged by the biases alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists, Rows

__all__ = ["Beam", "Hinge", "LabelForest", "LabelNode", "halve", "learn_node", "merge", "search"]

EPSILON = 1e-3
"""Weight of the second part of the loss."""
ROUNDS, GAIN = 50, 1e-4
"""Rounds of a bisection at most, and the gain in mean similarity below which it ends."""
FEW = 4
"""A step that moves fewer than a FEW-th of the branches is written branch by branch, not over the whole row."""


class Hinge(NamedTuple):
    """How a machine is learned: B, b₀, the step at which to stop, sweeps at most, w₀ as a multiple of a centroid."""

    bias: float
    start: float
    stop: float
    sweeps: int
    prior: float


class LabelNode(NamedTuple):
    """What a node learns from: its documents with their costs, and the branch of each category (−1: not here)."""

    documents: np.ndarray
    costs: np.ndarray
    branch_of: np.ndarray
    branches: int
    categories: np.ndarray
    least: float
    seed: int


class LabelForest(NamedTuple):
    """All nodes of all trees, one after the other.

    Node i has the branches branch_starts[i] : branch_starts[i + 1]; the target of a branch is a node, or a category
    where `leaf[i]`. The weights of node i are those of its terms, term_starts[i] : term_starts[i + 1]; entry e holds
    the weights weight_starts[e] : weight_starts[e + 1], each with its branch within the node.
    """

    roots: np.ndarray
    leaf: np.ndarray
    branch_starts: np.ndarray
    targets: np.ndarray
    biases: np.ndarray
    term_starts: np.ndarray
    terms: np.ndarray
    weight_starts: np.ndarray
    weight_branches: np.ndarray
    weights: np.ndarray


class Beam(NamedTuple):
    """How wide to search: nodes kept per level, categories kept at the end, columns of the documents."""

    nodes: int
    categories: int
    columns: int


@numba.njit(cache=True, nogil=True)
def _add(rows: Rows, row: int, scale: float, into: np.ndarray) -> None:
    for p in range(rows.starts[row], rows.starts[row + 1]):
        into[rows.terms[p]] += scale * rows.values[p]


@numba.njit(cache=True, nogil=True)
def _length(vector: np.ndarray) -> float:
    square = 0.0
    for value in vector:
        square += value * value
    return max(np.sqrt(square), 1e-30)


@numba.njit(cache=True, nogil=True)
def halve(centroids: Rows, categories: np.ndarray, columns: int, seed: int) -> np.ndarray:
    """Return which categories belong to the second half: balanced spherical 2-means of their centroids."""
    n = len(categories)
    second, lean = np.zeros(n, np.bool_), np.empty(n)
    np.random.seed(seed)
    first = np.random.randint(n)
    other = (first + 1 + np.random.randint(n - 1)) % n
    direction, left, right = np.zeros(columns), np.zeros(columns), np.zeros(columns)
    _add(centroids, categories[first], -1.0, direction)
    _add(centroids, categories[other], 1.0, direction)
    before = -np.inf
    for _ in range(ROUNDS):
        for j in range(n):
            lean[j] = 0.0
            for p in range(centroids.starts[categories[j]], centroids.starts[categories[j] + 1]):
                lean[j] += centroids.values[p] * direction[centroids.terms[p]]
        # The upper half by rank, not by sign: both halves must have the same size for the tree to be balanced.
        order = np.argsort(lean, kind="mergesort")
        second[:] = False
        second[order[n // 2 :]] = True
        left[:], right[:] = 0.0, 0.0
        for j in range(n):
            _add(centroids, categories[j], 1.0, right if second[j] else left)
        lengths = _length(left), _length(right)
        similarity = (lengths[0] + lengths[1]) / n  # of a category to its own centre, on average
        direction = right / lengths[1] - left / lengths[0]
        if similarity - before < GAIN:
            break
        before = similarity
    return second


@numba.njit(cache=True, nogil=True)
def _gathered(vectors: Rows, documents: np.ndarray, place: np.ndarray) -> tuple[Rows, np.ndarray]:
    """Return the rows of a node with its own terms numbered 0, 1, …, and those terms; `place` stays −1 everywhere."""
    size = 0
    for d in documents:
        size += vectors.starts[d + 1] - vectors.starts[d]
    starts = np.zeros(len(documents) + 1, np.int64)
    terms, values = np.empty(size, np.uint32), np.empty(size, np.float32)
    known = np.empty(min(size, len(place)), np.int64)
    used, at = 0, 0
    for row in range(len(documents)):
        d = documents[row]
        for p in range(vectors.starts[d], vectors.starts[d + 1]):
            t = vectors.terms[p]
            if place[t] < 0:
                place[t] = used
                known[used] = t
                used += 1
            terms[at], values[at] = place[t], vectors.values[p]
            at += 1
        starts[row + 1] = at
    for t in known[:used]:
        place[t] = -1
    return Rows(starts, terms, values), known[:used].copy()


@numba.njit(cache=True, nogil=True)
def _squares(rows: Rows, bias: float) -> np.ndarray:
    squares = np.full(len(rows.starts) - 1, np.float32(bias * bias))
    for i in range(len(squares)):
        for p in range(rows.starts[i], rows.starts[i + 1]):
            squares[i] += rows.values[p] * rows.values[p]
    return squares


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _sweep(
    rows: Rows, signs: np.ndarray, duals: np.ndarray, W: np.ndarray, biases: np.ndarray, softness: np.ndarray,
    squares: np.ndarray, hinge: Hinge,
) -> float:  # fmt: skip
    """Visit every document once, in a random order; return the largest step taken, in units of the gradient."""
    branches = W.shape[1]
    scores, steps, moved = np.empty(branches, np.float32), np.empty(branches, np.float32), np.empty(branches, np.int64)
    worst, one, zero = np.float32(0), np.float32(1), np.float32(0)
    quiet = np.float32(0.1 * hinge.stop)  # smaller steps would not change whether to stop
    for i in np.random.permutation(len(squares)):
        scores[:] = biases
        for p in range(rows.starts[i], rows.starts[i + 1]):
            value, row = rows.values[p], W[rows.terms[p]]
            for c in range(branches):
                scores[c] += value * row[c]
        curvature = squares[i] + softness[i]
        inverse, sign, dual = one / curvature, signs[i], duals[i]
        for c in range(branches):  # without a branch in it, so that several are computed at once
            gradient = sign[c] * scores[c] - one + softness[i] * dual[c]
            scores[c] = max(dual[c] - gradient * inverse, zero) - dual[c]
        count = 0
        for c in range(branches):
            if abs(scores[c]) * curvature > quiet:
                worst = max(worst, abs(scores[c]) * curvature)
                dual[c] += scores[c]
                steps[count], moved[count] = scores[c] * sign[c], c
                count += 1
        if FEW * count > branches:
            scores[:] = zero
            for q in range(count):
                scores[moved[q]] = steps[q]
            for p in range(rows.starts[i], rows.starts[i + 1]):
                value, row = rows.values[p], W[rows.terms[p]]
                for c in range(branches):
                    row[c] += value * scores[c]
        elif count > 0:
            for p in range(rows.starts[i], rows.starts[i + 1]):
                value, row = rows.values[p], W[rows.terms[p]]
                for q in range(count):
                    row[moved[q]] += value * steps[q]
        for q in range(count):
            biases[moved[q]] += np.float32(hinge.bias * hinge.bias) * steps[q]
    return float(worst)


@numba.njit(cache=True, nogil=True)
def _kept(W: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weights of at least this size: where the terms start, the branch and the value of each."""
    starts = np.zeros(len(W) + 1, np.int64)
    for t in range(len(W)):
        starts[t + 1] = starts[t]
        for c in range(W.shape[1]):
            starts[t + 1] += abs(W[t, c]) >= least
    branches, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    at = 0
    for t in range(len(W)):
        for c in range(W.shape[1]):
            if abs(W[t, c]) >= least:
                branches[at], values[at] = c, W[t, c]
                at += 1
    return starts, branches, values


@numba.njit(cache=True, nogil=True)
def learn_node(
    vectors: Rows, labels: Lists, centroids: Rows, node: LabelNode, hinge: Hinge, columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Learn the machines of a node; return its terms, where their weights start, branches, weights, and biases."""
    place = np.full(columns, -1, np.int64)
    if len(node.documents) == len(vectors.starts) - 1:  # a root: a copy of all vectors would double the memory
        rows, terms = vectors, np.arange(columns)
    else:
        rows, terms = _gathered(vectors, node.documents, place)
    signs = np.full((len(node.documents), node.branches), np.float32(-1))
    for row in range(len(node.documents)):
        d = node.documents[row]
        for p in range(labels.starts[d], labels.starts[d + 1]):
            branch = node.branch_of[labels.items[p]]
            if branch >= 0:
                signs[row, branch] = 1
    W = np.zeros((len(terms), node.branches), np.float32)
    if len(node.categories) > 0:  # a leaf: w₀ is a multiple of the centroid of the category
        place[terms] = np.arange(len(terms))
        for c in range(node.branches):
            category = node.categories[c]
            for p in range(centroids.starts[category], centroids.starts[category + 1]):
                at = place[centroids.terms[p]]
                if at >= 0:
                    W[at, c] = np.float32(hinge.prior) * np.float32(centroids.values[p])
    biases = np.full(node.branches, np.float32(hinge.start))
    duals = np.zeros(signs.shape, np.float32)
    softness = (0.5 / node.costs).astype(np.float32)
    squares = _squares(rows, hinge.bias)
    np.random.seed(node.seed)
    for _ in range(hinge.sweeps):
        if _sweep(rows, signs, duals, W, biases, softness, squares, hinge) < hinge.stop:
            break
    starts, branches, values = _kept(W, node.least)
    used = np.flatnonzero(np.diff(starts))
    return terms[used], np.append(starts[used], starts[-1]), branches, values, biases


@numba.njit(cache=True, nogil=True)
def _node_scores(queries: Rows, forest: LabelForest, node: int, d: int, place: np.ndarray, out: np.ndarray) -> None:
    """Fill in w·x + b of each branch of a node for a document; `place` has the entries of the node's terms."""
    first = forest.branch_starts[node]
    for c in range(len(out)):
        out[c] = forest.biases[first + c]
    for p in range(queries.starts[d], queries.starts[d + 1]):
        entry = place[queries.terms[p]]
        if entry >= 0:
            value = queries.values[p]
            for q in range(forest.weight_starts[entry], forest.weight_starts[entry + 1]):
                out[forest.weight_branches[q]] += value * forest.weights[q]


@numba.njit(cache=True, nogil=True)
def _take_best(f: np.ndarray, base: float, own: np.ndarray, scores: np.ndarray, targets: np.ndarray) -> None:
    """Put the branches of a node among the best of a document, which are in no order but for the worst, which is first.

    `base` is the score of the node, `own` are the targets of its branches.
    """
    for c in range(len(f)):
        short = max(0.0, 1.0 - f[c])
        score = base - short * short
        if score > scores[0]:  # the rest of the loss only makes it less
            score -= EPSILON / 2 * (1.0 - f[c] / (1.0 + abs(f[c])))
            if score > scores[0]:
                scores[0], targets[0] = score, own[c]
                worst = 0
                for q in range(1, len(scores)):
                    if scores[q] < scores[worst]:
                        worst = q
                scores[0], scores[worst] = scores[worst], scores[0]
                targets[0], targets[worst] = targets[worst], targets[0]


@numba.njit(cache=True, nogil=True)
def search(queries: Rows, forest: LabelForest, root: int, beam: Beam) -> tuple[np.ndarray, np.ndarray]:
    """Return the best categories of each document in one tree and the logarithms of their scores, in no order.

    Places that are not filled hold category −1. Documents are taken through the tree level by level and grouped by
    node, so that the weights of a node are looked up once for all its documents.
    """
    n = len(queries.starts) - 1
    place = np.full(beam.columns, -1, np.int64)
    scores, found = np.full((n, beam.categories), -np.inf), np.full((n, beam.categories), np.int64(-1))
    waiting, nodes, sums = np.arange(n), np.full(n, root), np.zeros(n)
    while len(waiting) > 0:
        order = np.argsort(nodes, kind="mergesort")
        level, children = np.full((n, beam.nodes), -np.inf), np.full((n, beam.nodes), np.int64(-1))
        at = 0
        while at < len(order):
            node = nodes[order[at]]
            first = forest.branch_starts[node]
            own = forest.targets[first : forest.branch_starts[node + 1]]
            out = np.empty(len(own))
            for entry in range(forest.term_starts[node], forest.term_starts[node + 1]):
                place[forest.terms[entry]] = entry
            while at < len(order) and nodes[order[at]] == node:
                d = waiting[order[at]]
                _node_scores(queries, forest, node, d, place, out)
                if forest.leaf[node]:
                    _take_best(out, sums[order[at]], own, scores[d], found[d])
                else:
                    _take_best(out, sums[order[at]], own, level[d], children[d])
                at += 1
            for entry in range(forest.term_starts[node], forest.term_starts[node + 1]):
                place[forest.terms[entry]] = -1
        waiting, slots = np.nonzero(children >= 0)
        nodes, sums = np.empty(len(waiting), np.int64), np.empty(len(waiting))
        for i in range(len(waiting)):
            nodes[i], sums[i] = children[waiting[i], slots[i]], level[waiting[i], slots[i]]
    return scores, found


@numba.njit(cache=True, nogil=True)
def merge(scores: np.ndarray, found: np.ndarray, trees: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best categories of each document over all trees and their mean scores, best first, −1 where none."""
    n, width = scores.shape
    best, values = np.full((n, k), np.int64(-1)), np.zeros((n, k))
    for i in range(n):
        order = np.argsort(found[i], kind="mergesort")
        categories, sums, count = np.empty(width, np.int64), np.zeros(width), 0
        for q in order:
            if found[i, q] < 0:
                continue
            if count == 0 or categories[count - 1] != found[i, q]:
                categories[count] = found[i, q]
                count += 1
            sums[count - 1] += np.exp(scores[i, q]) / trees
        ranking = np.argsort(-sums[:count], kind="mergesort")
        for r in range(min(k, count)):
            best[i, r], values[i, r] = categories[ranking[r]], sums[ranking[r]]
    return best, values
