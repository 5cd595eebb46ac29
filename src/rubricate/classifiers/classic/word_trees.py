"""Trees on the presence of words, one per category, as plain arrays: growing, pruning, smoothing, walking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.classifiers.category_terms import presence
from rubricate.engines import run_on_threads
from rubricate.native.sparse import Lists
from rubricate.native.trees import SplitCriterion, Tree, TreeCases, grow_tree, prune_tree, smooth_tree, walk_trees
from rubricate.svg import Svg, box, dot, group, line, path, text, text_width
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Forest", "Growth", "Picture", "as_svg", "as_text", "grow", "leaves_of", "paths"]

LARGEST_TABLE = 1 << 20
"""Whole numbers whose x log2 x is looked up; beyond, it is computed."""
QUANTILES = (
    (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0),
    (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0),
)
"""C4.5's table of confidences and z, which it reads between the lines: z(.25) = .6925, the exact quantile .6745."""


class Growth(NamedTuple):
    """How trees are grown: see `DTree`; a confidence of 1 prunes nothing, a leaf chance of 0 smooths nothing."""

    ratio: bool
    least: float
    confidence: float
    alpha: float
    leaf: float


class Forest(NamedTuple):
    """The nodes of all trees: tree c has the nodes from starts[c] to starts[c + 1], its root first."""

    starts: Ints
    asked: Ints
    present: Ints
    without: Ints
    positives: Floats
    documents: Floats
    chances: Floats


def grow(X: Any, labels: Sparse, weights: Floats | None, *, growth: Growth, threads: int | None) -> Forest:
    """Grow a tree for each column of labels. Documents of no weight are left out."""
    held, labels = presence(X), sparse.csr_array(labels)
    weights = np.ones(held.shape[0]) if weights is None else weights
    if not weights.all():
        kept = np.flatnonzero(weights)
        held, labels, weights = held[kept], labels[kept], weights[kept]
    cases, columns = _cases(held, weights, growth.least)
    grow_one = _grower(cases, columns, growth)
    members = sparse.csc_array(labels)

    def grow_category(category: int) -> tuple[Tree, Floats]:
        truth = np.zeros(len(weights), bool)
        truth[members.indices[members.indptr[category] : members.indptr[category + 1]]] = True
        return grow_one(truth)

    return _joined(run_on_threads(grow_category, [*range(labels.shape[1])], threads))


def leaves_of(forest: Forest, X: Any) -> Ints:
    """Return the leaf of each document in each tree."""
    starts, asked, present, without = (part.astype(np.int64, copy=False) for part in forest[:4])
    rows = _lists(presence(X))
    return walk_trees(rows, X.shape[1], starts[:-1], asked=asked, present=present, without=without)


def _cases(held: Sparse, weights: Floats, least: float) -> tuple[TreeCases, Ints]:
    """Return the documents with the words that can split, and the columns of these: enough documents have them, or not.

    The truth is that of no category: no document is positive.
    """
    counts = held.T @ weights
    columns = np.flatnonzero((counts >= least - 1e-9) & (counts <= weights.sum() - least + 1e-9))
    rows = sparse.csr_array(held[:, columns])
    rows.sort_indices()
    postings = _lists(sparse.csc_array(rows))
    cases = TreeCases(_lists(rows), postings, np.zeros(len(weights), bool), weights, counts[columns])
    cases.check()
    return cases, columns


def _lists(matrix: Sparse) -> Lists:
    return Lists(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))


def _grower(cases: TreeCases, columns: Ints, growth: Growth) -> Callable[[Bools], tuple[Tree, Floats]]:
    """Return the function that grows the tree of one category."""
    x = np.arange(min(len(cases.weights), LARGEST_TABLE) + 1.0)
    rule = SplitCriterion(growth.least, growth.ratio, x * np.log2(np.maximum(x, 1.0)))
    z = float(np.interp(growth.confidence, *QUANTILES))

    def grow_one(truth: Bools) -> tuple[Tree, Floats]:
        """Return the tree with its words by their columns in X, and the probability at each node."""
        own = cases._replace(truth=truth)
        tree = grow_tree(own, rule)
        if growth.confidence < 1:
            tree = prune_tree(own, tree, confidence=growth.confidence, z=z)
        if growth.leaf > 0:
            chances = smooth_tree(tree, alpha=growth.alpha, leaf_prior=growth.leaf)
        else:
            chances = (tree.positives + growth.alpha) / (tree.totals + 2 * growth.alpha)
        return tree._replace(asked=np.append(columns, -1)[tree.asked]), chances

    return grow_one


def _joined(grown: list[tuple[Tree, Floats]]) -> Forest:
    trees = [tree for tree, _ in grown]
    starts = np.concatenate([[0], np.cumsum([len(tree.asked) for tree in trees])]).astype(np.int64)
    shift = np.repeat(starts[:-1], np.diff(starts))
    asked, *children = (np.concatenate([tree[part] for tree in trees]) for part in range(3))
    present, without = (np.where(child < 0, -1, child + shift) for child in children)
    positives = np.concatenate([tree.positives for tree in trees])
    documents = np.concatenate([tree.totals for tree in trees])
    chances = np.concatenate([part for _, part in grown])
    return Forest(starts, asked, present, without, positives, documents, chances)


