"""Distances, paths in trees and smallest graphs in C, against matrix powers, lists of ancestors and all choices."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from tests.native.small_cases import SEEDS, count_cases, lists_of

from rubricate.native.hierarchy import Connections, count_smallest_graphs, graph_distances, tree_paths
from rubricate.native.sparse import Lists


@given(SEEDS)
def test_distances_are_the_first_powers_that_reach(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    below = np.triu(rng.random((n, n)) < 0.35, 1)
    step = below | below.T
    distance, reached = np.where(np.eye(n, dtype=bool), 0, -1), np.eye(n, dtype=bool)
    for length in range(1, n):
        new = (reached @ step) & (distance < 0)
        distance[new], reached = length, reached | new
    x, y = np.sort(rng.integers(0, n, 5)), rng.integers(0, n, 5)
    between = graph_distances(lists_of(below.T.copy()), lists_of(below), x, y)
    assert between.tolist() == distance[x, y].tolist()
    count_cases(5)


def random_tree(rng, n):
    parents = np.array([-1, *(int(rng.integers(0, node)) for node in range(1, n))])
    depths = np.zeros(n, np.int64)
    for node in range(1, n):
        depths[node] = depths[parents[node]] + 1
    return parents, depths


def climb(parents, node):
    """Return the node and its ancestors up to the root; a node outside of the tree has none."""
    path = [node]
    while node < len(parents) and (node := int(parents[node])) >= 0:
        path.append(node)
    return path


def parts(lists):
    return [lists.items[lists.starts[i] : lists.starts[i + 1]].tolist() for i in range(lists.length)]


@given(SEEDS)
def test_paths_lead_up_to_the_first_common_ancestor(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    parents, depths = random_tree(rng, n)
    x, y = rng.integers(0, n + 2, (2, 6))
    links, of_x, of_y = tree_paths(parents, depths, x, y)
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        up, other = climb(parents, a), climb(parents, b)
        common = [node for node in up if node in other]
        ways = [way[: way.index(common[0]) + 1] if common else [] for way in (up, other)]
        assert [parts(of_x)[i], parts(of_y)[i]] == ways
        assert links[i] == (len(ways[0]) + len(ways[1]) - 2 if common else -1)
    count_cases(6)


def smallest(t, a, connected, limit):
    """Try every choice of a path for each label that the other side lacks."""
    needs = []
    for label, nearest in [(x, [connected[x, y] for y in a]) for x in t] + [
        (y, [connected[x, y] for x in t]) for y in a
    ]:
        if label in t and label in a:
            continue
        links = [far for far, _ in nearest if far >= 0]
        if links:
            needs.append([path for far, paths in nearest if far == min(links) for path in paths])
    choices = list(product(*needs))
    if len(choices) > limit:
        choices = [[path for need in needs for path in need]]
    sets = [({*t}.union(*(x for x, _ in choice)), {*a}.union(*(y for _, y in choice))) for choice in choices]
    sizes = min((len(of_t) + len(of_a), -len(of_t & of_a), len(of_a)) for of_t, of_a in sets)
    shared = -sizes[1]
    return [shared, sizes[2] - shared, sizes[0] - sizes[2] - shared]


@given(SEEDS)
def test_graphs_are_the_smallest_of_all_choices(seed):
    """Random connections: sets of nodes that no hierarchy needs to have, with up to three paths each."""
    rng = np.random.default_rng(seed)
    nodes, documents, limit = int(rng.integers(2, 7)), 3, int(rng.choice([0, 2, 4096]))
    truth, decided = rng.random((2, documents, nodes)) < 0.4
    connected = {}
    for key in product(range(nodes), repeat=2):
        far = int(rng.integers(-1, 3))
        paths = [
            tuple({*np.flatnonzero(rng.random(nodes) < 0.3).tolist()} for _ in range(2))
            for _ in range(int(rng.integers(1, 4)))
        ]
        connected[key] = far, paths if far >= 0 else []
    far, ways = zip(*connected.values(), strict=True)
    flat = [way for own in ways for way in own]
    x, y = ([way[side] for way in flat] for side in (0, 1))
    starts = np.concatenate([[0], np.cumsum([len(own) for own in ways])]).astype(np.int64)
    pairs = [
        a * nodes + b for t, d in zip(truth, decided, strict=True) for a in np.flatnonzero(t) for b in np.flatnonzero(d)
    ]
    connections = Connections(
        np.array(pairs, np.int64), np.array(far), starts, as_lists(x, nodes), as_lists(y, nodes), nodes, limit
    )
    found = count_smallest_graphs(lists_of(truth), lists_of(decided), connections)
    for d in range(documents):
        t, a = np.flatnonzero(truth[d]).tolist(), np.flatnonzero(decided[d]).tolist()
        assert found[:, d].tolist() == smallest(t, a, connected, limit)
    count_cases(documents)


def as_lists(sets, nodes):
    present = np.zeros((len(sets), nodes), bool)
    for row, own in enumerate(sets):
        present[row, list(own)] = True
    return lists_of(present)


ONE = Lists(np.array([0, 1]), np.zeros(1, np.int32))
NONE = Lists(np.array([0, 0]), np.zeros(0, np.int32))


def test_hostile_arguments_are_refused():
    zero, one, parents, depths = np.zeros(1, np.int64), np.ones(1, np.int64), np.array([-1, 0]), np.array([0, 1])
    good = Connections(zero, zero, np.array([0, 1]), ONE, ONE, 1, 9)
    assert count_smallest_graphs(ONE, ONE, good).tolist() == [[1], [0], [0]]

    def changed(**fields):
        return lambda: count_smallest_graphs(ONE, ONE, good._replace(**fields))

    calls = (
        lambda: graph_distances(NONE, NONE, zero, one),
        lambda: graph_distances(NONE, NONE, -one, zero),
        lambda: graph_distances(NONE, NONE, zero, zero[:0]),
        lambda: graph_distances(NONE, Lists(np.zeros(3, np.int64), NONE.items), zero, zero),
        lambda: graph_distances(Lists(ONE.starts, np.ones(1, np.int32)), NONE, zero, zero),
        lambda: tree_paths(parents, depths, -one, one),
        lambda: tree_paths(parents, depths, one, zero[:0]),
        lambda: tree_paths(np.array([-1, 1]), depths, one, one),  # its own parent: a climb without end
        lambda: tree_paths(np.array([-1, -1]), depths, one, one),
        lambda: tree_paths(parents, depths + 1, one, one),
        lambda: tree_paths(parents, np.array([0, 5]), one, one),
        lambda: tree_paths(parents, depths[:1], one, one),
        lambda: tree_paths(parents[:0], depths[:0], one, one),
        changed(pairs=one),
        changed(pairs=zero[:0]),
        changed(path_starts=np.array([0, 0])),  # links without a path
        changed(path_starts=np.array([0, 2])),
        changed(path_starts=np.array([0])),
        changed(nodes=0),
        changed(y=Lists(np.zeros(3, np.int64), NONE.items)),
        changed(limit=-1),
        changed(limit=2**40),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"expected|outside|starts|index|parent|depth|path"):
            call()


def test_other_dtypes_are_refused():
    zero = np.zeros(1, np.int64)
    with pytest.raises(TypeError, match="int64"):
        graph_distances(NONE, NONE, zero.astype(np.int32), zero)
    with pytest.raises(TypeError, match="int64"):
        tree_paths(np.array([-1], np.int32), zero, zero, zero)


def test_nothing_gives_nothing():
    none, empty = np.zeros(0, np.int64), Lists(np.zeros(1, np.int64), np.zeros(0, np.int32))
    assert graph_distances(empty, empty, none, none).tolist() == []
    links, of_x, of_y = tree_paths(np.array([-1]), np.zeros(1, np.int64), none, none)
    assert (links.tolist(), of_x.starts.tolist(), of_y.items.tolist()) == ([], [0], [])
    connections = Connections(none, none, np.zeros(1, np.int64), empty, empty, 0, 9)
    assert count_smallest_graphs(empty, empty, connections).shape == (3, 0)


@given(SEEDS)
def test_in_a_long_chain_every_climb_is_as_long_as_the_depth(seed):
    n = 2000
    x = np.random.default_rng(seed).integers(0, n, 4)
    assume((x > 0).any())
    links, of_x, _ = tree_paths(np.arange(-1, n - 1), np.arange(n), x, np.zeros(4, np.int64))
    assert links.tolist() == x.tolist()
    assert (np.diff(of_x.starts) == x + 1).all()
    count_cases(4)
