"""Distances on the hierarchies of RCV1 and WikiVitals against scipy's shortest paths, all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from rubricate.hierarchy import Hierarchy, as_text, distances, read_taxonomy


def graph_of(data_folder, name: str) -> Hierarchy:
    return Hierarchy.from_edges(read_taxonomy(data_folder / name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rcv1/rcv1.topics.hier.orig", "hwv/hwv.taxonomy"])
@pytest.mark.parametrize("extra", [False, True], ids=["tree", "graph"])
def test_all_distances(data_folder, name, extra):
    """As it is, and with a second parent for the last leaf, which takes the search for graphs."""
    tree = graph_of(data_folder, name)
    if extra:
        other = next(n for n in tree.leaves if n not in (tree.names[-1], *tree.parents(tree.names[-1])))
        tree = Hierarchy.from_edges([*tree.edges, (other, tree.names[-1])])
    assert tree.is_tree != extra
    n = min(len(tree), 400)
    a, b = (part.ravel() for part in np.meshgrid(np.arange(n), np.arange(len(tree)), indexing="ij"))
    parents = np.repeat(np.arange(len(tree)), np.diff(tree.child_starts))
    links = sparse.csr_array((np.ones(len(parents)), (parents, tree.child_ids)), shape=(len(tree), len(tree)))
    wanted = csgraph.shortest_path(links, directed=False, unweighted=True, indices=np.arange(n))
    assert np.array_equal(distances(tree, a, b), wanted.ravel().astype(int))


def test_rcv1_and_wikivitals_can_be_drawn(data_folder):
    """103 topics and 1,186 topics, each with a root."""
    for name, nodes, depth in (("rcv1/rcv1.topics.hier.orig", 104, 4), ("hwv/hwv.taxonomy", 1187, 6)):
        tree = graph_of(data_folder, name)
        assert (len(tree), int(tree.depths.max())) == (nodes, depth)
        assert len(as_text(tree).splitlines()) == nodes
