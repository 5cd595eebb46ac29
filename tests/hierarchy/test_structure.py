"""Hierarchies: against their definitions, the four structures of sunlim2001, and input that is no hierarchy."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import hierarchy as oracle

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import VIRTUAL_ROOT, Hierarchy
from rubricate.hierarchy.structure import find_cycle

# Tree a of sunlim2001, figure 2.
TREE_A = [("crude", "nat-gas"), ("crude", "ship"), ("grain", "corn"), ("grain", "wheat")]


@st.composite
def acyclic_edges(draw: st.DrawFn) -> list[tuple[str, str]]:
    n = draw(st.integers(2, 9))
    pairs = [(str(a), str(b)) for a in range(n) for b in range(a + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=14, unique=True))
    return draw(st.permutations(chosen))


@given(acyclic_edges())
def test_coverage_ancestors_and_depth_are_as_defined(edges: list[tuple[str, str]]) -> None:
    graph = Hierarchy.from_edges(edges)
    complete = list(graph.edges)
    assert set(edges) <= set(complete)
    assert {parent for parent, _ in set(complete) - set(edges)} <= {VIRTUAL_ROOT}
    marks = graph.coverage_matrix()
    for name in graph.names:
        assert set(graph.coverage(name)) == oracle.coverage(complete, name)
        assert set(graph.ancestors(name)) == oracle.ancestors(complete, name)
        assert graph.depth(name) == oracle.depth(complete, name)
        row = marks[[graph.index(name)]].indices
        assert tuple(graph.names[i] for i in row) == graph.coverage(name)


@given(acyclic_edges())
def test_nodes_are_in_topological_order_with_one_root(edges: list[tuple[str, str]]) -> None:
    graph = Hierarchy.from_edges(edges)
    assert all(graph.index(parent) < graph.index(child) for parent, child in graph.edges)
    assert [name for name in graph.names if not graph.parents(name)] == [graph.root]
    assert len(graph) == len(set(graph.names))
    assert graph.is_tree == all(len(graph.parents(name)) <= 1 for name in graph.names)
    assert set(graph.leaves) == {name for name in graph.names if not graph.children(name)}


@given(acyclic_edges(), st.integers(0, 100))
def test_an_edge_back_makes_a_cycle_that_is_found(edges: list[tuple[str, str]], pick: int) -> None:
    assert find_cycle(tuple(edges)) is None
    parent, child = edges[pick % len(edges)]
    looped = (*edges, (child, parent))
    cycle = find_cycle(looped)
    assert cycle is not None
    assert cycle[0] == cycle[-1]
    assert all(pair in looped for pair in pairwise(cycle))
    with pytest.raises(InvalidInput, match="below itself"):
        Hierarchy.from_edges(looped)


def test_tree_a_of_sunlim2001() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    assert tree.virtual_root
    assert tree.children(tree.root) == ("crude", "grain")
    assert tree.coverage("crude") == ("crude", "nat-gas", "ship")
    assert tree.ancestors("wheat") == (VIRTUAL_ROOT, "grain")
    assert tree.depth("wheat") == 2


def test_a_single_top_is_the_root() -> None:
    tree = Hierarchy.from_edges([("Root", "a"), ("Root", "b"), ("a", "c")])
    assert (tree.root, tree.virtual_root, tree.edges) == ("Root", False, (("Root", "a"), ("Root", "b"), ("a", "c")))


@pytest.mark.parametrize(
    ("edges", "labelled", "structure"),
    [
        (TREE_A, ["ship", "corn"], "virtual tree"),
        (TREE_A, ["ship", "grain"], "tree"),
        ([*TREE_A, ("grain", "ship")], ["ship", "corn"], "virtual DAG"),
        ([*TREE_A, ("grain", "ship")], ["crude"], "DAG"),
        (TREE_A, [], "virtual tree"),
        (TREE_A, ["earn"], "virtual tree"),
    ],
)
def test_the_four_structures(edges: list[tuple[str, str]], labelled: list[str], structure: str) -> None:
    assert Hierarchy.from_edges(edges).structure(labelled) == structure


def test_nodes_without_links_stand_under_the_root() -> None:
    tree = Hierarchy.from_edges(TREE_A, nodes=["earn", "corn"])
    assert tree.parents("earn") == (VIRTUAL_ROOT,)
    assert tree.parents("corn") == ("grain",)
    alone = Hierarchy.from_edges([], nodes=["earn"])
    assert (alone.root, len(alone), alone.leaves) == ("earn", 1, ("earn",))


def test_a_virtual_root_that_was_written_out_is_known_again() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    again = Hierarchy.from_edges(tree.edges)
    assert (again.names, again.edges, again.virtual_root) == (tree.names, tree.edges, True)
    one_top = Hierarchy.from_edges([(VIRTUAL_ROOT, "a")])
    assert (one_top.names, one_top.virtual_root) == ((VIRTUAL_ROOT, "a"), True)


@pytest.mark.parametrize(
    ("edges", "root", "message"),
    [
        ([("a", "a")], None, "a → a"),
        ([("a", "b"), ("b", "c"), ("c", "b")], None, "b → c → b"),
        ([("a", "b"), ("a", "b")], None, "comes twice"),
        ([("a", "")], None, "empty name"),
        ([("a", VIRTUAL_ROOT)], None, "reserved for the root"),
        ([], None, "no categories"),
        ([("Root", "a"), ("b", "c")], "Root", "no path from the root 'Root' to 'b'"),
        ([("Root", "a")], "a", "has a parent"),
        ([("Root", "a")], "Top", "not among the categories"),
    ],
)
def test_what_is_no_hierarchy(edges: list[tuple[str, str]], root: str | None, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Hierarchy.from_edges(edges, root=root)


def test_unknown_names_are_answered_with_the_nearest() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    with pytest.raises(UnknownName, match="Did you mean 'wheat'"):
        tree.coverage("weat")
    assert "weat" not in tree


@pytest.mark.slow
def test_twenty_thousand_nodes_are_fast_and_a_long_chain_needs_no_recursion() -> None:
    parents = np.random.default_rng(1).integers(0, np.arange(1, 20_000))
    edges = [(str(parent), str(child)) for child, parent in enumerate(parents.tolist(), 1)]
    start = time.perf_counter()
    tree = Hierarchy.from_edges(edges)
    assert tree.coverage_matrix().nnz == sum(len(tree.ancestors(name)) + 1 for name in tree.names)
    assert time.perf_counter() - start < 5
    chain = Hierarchy.from_edges([(str(i), str(i + 1)) for i in range(20_000)])
    assert chain.depth("20000") == 20_000
    with pytest.raises(InvalidInput, match="below itself"):
        Hierarchy.from_edges([(str(i), str((i + 1) % 20_000)) for i in range(20_000)])
