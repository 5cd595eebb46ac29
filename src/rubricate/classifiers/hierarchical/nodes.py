"""Checks of learned arrays, which may come from a hostile model file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy, ancestor_pairs
from rubricate.hierarchy.structure import check_pairs, coverage_of_links
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Layout", "Places", "check_numbers", "check_slope", "check_values", "place_labels", "read_tree"]


def check_numbers(*arrays: Any) -> None:
    """Raise ValueError where an array that numbers nodes, problems or terms holds anything but whole numbers."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.ndim != 1:
            raise ValueError("numbers of nodes, problems or terms must be whole numbers")


def check_values(*arrays: Any) -> None:
    """Raise ValueError where an array of weights, biases or cuts holds anything but finite numbers."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError("weights, biases and cuts must be finite numbers")


def check_slope(slope: float) -> None:
    """Raise ValueError where the slope of chances is not a number above 0."""
    if not 0 < slope < np.inf:
        raise ValueError("the slope of chances must be a number above 0")


@dataclass(frozen=True, eq=False)
class Places:
    """Documents × nodes: `own` has the labels themselves, `inside` also those below (coverage).

    `columns` has the node of each label column, `weights` what each document counts for; None: all the same.
    """

    tree: Hierarchy
    columns: Ints
    own: sparse.csc_array
    inside: sparse.csc_array
    weights: Floats | None = None

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self.own.shape[0])

    @property
    def one_label_each(self) -> bool:
        """Whether every document has exactly one label."""
        return bool((self.own.sum(axis=1) == 1).all())

    def members(self, node: Any) -> Ints:
        """Return the documents labelled with a node."""
        return _column(self.own, node)

    def covered(self, node: Any) -> Ints:
        """Return the documents labelled with a node or one below it."""
        return _column(self.inside, node)

    def children(self, node: Any) -> Ints:
        """Return the nodes right below."""
        children = self.tree.child_ids[self.tree.child_starts[node] : self.tree.child_starts[node + 1]]
        return children.astype(np.int64)

    def is_category(self) -> Any:
        """Return which nodes have a column."""
        marks = np.zeros(len(self.tree), bool)
        marks[self.columns] = True
        return marks


def _column(matrix: sparse.csc_array, node: int) -> Ints:
    return matrix.indices[matrix.indptr[node] : matrix.indptr[node + 1]]


def read_tree(taxonomy: Iterable[tuple[Any, Any]] | None, names: Sequence[str], known: Sequence[str]) -> Hierarchy:
    """Return the hierarchy of (parent, child) pairs, by name or by place among `known`; flat without pairs.

    Every name of a label column must be in it.
    """
    if taxonomy is None:
        return Hierarchy.from_edges((), nodes=names)
    tree = Hierarchy.from_edges((_name(parent, known), _name(child, known)) for parent, child in _pairs(taxonomy))
    strange = [name for name in names if name not in tree]
    if strange:
        shown = ", ".join(map(repr, strange[:5]))
        raise InvalidInput(
            f"{len(strange)} of {len(names)} categories are not in the taxonomy: {shown}; add a pair "
            "(parent, child) for each, or leave those columns out"
        )
    return tree


def _pairs(taxonomy: Any) -> list[tuple[Any, Any]]:
    try:
        return [(parent, child) for parent, child in taxonomy]
    except (TypeError, ValueError):
        raise InvalidInput(
            "taxonomy must be (parent, child) pairs, such as [('grain', 'corn')], what read_taxonomy gives, or the "
            f"`edges` of a Hierarchy; got {type(taxonomy).__name__}"
        ) from None


def _name(node: Any, known: Sequence[str]) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, Integral) and not isinstance(node, bool):
        if not 0 <= int(node) < len(known):
            raise InvalidInput(f"taxonomy: {node} is not a column; there are {len(known)}, counted from 0")
        return known[int(node)]
    raise UnknownName("category of the taxonomy", repr(node), known)


def place_labels(labels: Sparse, tree: Hierarchy, names: Sequence[str], *, weights: Floats | None = None) -> Places:
    """Return the labels of documents as nodes. Cost: labels × depth."""
    columns = np.array([tree.index(name) for name in names], dtype=np.int64)
    own = sparse.csr_array((labels.data, columns[labels.indices], labels.indptr), shape=(labels.shape[0], len(tree)))
    inside = _inside(own, tree)
    own, inside = (sparse.csc_array(matrix, dtype=bool) for matrix in (own, inside))
    own.sort_indices()
    inside.sort_indices()
    return Places(tree, columns, own, inside, weights)


def _inside(own: Any, tree: Hierarchy) -> Sparse:
    """Return documents × nodes: the labels of each document and every node above them."""
    labelled, uses = np.unique(own.indices, return_counts=True)
    rows, above = ancestor_pairs(tree, labelled)
    check_pairs(int(np.bincount(rows, minlength=len(labelled)) @ uses))
    upwards = sparse.csr_array((np.ones(len(rows), bool), (rows, above)), shape=(len(labelled), len(tree)))
    return sparse.csr_array(sparse.csr_array(own[:, labelled]) @ upwards)


@dataclass(frozen=True, eq=False)
class Layout:
    """Names of the nodes in topological order, their links, and which of them are categories.

    Parameters
    ----------
    nodes
        Name of each node; the root comes first, and parents before children.
    columns
        Node of each category.
    child_starts, child_ids
        Children of node i: `child_ids[child_starts[i]:child_starts[i + 1]]`.
    """

    nodes: tuple[str, ...]
    columns: Ints
    child_starts: Ints
    child_ids: Ints

    @classmethod
    def of(cls, places: Places) -> Layout:
        """Return the layout of the hierarchy that labels were placed in."""
        tree = places.tree
        return cls(tree.names, places.columns, tree.child_starts.astype(np.int64), tree.child_ids.astype(np.int64))

    def links(self, node: int) -> range:
        """Return the numbers of the links from a node to its children."""
        return range(int(self.child_starts[node]), int(self.child_starts[node + 1]))

    def children(self, node: int) -> Ints:
        """Return the nodes right below a node."""
        return self.child_ids[self.child_starts[node] : self.child_starts[node + 1]]

    def levels(self) -> list[Ints]:
        """Return the nodes by their longest path from the root: every parent is in an earlier level."""
        depth = np.zeros(len(self.nodes), np.int64)
        for node in range(len(self.nodes)):
            children = self.children(node)
            depth[children] = np.maximum(depth[children], depth[node] + 1)
        return np.split(np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth))[:-1])

    def above(self, node: int) -> list[int]:
        """Return every node above a node, parents before children."""
        parents = np.repeat(np.arange(len(self.nodes)), np.diff(self.child_starts))
        order = np.argsort(self.child_ids, kind="stable")
        starts = np.searchsorted(self.child_ids[order], np.arange(len(self.nodes) + 1))
        line, waiting = {node}, [node]
        while waiting:
            below = waiting.pop()
            new = set(parents[order[starts[below] : starts[below + 1]]].tolist()) - line
            line |= new
            waiting += new
        return sorted(line - {node})

    def coverage(self, chances: Floats, *, single: bool, direct: Floats | None = None) -> Floats:
        """Return the chance that each document lies in each node or below it, documents × nodes.

        Where exactly one label is right (`single`), that is Σ P(c) over the categories in the coverage; where labels
        do not exclude each other, the largest chance of a node in the coverage. So a parent is never less likely than
        its child, on graphs too.

        Parameters
        ----------
        chances
            P of each category, documents × categories.
        single
            Whether exactly one label is right.
        direct
            Chances of nodes that are known otherwise, documents × nodes.
        """
        if single:
            covers = coverage_of_links(self.child_starts, self.child_ids)[:, self.columns]
            sums: Floats = (sparse.csr_array(covers, dtype=np.float64) @ chances.T).T
            return np.minimum(sums, 1.0)
        nodes = np.zeros((len(self.nodes), len(chances))) if direct is None else direct.T.copy()
        np.maximum.at(nodes, self.columns, chances.T)
        return self.largest_below(nodes).T

    def largest_below(self, values: Floats) -> Floats:
        """Raise the value of each node to the largest below it, in place; nodes × documents."""
        for node in range(len(values) - 1, -1, -1):
            children = self.children(node)
            if len(children):
                values[node] = np.maximum(values[node], values[children].max(axis=0))
        return values

    def check(self, categories: int) -> None:
        """Raise ValueError where nodes, links and categories do not fit together."""
        check_numbers(self.child_starts, self.child_ids, self.columns)
        nodes, links = len(self.nodes), len(self.child_ids)
        if len(self.child_starts) != nodes + 1 or self.child_starts[0] or self.child_starts[-1] != links:
            raise ValueError("links and nodes do not fit together")
        if (np.diff(self.child_starts) < 0).any():
            raise ValueError("nodes do not fit together")
        parents = np.repeat(np.arange(nodes), np.diff(self.child_starts))
        if (self.child_ids <= parents).any() or (self.child_ids >= nodes).any():
            raise ValueError("a link does not lead downwards")
        if len(self.columns) != categories or (self.columns < 0).any() or (self.columns >= nodes).any():
            raise ValueError("categories and nodes do not fit together")
