"""Labels with everything above them: what hierarchical precision and recall count. kiritchenko2006.

The set of a document holds its categories and all their ancestors. The root, which is above everything, is left out,
unless it is a category of the run itself. A category outside the hierarchy stands for itself alone.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rubricate.hierarchy import ancestor_pairs
from rubricate.measures.counting.tables import canonical
from rubricate.measures.hierarchical.placed import Placed
from rubricate.types import Ints, Sparse

__all__ = ["augmented_columns", "with_ancestors"]


def with_ancestors(labels: Sparse, where: Placed) -> Sparse:
    """Return the augmented sets: a boolean matrix, documents × (nodes, then categories outside).

    Cost: labels × ancestors.
    """
    marks = canonical(labels)
    sets = sparse.csr_array(marks.astype(np.int32) @ _above(where)).astype(bool)
    sets.sort_indices()
    return sets


def augmented_columns(where: Placed) -> Ints:
    """Return the column of each category among those of `with_ancestors`."""
    outside = np.cumsum(~where.inside) - 1 + len(where.hierarchy)
    return np.where(where.inside, where.nodes, outside)


def _above(where: Placed) -> Sparse:
    """Return categories × columns: 1 for the category and each of its ancestors."""
    inside, n = np.flatnonzero(where.inside), len(where.hierarchy)
    rows, columns = ancestor_pairs(where.hierarchy, where.nodes[inside])
    kept = (columns > 0) | where.root_is_category
    outside = np.flatnonzero(~where.inside)
    row = np.concatenate([inside[rows[kept]], outside])
    column = np.concatenate([columns[kept], n + np.arange(len(outside))])
    shape = (len(where.categories), n + len(outside))
    return sparse.csr_array((np.ones(len(row), np.int32), (row, column)), shape=shape)
