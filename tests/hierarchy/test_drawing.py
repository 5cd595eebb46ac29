"""Drawings: every node once in full, links to all parents, names that cannot break out, no recursion."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from tests.hierarchy.test_structure import TREE_A, acyclic_edges

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy, as_svg, as_text

TREE = """(root)
├── crude
│   ├── nat-gas
│   └── ship
└── grain
    ├── corn
    └── wheat  212"""


def test_tree_a_of_sunlim2001() -> None:
    assert as_text(Hierarchy.from_edges(TREE_A), notes={"wheat": "212"}) == TREE


def test_deeper_nodes_are_cut_off_and_counted() -> None:
    tree = Hierarchy.from_edges(TREE_A)
    assert as_text(tree, depth=1).splitlines()[1] == "├── crude  … 2 below"
    assert as_text(tree, depth=0) == "(root)  … 6 below"
    assert "… 2 below" in as_svg(tree, depth=1)
    with pytest.raises(InvalidInput, match="depth = -1"):
        as_text(tree, depth=-1)


@given(acyclic_edges())
def test_a_line_a_link_and_each_node_once_in_full(edges: list[tuple[str, str]]) -> None:
    graph = Hierarchy.from_edges(edges)
    lines = as_text(graph).splitlines()
    assert len(lines) == 1 + len(graph.edges)
    assert len([line for line in lines if not line.endswith("↑")]) == len(graph)
    svg = ElementTree.fromstring(as_svg(graph))
    space = "{http://www.w3.org/2000/svg}"
    assert len(svg.findall(f".//{space}path")) == len(graph.edges)
    dashed = [path for path in svg.iter(f"{space}path") if path.get("stroke-dasharray")]
    assert len(dashed) == len(graph.edges) - len(graph) + 1


def test_hostile_names_stay_text() -> None:
    names = ["<script>alert(1)</script>", "a\nb", "\x00&\ud83d", "\"'"]
    graph = Hierarchy.from_edges([("top", name) for name in names])
    texts = [node.text for node in ElementTree.fromstring(as_svg(graph)).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[1] == "<script>alert(1)</script>"
    assert len(as_text(graph).splitlines()) == 5


def test_shades_and_a_long_chain() -> None:
    chain = Hierarchy.from_edges([(str(i), str(i + 1)) for i in range(2_000)])
    assert as_text(chain).count("\n") == 2_000
    assert as_svg(chain, shades={"0": 1.0, "1": -3.0, "2": 7.0}).count("hsl(") == 3
