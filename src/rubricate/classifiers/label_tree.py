"""Grow label trees: balanced groups of categories by the centroids of their documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Keeping, Scorer, contributions
from rubricate.classifiers.rows import unit_centroids
from rubricate.engines import free_cores, run_on_threads
from rubricate.errors import InvalidInput
from rubricate.native.label_trees import (
    Beam,
    Hinge,
    LabelForest,
    LabelNode,
    halve,
    merge_trees,
    search_tree,
    train_node,
)
from rubricate.native.neighbours import check_rows
from rubricate.native.sparse import Lists, Rows
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Scores, Sparse

__all__ = ["Branching", "LabelTree", "centroids_of", "grow", "learn_forest"]


@dataclass
class Branching:
    """A node while a tree grows: its categories, and the numbers of its children; none at a leaf."""

    categories: Ints
    children: list[int] = field(default_factory=list)


def centroids_of(X: Sparse, labels: Sparse, weights: Floats) -> Rows:
    """Return the weighted sum of the documents of each category, made length 1."""
    sums = unit_centroids(X, labels, weights)
    return Rows(sums.indptr.astype(np.int64), sums.indices.astype(np.int32), sums.data)


def grow(centroids: Rows, categories: Ints, *, columns: int, branch: int, leaf: int, seed: int) -> list[Branching]:
    """Return the nodes of a tree, parents before children: groups are halved until they fit a leaf.

    A node has up to `branch` children (rounded up to a power of two): its categories are halved repeatedly.
    """
    draw = np.random.default_rng(seed)
    nodes = [Branching(categories)]
    for node in nodes:  # grows while it is read
        if len(node.categories) <= leaf:
            continue
        parts = [node.categories]
        while len(parts) < branch and max(map(len, parts)) > leaf:
            parts = [half for part in parts for half in _halves(centroids, part, columns, int(draw.integers(2**31)))]
        for part in parts:
            node.children.append(len(nodes))
            nodes.append(Branching(part))
    return nodes


def _halves(centroids: Rows, categories: Ints, columns: int, seed: int) -> tuple[Ints, ...]:
    if len(categories) < 2:
        return (categories,)
    second = halve(centroids, categories, columns=columns, seed=seed)
    return categories[~second], categories[second]


def learn_forest(
    vectors: Rows,
    labels: Sparse,
    trees: Sequence[list[Branching]],
    *,
    centroids: Rows,
    costs: Floats,
    hinge: Hinge,
    least: float,
    columns: int,
    seed: int,
    threads: int,
) -> LabelForest:
    """Learn every node of every tree, the largest first; the result does not depend on the number of threads."""
    given = Lists(labels.indptr.astype(np.int64), labels.indices.astype(np.int32))
    for rows, width in ((vectors, columns), (Rows(*given, given.items), labels.shape[1]), (centroids, columns)):
        check_rows(rows, width)
    by_category = labels.T.tocsr()
    nodes = [node for tree in trees for node in tree]

    def learn(number: int) -> Any:
        node = nodes[number]
        branch_of = np.full(labels.shape[1], -1, np.int64)
        first = number - _position(trees, number)
        parts = [nodes[first + child].categories for child in node.children] or node.categories[:, None]
        for branch, part in enumerate(parts):
            branch_of[part] = branch
        documents = np.unique(by_category[node.categories].indices).astype(np.int64)
        leaf = None if node.children else node.categories
        work = LabelNode(documents, costs[documents], branch_of, len(parts), leaf, least, (seed + number) % 2**64)
        return train_node(vectors, given, centroids, node=work, hinge=hinge, columns=columns)

    order = sorted(range(len(nodes)), key=lambda number: -len(nodes[number].categories))
    learned = dict(zip(order, run_on_threads(learn, order, threads), strict=True))
    return _joined(trees, [learned[number] for number in range(len(nodes))])


def _position(trees: Sequence[list[Branching]], number: int) -> int:
    """Return the place within its tree of a node that is numbered through all trees."""
    for tree in trees:
        if number < len(tree):
            return number
        number -= len(tree)
    raise IndexError(number)


def _joined(trees: Sequence[list[Branching]], learned: list[Any]) -> LabelForest:
    roots = np.cumsum([0, *map(len, trees)])[:-1]
    nodes = [node for tree in trees for node in tree]
    bases = np.repeat(roots, [len(tree) for tree in trees])
    targets = [
        np.array(node.children) + base if node.children else node.categories
        for node, base in zip(nodes, bases, strict=True)
    ]
    terms, starts, branches, weights, biases = zip(*learned, strict=True)
    sizes = np.cumsum([0, *(part[-1] for part in starts)])
    return LabelForest(
        roots=roots.astype(np.int64),
        leaf=np.array([not node.children for node in nodes]),
        branch_starts=_starts(targets),
        targets=np.concatenate(targets).astype(np.int64),
        biases=np.concatenate(biases),
        term_starts=_starts(terms),
        terms=np.concatenate(terms).astype(np.int64),
        weight_starts=np.concatenate([[0], *(part[1:] + size for part, size in zip(starts, sizes, strict=False))]),
        weight_branches=np.concatenate(branches),
        weights=np.concatenate(weights),
    )


def _starts(parts: Sequence[Any]) -> Ints:
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)


KEPT = 30
"""Categories of a document that each tree hands on at least."""
BLOCK = 4096
"""Documents that are searched for together."""
CELLS = 1 << 22
"""Scores of all trees that are held at once where each hands on all that it came by."""
START = -1.0
"""Where biases start: most documents are not of a category, and then begin without loss."""
COUNTS = ("trees", "branch", "leaf", "beam", "sweeps")


@classifier("label_tree")
class LabelTree(Keeping, Scorer):
    """Groups of categories in a tree, linear machines at its nodes, a beam search for the best; an ensemble of such.

    For thousands of categories and more: learning costs about depth × branches machines per document instead of one
    per category, scoring the nodes on the beam instead of all categories. Up to a few hundred categories one SVM per
    category is as good and needs no tree; with `leaf` categories or fewer there is only the root.

    The tree: categories are halved by balanced spherical 2-means of the centroids of their documents, `branch` children
    to a node, until `leaf` categories are left. Each tree starts its halvings elsewhere. At a node learn the documents
    that have a category below it. Formulas: native/label_trees.c.

    Scores are from 0 to 1, 0 for a category that no search came by; `predict` of a multi-label y takes those above
    exp(−1), the score of a document on the border of a machine. A category without documents has score 0.

    Learned: the arrays of `native.label_trees.LabelForest`, each with `_` behind its name.

    Parameters
    ----------
    trees
        Trees in the ensemble; 1 is three times as fast and a little less exact.
    branch
        Children of a node, rounded up to a power of two.
    leaf
        Most categories of a leaf.
    C
        Cost of an error, as of an SVM. It does not transfer between corpora: choose it by folds.
    beam
        Nodes kept at each level of the search.
    prior
        The weights of a category are drawn to so many times the centroid of its documents instead of 0, which helps
        where categories have one or two documents.
    bias
        Size of the column of ones that the bias is the weight of.
    least
        Weights below this size are dropped.
    tol
        A node is learned when no step of a sweep is larger.
    sweeps
        Sweeps over the documents of a node at most.
    seed
        Draws the first halvings and the order of documents.
    threads
        Nodes learned, and documents scored, at once; None for as many as there are cores. The result does not depend
        on it.

    Examples
    --------
    >>> model = LabelTree(leaf=2, trees=1).fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 2, ["corn", "gold", "ship"] * 2)
    >>> model.predict([[0, 1, 0], [0, 0, 1]]).tolist()
    ['gold', 'ship']
    """

    _natural_cut = float(np.exp(-1.0))
    roots_: Ints
    targets_: Ints

    def __init__(
        self,
        trees: int = 3,
        *,
        branch: int = 8,
        leaf: int = 100,
        C: float = 1.0,
        beam: int = 10,
        prior: float = 2.0,
        bias: float = 0.3,
        least: float = 0.1,
        tol: float = 0.3,
        sweeps: int = 20,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.trees = trees
        self.branch = branch
        self.leaf = leaf
        self.C = C
        self.beam = beam
        self.prior = prior
        self.bias = bias
        self.least = least
        self.tol = tol
        self.sweeps = sweeps
        self.seed = seed
        self.threads = threads

    def top(self, X: Any, k: int) -> Scores:
        """Return the k best categories of each document as sparse scores, fewer where the searches came by fewer."""
        if k < 1:
            raise InvalidInput(f"top: k must be at least 1, got {k}")
        X = self._take_vectors(X)
        values = self._found(X, k)
        floor = float(values.data.min()) if values.nnz else 0.0
        return Scores(values, self.categories_, [str(i) for i in range(X.shape[0])], floor)

    def finds_best(self, X: Any) -> bool:
        """Tell that the best categories are found without the scores of all."""
        return True

    def limited(self, X: Any, k: int) -> Scores:
        """Return the k best of all scores that are not 0; with as many handed on by each tree as it came by."""
        X = self._take_vectors(X)
        reach = min(self.beam * self.leaf * self.trees, len(self.categories_))
        rows = max(1, CELLS // (reach * self.trees))
        parts = [self._found(X[s : s + rows], k, handed=reach) for s in range(0, X.shape[0], rows)]
        return Scores(sparse.csr_array(sparse.vstack(parts)), self.categories_, range(X.shape[0]), 0.0)  # type: ignore[arg-type]

    def predict_proba(self, X: Any) -> Floats:
        """Return the scores, which are from 0 to 1; for a single-label y each row is scaled to sum to 1."""
        scores = self._score(self._take_vectors(X))
        if self.multilabel_:
            return scores
        sums = scores.sum(axis=1, keepdims=True)
        return np.where(sums > 0, scores / np.where(sums > 0, sums, 1.0), 1.0 / scores.shape[1])

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        X = sparse.csr_array(X)
        costs = np.full(X.shape[0], float(self.C)) if weights is None else self.C * weights
        if weights is not None:  # a document of weight 0 is as good as absent
            X, labels, costs = X[weights > 0], sparse.csr_array(labels[weights > 0]), costs[weights > 0]
        centroids, columns = centroids_of(X, labels, costs), X.shape[1]
        present = np.flatnonzero(np.bincount(labels.indices, minlength=labels.shape[1]))
        options = {"columns": columns, "branch": self.branch, "leaf": self.leaf}
        workers = _workers(self.threads)
        seeds = [int(self.seed) + number for number in range(self.trees)]
        trees = run_on_threads(lambda seed: grow(centroids, present, seed=seed, **options), seeds, workers)
        hinge = Hinge(float(self.bias), START, float(self.tol), int(self.sweeps), float(self.prior))
        self._keep(
            learn_forest(
                _rows(X),
                labels,
                trees,
                centroids=centroids,
                costs=costs,
                hinge=hinge,
                least=float(self.least),
                columns=columns,
                seed=int(self.seed),
                threads=workers,
            )
        )

    def _score(self, X: Any) -> Floats:
        return self._found(sparse.csr_array(X), len(self.categories_)).toarray()

    def _found(self, X: Any, k: int, handed: int = 0) -> Sparse:
        """Return the scores of the k best categories of each document that the searches came by.

        Each tree hands on at least `handed` of them, and twice k.
        """
        X, forest = sparse.csr_array(X), self._recall(LabelForest)
        reach = min(self.beam * self.leaf * self.trees, len(self.categories_))
        k = min(k, reach)
        beam = Beam(int(self.beam), min(max(KEPT, 2 * k, handed), reach), X.shape[1])

        def best(start: int) -> tuple[Ints, Floats]:
            rows = _rows(X[start : start + BLOCK])
            parts = [search_tree(rows, forest, int(root), beam) for root in forest.roots]
            scores = np.concatenate([scores for scores, _ in parts], axis=1)
            found = np.concatenate([found for _, found in parts], axis=1)
            return merge_trees(scores, found, trees=len(parts), k=k)

        blocks = run_on_threads(best, [*range(0, X.shape[0], BLOCK)], _workers(self.threads))
        columns = np.concatenate([found for found, _ in blocks]) if blocks else np.empty((0, k), np.int64)
        values = np.concatenate([scores for _, scores in blocks]) if blocks else np.empty((0, k))
        kept = columns >= 0
        starts = np.cumsum([0, *kept.sum(axis=1)])
        matrix = sparse.csr_array((values[kept], columns[kept], starts), shape=(X.shape[0], len(self.categories_)))
        matrix.sort_indices()
        return matrix

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by their part of the score at the leaf of the category, in the mean over the trees."""
        forest = self._recall(LabelForest)
        weights = np.zeros(self.n_features_in_)
        for branch in np.flatnonzero((forest.targets == category) & _at_leaves(forest)):
            node = int(np.searchsorted(forest.branch_starts, branch, side="right")) - 1
            for entry in range(forest.term_starts[node], forest.term_starts[node + 1]):
                part = slice(forest.weight_starts[entry], forest.weight_starts[entry + 1])
                own = forest.weight_branches[part] == branch - forest.branch_starts[node]
                weights[forest.terms[entry]] += forest.weights[part][own].sum() / len(forest.roots)
        return contributions(X, weights, limit)

    def check_state(self) -> None:
        """Raise ValueError where learned arrays would lead a search astray (of a model read from a file)."""
        if not hasattr(self, "roots_"):
            return
        forest = self._recall(LabelForest)
        nodes, branches = len(forest.leaf), len(forest.targets)
        _check_starts("branch_starts_", forest.branch_starts, nodes, branches)
        _check_starts("term_starts_", forest.term_starts, nodes, len(forest.terms))
        _check_starts("weight_starts_", forest.weight_starts, len(forest.terms), len(forest.weights))
        if not len(forest.biases) == branches or len(forest.weight_branches) != len(forest.weights):
            raise ValueError("biases_ or weight_branches_ have another length than what they belong to")
        width = np.diff(forest.branch_starts)
        owner = np.repeat(np.arange(nodes), width)
        inner = ~_at_leaves(forest)
        limits = np.where(inner, nodes, len(self.categories_))
        _check_range("targets_", forest.targets, limits)
        if np.any(forest.targets[inner] <= owner[inner]):
            raise ValueError("a child must come after its parent")
        _check_range("roots_", forest.roots, np.full(len(forest.roots), nodes))
        if not np.array_equal(np.sort(forest.roots), np.setdiff1d(np.arange(nodes), forest.targets[inner])):
            raise ValueError("roots_ must be the nodes that are no child of another")
        _check_range("terms_", forest.terms, np.full(len(forest.terms), self.n_features_in_))
        of_node = np.repeat(width, np.diff(forest.weight_starts[forest.term_starts]))
        _check_range("weight_branches_", forest.weight_branches, of_node)
        if not (np.isfinite(forest.weights).all() and np.isfinite(forest.biases).all()):
            raise ValueError("weights_ and biases_ must be finite")

    def _check(self) -> None:
        for name in COUNTS:
            value, least = getattr(self, name), 1 + (name == "branch")
            if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
                raise InvalidInput(f"LabelTree: {name} must be a whole number of {least} or more, got {value!r}")
        for name in ("C", "tol", "prior", "bias", "least"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and 0 <= float(value) < np.inf) or (name in ("C", "tol") and value == 0):
                raise InvalidInput(f"LabelTree: {name} must be a number above 0, got {value!r}")


def _workers(threads: int | None) -> int:
    return int(threads or free_cores())


def _rows(X: Sparse) -> Rows:
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32))


def _at_leaves(forest: LabelForest) -> Any:
    return np.repeat(forest.leaf, np.diff(forest.branch_starts))


def _check_starts(name: str, starts: Any, parts: int, end: int) -> None:
    if starts.ndim != 1 or starts.dtype.kind != "i" or len(starts) != parts + 1 or starts[0] != 0 or starts[-1] != end:
        raise ValueError(f"{name} must have {parts + 1} places from 0 to {end}")
    if np.any(np.diff(starts) < 0):
        raise ValueError(f"{name} must not fall")


def _check_range(name: str, values: Any, limits: Any) -> None:
    if values.dtype.kind != "i" or values.shape != limits.shape or np.any(values < 0) or np.any(values >= limits):
        raise ValueError(f"{name} names something that is not there")
