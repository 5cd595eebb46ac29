"""Deep hierarchies cost what their output costs; paths and closures have a limit, and one error beyond it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.hierarchy import Hierarchy, ancestor_pairs, path_edges, read_taxonomy
from rubricate.hierarchy import structure as links_module
from rubricate.io.taxonomies import MOST_PARTS


def chain(length):
    return [(f"c{i}", f"c{i + 1}") for i in range(length - 1)]


@st.composite
def graphs(draw):
    """Links of a random graph without cycles: each goes from a lower to a higher number."""
    n = draw(st.integers(2, 12))
    pairs = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1))
    links = [(f"n{a}", f"n{b}") for a, b in sorted(pairs) if a < b]
    return Hierarchy.from_edges(links, nodes=[f"n{i}" for i in range(n)])


@given(graphs())
def test_closures_agree_with_following_each_node_by_itself(tree):
    covered = tree.coverage_matrix().toarray()
    above = np.zeros_like(covered)
    above[ancestor_pairs(tree, np.arange(len(tree)))] = True
    for number, name in enumerate(tree.names):
        assert [tree.names[i] for i in np.flatnonzero(covered[number])] == list(tree.coverage(name))
        assert [tree.names[i] for i in np.flatnonzero(above[number])] == [*tree.ancestors(name), name]


@pytest.mark.parametrize("parts", [MOST_PARTS, MOST_PARTS + 1])
def test_paths_have_a_limit_of_parts(tmp_path, parts):
    file, path = tmp_path / "paths.txt", "/".join(["a"] * parts)
    file.write_text(f"top/x\n{path}\n")
    if parts == MOST_PARTS:
        assert len(path_edges([path])) == parts - 1
        assert len(read_taxonomy(file)) == parts
        return
    with pytest.raises(InvalidFile, match=r"line 2: a path of 129 parts, the most is 128\. Fix"):
        read_taxonomy(file)
    with pytest.raises(InvalidInput, match="129 parts, the most is 128"):
        path_edges([path])


@pytest.mark.slow
def test_a_file_of_paths_takes_memory_in_proportion_to_its_size(tmp_path):
    """40 KB of one path took 628 MB."""
    file = tmp_path / "paths.txt"
    file.write_text("\n".join(f"{i}/" + "/".join("a" * (MOST_PARTS - 1)) for i in range(160)))
    tracemalloc.start()
    read_taxonomy(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * file.stat().st_size
    file.write_text("a/" * 20_000 + "a")
    with pytest.raises(InvalidFile, match="20,001 parts"):
        read_taxonomy(file)


def test_closures_past_the_limit_are_one_error(monkeypatch):
    tree = Hierarchy.from_edges(chain(100))
    monkeypatch.setattr(links_module, "MOST_PAIRS", 5050)
    assert tree.coverage_matrix().nnz == 5050
    monkeypatch.setattr(links_module, "MOST_PAIRS", 5049)
    with pytest.raises(InvalidInput, match=r"too deep: .* more than 5,049"):
        tree.coverage_matrix()
    monkeypatch.setattr(links_module, "MOST_PAIRS", 300)
    X, y = np.eye(4), ["c99", "c98", "c97", "c96"]
    with pytest.raises(InvalidInput, match="too deep"):
        rb.classifiers.TopDown(taxonomy=chain(100)).fit(X, y)


@pytest.mark.slow
def test_a_descent_over_a_long_chain_counts_only_the_pairs_of_its_documents(monkeypatch):
    """A chain of 30,000 ran for minutes: the closure of all its nodes has 450 million pairs, of 8 documents 135,000.

    Here a third of that.
    """
    length = 10_000
    monkeypatch.setattr(links_module, "MOST_PAIRS", 50_000)
    X, y = np.eye(8), np.array([f"c{i * (length - 1) // 7}" for i in range(8)])
    model = rb.classifiers.TopDown(taxonomy=chain(length)).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert len(model.explain(X[:1], y[-1])) == 1
