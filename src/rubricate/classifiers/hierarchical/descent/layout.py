"""The nodes of a hierarchy as a fitted classifier keeps them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rubricate.classifiers.hierarchical.descent.checks import check_numbers
from rubricate.classifiers.hierarchical.descent.nodes import Places
from rubricate.hierarchy.structure import coverage_of_links
from rubricate.types import Floats, Ints

__all__ = ["Layout"]


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
