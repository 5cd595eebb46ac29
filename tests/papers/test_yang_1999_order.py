"""The order and grouping of section 5.3, from the published figures of table 6."""

from __future__ import annotations

import pytest

from rubricate.papers.reproduction import load_reproduction
from rubricate.papers.yang_1999_tables import grouped, link, order_drawing, ordered_rows

LABELS = {"v1": 700, "v2": 3800, "v3": 3735, "v4": 3850}


@pytest.fixture(scope="module")
def printed():
    rows = load_reproduction("yang-1999").tables["6"].rows
    return {name: {v: value for v, value in row.items() if value is not None} for name, row in rows.items()}


def test_pairs_are_compared_directly_where_they_can_be(printed):
    direct = link("kNN", "SWAP-1", printed, LABELS)
    assert (direct.direct, direct.versions) == (True, ("v3",))
    assert direct.gain == pytest.approx(0.06)
    through = link("NNets.PARC", "SWAP-1", printed, LABELS)
    assert (through.direct, through.versions) == (False, ("v4", "v3"))
    assert through.gain == pytest.approx(0.06)
    assert link("kNN", "CONSTRUE", printed, LABELS) is None


def test_the_first_group_is_that_of_section_5_4(printed):
    """yang1999, section 5.4: kNN, NNets.PARC and LLSF are the best; NaiveBayes the last that learns; WORD below."""
    groups, links = grouped(printed, LABELS)
    assert set(groups[0]) == {"kNN", "LLSF", "NNets.PARC"}
    assert groups[-2:] == [["NaiveBayes"], ["WORD"]]
    assert "CONSTRUE" not in [name for group in groups for name in group]
    rows = ordered_rows("x", groups, links)
    assert rows["kNN", "gain on kNN, x"] == 0
    assert rows["WORD", "gain on kNN, x"] == pytest.approx(-0.54)


def test_the_drawing_has_a_box_per_system_and_dashes_for_indirect_lines(printed):
    groups, links = grouped(printed, LABELS)
    svg = order_drawing("published figures", groups, links).svg
    assert svg.count('rx="5"') == sum(map(len, groups))
    assert "stroke-dasharray" in svg
    assert svg.startswith("<svg")


def test_equal_systems_share_a_group():
    figures = {"kNN": {"v3": 0.8}, "a": {"v3": 0.8}, "b": {"v3": 0.5}}
    assert grouped(figures, LABELS)[0] == [["kNN", "a"], ["b"]]
