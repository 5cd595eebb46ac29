"""`evaluate` with a hierarchy: the parts agree with the measures themselves; similarity files; what is refused."""

from __future__ import annotations

import json

import pytest

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.measures import read_similarity
from rubricate.reports.evaluation_tables import interval_table

EDGES = [("crude", "ship"), ("grain", "corn"), ("grain", "wheat")]
TRUTH = [{"wheat"}, {"corn"}, {"wheat", "grain"}, {"earn"}]
DECIDED = [{"grain"}, {"corn", "ship"}, {"wheat", "grain"}, {"corn"}]
TABLE = "category,grain,corn,wheat\ngrain,1.000,,\ncorn,.5,,\nwheat,.6,.7,1\n"


def test_everything_is_there_and_is_json():
    found = rb.evaluate(TRUTH, DECIDED, hierarchy=EDGES, measures=["extended_f_beta:2", "f_beta:2"])
    one = found.hierarchy
    assert one.outside == ("earn",)
    assert one.structure == "tree"
    assert one.micro["ancestors"]["hierarchical_f1"] == pytest.approx(2 * 5 / (9 + 7))
    assert set(one.micro) == {"distance", "ancestors", "lca"}
    assert "extended_f_beta:2" in one.micro["distance"]
    assert "extended_f_beta:2" not in found.micro
    assert found.micro["f_beta:2"] > 0
    assert found.per_category["distance.fp_con"].tolist() == pytest.approx([0, 0, 0.5, -1, 0])
    as_json = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert as_json["hierarchy"]["far"]["assigned"] == [0, 1, 0, 0, 1]
    assert as_json["per_category"]["grain"]["distance.extended_precision"] == 0.75
    assert "hierarchy:tree, 5 nodes|acceptable:2" in str(found)
    assert "hierarchy" not in rb.evaluate(TRUTH, DECIDED).to_dict()


def test_a_run_without_decisions_has_no_hierarchical_measures():
    scored = rb.evaluate([{"corn"}], scores=[[0.5, 0.1]], categories=["corn", "wheat"], hierarchy=EDGES)
    assert scored.hierarchy is None
    assert {"eleven_point", "break_even"} <= set(scored.ranking)  # what big-bang methods are measured by


def test_measures_by_similarity(tmp_path):
    path = tmp_path / "similar.csv"
    path.write_text(TABLE)
    near = read_similarity(path)
    assert near.average == pytest.approx(0.6)
    found = rb.evaluate(TRUTH, DECIDED, hierarchy=Hierarchy.from_edges(EDGES), similarity=near)
    assert found.hierarchy.average_similarity == pytest.approx(0.6)
    assert "acs:0.6" in found.hierarchy.signature
    # d1: wheat labelled, grain assigned, CS .6 = ACS: contributes 0. d2's ship has no similarity.
    assert found.per_category["similarity.fp_con"].tolist() == [0, 0, 0, 0, 0]


@pytest.mark.slow
def test_intervals_of_the_bootstrap():
    truth, decided = TRUTH * 30, DECIDED * 30
    found = rb.evaluate(truth, decided, hierarchy=EDGES, bootstrap=200, seed=1)
    for average in ("micro", "macro"):
        for kind, name in (("ancestors", "hierarchical_f1"), ("lca", "lca_recall")):
            value = getattr(found.hierarchy, average)[kind][name]
            (interval,) = found.intervals[f"hierarchy.{average}.{kind}.{name}"]
            assert interval.low < value < interval.high
            assert interval.high - interval.low < 0.3
    table = {row[1]: row for row in interval_table([found]).rows}
    assert (
        table["hierarchy.micro.ancestors.hierarchical_f1"][2] == found.hierarchy.micro["ancestors"]["hierarchical_f1"]
    )


def test_what_is_refused():
    with pytest.raises(InvalidInput, match="need hierarchy="):
        rb.evaluate(TRUTH, DECIDED, measures=["extended_f_beta:2"])
    with pytest.raises(InvalidInput, match="cannot be below itself"):
        rb.evaluate(TRUTH, DECIDED, hierarchy=[("a", "b"), ("b", "a")])
    with pytest.raises(InvalidInput, match="no category of the run"):
        rb.evaluate(TRUTH, DECIDED, hierarchy=[("a", "b")])


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "no header"),
        ("category,a,a\n", "no header"),
        ("category,a,b\na,1,x\n", "line 2: 'x' is not a number"),
        ("category,a,b\nc,1,1\n", "line 2: a row for 'c'"),
        ("category,a,b\na,1,\n", "no similarity of 'a' and 'b'"),
        ("category,a,b\na,1,.2\nb,.3,1\n", "symmetric"),
        ("category,a,b\na,1,7\n", "between −1 and 1"),
    ],
)
def test_what_is_no_table_of_similarities(tmp_path, text, message):
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(InvalidFile, match=message):
        read_similarity(path)
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_similarity(tmp_path / "none.csv")