ROW, INDENT, BAR = 20, 28, 60
"""Pixels between lines, between columns, and of the bar of a sure leaf."""
KEY = "right: with the word; down: without"


class Picture(NamedTuple):
    """A tree whose root is node 0; `names` are those of the columns asked for."""

    title: str
    names: Sequence[str]
    asked: Ints
    present: Ints
    without: Ints
    positives: Floats
    documents: Floats
    chances: Floats

    def share(self, node: int) -> float:
        """Return the share of positives among the documents of a node; 0 of 0 is 0."""
        return float(self.positives[node] / self.documents[node]) if self.documents[node] > 0 else 0.0

    def counted(self, node: int) -> str:
        """Return `12 of 340`, weights to three figures."""
        return f"{_number(self.positives[node])} of {_number(self.documents[node])}"


class _TreeLine(NamedTuple):
    """A node on its line: how far to the right, whether the words before it were absent, the line of its parent."""

    node: int
    level: int
    absent: bool
    parent: int


def _number(weight: float) -> str:
    return f"{weight:.0f}" if abs(weight - round(weight)) < 1e-9 else f"{weight:.3g}"


def _places(tree: Picture) -> Iterator[_TreeLine]:
    """Yield nodes from top to bottom: after a node its subtree with the word, one level in, then that without it."""
    waiting, line = [_TreeLine(0, 0, False, -1)], -1
    while waiting:
        place, line = waiting.pop(), line + 1
        yield place
        if tree.asked[place.node] >= 0:
            waiting.append(_TreeLine(int(tree.without[place.node]), place.level, True, line))
            waiting.append(_TreeLine(int(tree.present[place.node]), place.level + 1, False, line))


def _chance(tree: Picture, node: int) -> str:
    return f"{tree.chances[node]:.2f}".removeprefix("0")


def _leaf(tree: Picture, node: int) -> str:
    return f"{_chance(tree, node)} ({tree.counted(node)})"


def as_text(tree: Picture) -> str:
    """Return nested conditions; the test of documents without the word stands on the same level, behind `else`."""
    lines = [f"{tree.title}: {tree.counted(0)} documents"]
    for node, level, absent, parent in _places(tree):
        indent, word = "    " * level, "else " if absent else ""
        if tree.asked[node] >= 0:
            lines.append(f"{indent}{word}if {tree.names[tree.asked[node]]}:")
        elif absent:
            lines.append(f"{indent}else: {_leaf(tree, node)}")
        else:
            lines[-1] += f" {_leaf(tree, node)}" if parent >= 0 else f", {_chance(tree, node)}"
    return "\n".join(lines)


def paths(tree: Picture) -> Iterator[tuple[int, tuple[tuple[str, bool], ...]]]:
    """Yield each leaf with the tests that lead to it: the word, and whether it is present."""
    above: dict[int, tuple[int, bool]] = {}
    for node in range(len(tree.asked)):
        if tree.asked[node] >= 0:
            above[int(tree.present[node])] = (node, True)
            above[int(tree.without[node])] = (node, False)
            continue
        tests, at = [], node
        while at in above:
            at, present = above[at]
            tests.append((str(tree.names[tree.asked[at]]), present))
        yield node, tuple(reversed(tests))


def as_svg(tree: Picture) -> str:
    """Return the content of an SVG file: tests with a dot, leaves with a bar as long as their probability.

    Names are escaped and shown as they are.
    """
    title = f"{tree.title}: {tree.counted(0)} documents"
    links, nodes, wide, last = [], [], 40 + text_width(title, 13.4) + text_width(KEY), 0
    for row, (node, level, absent, parent) in enumerate(_places(tree), start=1):
        x, y, last = 12 + level * INDENT, 12 + row * ROW, row
        if parent >= 0:
            top = 12 + (parent + 1) * ROW
            links.append(line(x, top, x, y) if absent else path(f"M{x - INDENT} {top}V{y}H{x}"))
        label, mark = _mark(tree, node, at=(x, y))
        nodes.append(mark)
        wide = max(wide, x + BAR + 24 + text_width(label))
    head = text(12, 16, title, font_weight="bold") + text(24 + text_width(title, 13.4), 16, KEY, fill="var(--soft)")
    lines = group(links, fill="none", stroke="var(--soft)", stroke_opacity="0.6")
    return Svg(wide, 24 + last * ROW, title, [head, lines, *nodes]).file()


def _mark(tree: Picture, node: int, *, at: tuple[float, float]) -> tuple[str, str]:
    """Return the label of a node, and the node drawn."""
    x, y = at
    if tree.asked[node] >= 0:
        label = f"{tree.names[tree.asked[node]]}?"
        return label, dot(x, y, 3.5) + text(x + 9, y + 4, label)
    label, filled = _leaf(tree, node), BAR * float(tree.chances[node])
    bar = box(x, y - 5, BAR, 10, fill="var(--line)") + box(x, y - 5, filled, 10, fill="var(--c0)")
    return label, bar + text(x + BAR + 8, y + 4, label)
