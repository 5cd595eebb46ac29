"""Which node of a hierarchy each column of labels is, and which documents lie in and below each node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy, ancestor_pairs
from rubricate.hierarchy.links import check_pairs
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Places", "place_labels", "read_tree"]


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
