"""The tables and the section of the hierarchy: what they say, hostile names, hierarchies of any size."""

from __future__ import annotations

import dataclasses
import re

import pytest
from tests.reports.studies import HOSTILE, small_study

import rubricate as rb
from rubricate.hierarchy import Hierarchy
from rubricate.reports.estimate_sections import hierarchy
from rubricate.reports.evaluation_tables import depth_table, distance_table, hierarchy_table, hierarchy_tables
from rubricate.reports.page import render_page
from rubricate.reports.results import results_of

EDGES = [("topic 0", "topic 1"), ("topic 0", "topic 2"), ("topic 3", "topic 4"), ("topic 3", "topic 5")]


@pytest.fixture(scope="module")
def results():
    return results_of(small_study(resamples=0))


def with_tree(results, tree):
    return dataclasses.replace(results, data=dataclasses.replace(results.data, extras={"hierarchy": tree}))


@pytest.mark.slow
def test_the_section(results):
    page = render_page(with_tree(results, EDGES))
    assert '<section id="hierarchy"' in page
    body = hierarchy(with_tree(results, Hierarchy.from_edges(EDGES)))
    assert body == hierarchy(with_tree(results, EDGES))
    assert body.count("<table") == 3
    assert body.count("<circle") == 7
    assert "The hierarchy, 6 nodes" in body, "the virtual root is no category"
    found = re.search(r"wrongly gave ([\d,]+) labels; ([\d,]+) of them", body)
    assert int(found[1]) == int(results.evaluations[results.order[0]].counts.fp.sum())
    assert int(found[2]) <= int(found[1])


def test_no_hierarchy_no_section(results):
    assert hierarchy(results) is None
    assert hierarchy(with_tree(results, [("a", "b")])) is None


def test_a_large_hierarchy_is_cut(results):
    edges = [("topic 0", f"n{i}") for i in range(100)] + [(f"n{i}", f"m{i}.{k}") for i in range(100) for k in range(9)]
    body = hierarchy(with_tree(results, edges))
    assert body.count("<circle") == 101
    assert "… 9 below" in body


@pytest.mark.slow
def test_hostile_names():
    names = [name.replace("\x00", "") or "x" for name in HOSTILE if name.strip()][:8]
    study = small_study(categories=names, names=("<b>SVM</b>", "kNN", "NB"), resamples=0)
    study = dataclasses.replace(study, extras={"hierarchy": [(names[0], name) for name in names[1:]]})
    page = render_page(results_of(study))
    assert "<b>SVM" not in page
    assert "<script>window.hacked" not in page
    assert "<img src=x" not in page


def test_the_tables():
    one = rb.evaluate([{"b"}, {"c"}], [{"c"}, {"c"}], hierarchy=[("a", "b"), ("a", "c")], name="x")
    plain = rb.evaluate([{"b"}], [{"b"}], name="y")
    assert hierarchy_tables([plain]) == []
    assert len(hierarchy_tables([plain, one])) == 3
    rows = hierarchy_table([one]).rows
    assert [row[:3] for row in rows][:2] == [
        ("x", "labels with their ancestors", "micro"),
        ("x", "labels with their ancestors", "macro"),
    ]
    assert depth_table([one]).rows[0][:6] == ("x", 1, 2, 1, 1, 1)
    assert distance_table([one]).columns == ("system", "labels", "1 link", "2 links", "nothing near")
    assert distance_table([one]).rows == [("x", "wrongly given", 0, 1, 0), ("x", "missed", 0, 1, 0)]
