"""Learn the machines at the nodes of label trees, and put all nodes into one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.label_trees.growing import Branching
from rubricate.engines import run_on_threads
from rubricate.native.label_trees import Hinge, LabelForest, LabelNode, train_node
from rubricate.native.neighbours import check_rows
from rubricate.native.sparse import Lists, Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["learn_forest"]


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
