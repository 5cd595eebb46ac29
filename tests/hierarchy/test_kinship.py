"""Distances, common ancestors and siblings: against their definitions, and on large and odd hierarchies."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hierarchy.test_structure import TREE_A, acyclic_edges
from tests.oracles import hierarchy as oracle

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy, ancestor_pairs, distance, distances, lowest_common_ancestors, siblings


@st.composite
def tree_edges(draw: st.DrawFn) -> list[tuple[str, str]]:
    n = draw(st.integers(2, 12))
    return [(str(draw(st.integers(0, child - 1))), str(child)) for child in range(1, n)]


@given(st.one_of(acyclic_edges(), tree_edges()))
def test_all_distances_are_shortest_paths(edges: list[tuple[str, str]]) -> None:
    graph = Hierarchy.from_edges(edges)
    links = list(graph.edges)
    a, b = (part.ravel() for part in np.meshgrid(np.arange(len(graph)), np.arange(len(graph))))
    found = distances(graph, a, b)
    assert found.tolist() == [oracle.distance(links, graph.names[x], graph.names[y]) for x, y in zip(a, b, strict=True)]


@given(st.one_of(acyclic_edges(), tree_edges()))
def test_common_ancestors_siblings_and_closure_are_as_defined(edges: list[tuple[str, str]]) -> None:
    graph = Hierarchy.from_edges(edges)
    links = list(graph.edges)
    rows, above = ancestor_pairs(graph, range(len(graph)))
    for number, name in enumerate(graph.names):
        assert {graph.names[n] for n in above[rows == number]} == {name} | oracle.ancestors(links, name)
        parents = set(graph.parents(name))
        assert set(siblings(graph, name)) == {child for parent, child in links if parent in parents} - {name}
        for other in graph.names:
            assert set(lowest_common_ancestors(graph, name, other)) == oracle.lowest_common_ancestors(
                links, name, other
            )


def test_tree_a_of_sunlim2001() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    assert distance(tree, "crude", "grain") == 2  # through the virtual root
    assert distance(tree, "ship", "wheat") == 4
    assert distance(tree, "grain", "wheat") == 1
    assert lowest_common_ancestors(tree, "ship", "wheat") == (tree.root,)
    assert siblings(tree, "crude") == ("grain",)
    assert siblings(tree, tree.root) == ()


def test_a_diamond_is_crossed_by_the_shorter_side() -> None:
    graph = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "e"), ("e", "d"), ("d", "f")])
    assert distance(graph, "a", "f") == 3
    assert distance(graph, "b", "e") == 2  # through their common child, not through a
    assert lowest_common_ancestors(graph, "b", "e") == ("a",)


def test_what_is_no_pair_of_nodes() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    assert distances(tree, [], []).tolist() == []
    with pytest.raises(InvalidInput, match="same length"):
        distances(tree, [0, 1], [1])
    with pytest.raises(InvalidInput, match="outside 0 to 6"):
        distances(tree, [0], [7])
    with pytest.raises(UnknownName, match="Did you mean 'wheat'"):
        distance(tree, "weat", "corn")


def test_twenty_thousand_nodes_a_chain_and_depth_thirty() -> None:
    rng, n = np.random.default_rng(3), 20_000
    a, b = rng.integers(0, n, (2, 100_000))
    chain = Hierarchy.from_edges([(str(i), str(i + 1)) for i in range(n)])
    start = time.perf_counter()
    assert np.array_equal(distances(chain, a, b), np.abs(a - b))
    bushy = Hierarchy.from_edges([(str(i // 2), str(i)) for i in range(1, n)])
    apart = distances(bushy, a, b)
    assert apart.max() <= 2 * bushy.depths.max()
    assert time.perf_counter() - start < 5  # both take .3 s; pairs × depth would take minutes
    ladder = Hierarchy.from_edges(
        [(f"{side}{i}", f"{other}{i + 1}") for i in range(30) for side in "lr" for other in "lr"]
    )
    assert ladder.depths.max() == 31
    assert distance(ladder, "l0", "r30") == 30
    assert len(ancestor_pairs(ladder, [len(ladder) - 1])[0]) == 62
