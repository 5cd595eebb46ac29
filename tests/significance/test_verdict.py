from __future__ import annotations

import pytest

from rubricate.significance.verdict import mark, no_evidence, verdict


@pytest.mark.parametrize(
    "direction, p_value, expected",
    [
        (1, 0.01, ">>"),
        (1, 0.010001, ">"),
        (1, 0.05, ">"),
        (1, 0.050001, "~"),
        (-1, 0.01, "<<"),
        (-1, 0.05, "<"),
        (0, 0.0, "~"),
    ],
)
def test_marks_are_those_of_yl99_table_2(direction: int, p_value: float, expected: str) -> None:
    assert mark(direction, p_value) == expected


def test_less_error_is_better_though_the_mark_compares_values() -> None:
    found = verdict("p", statistic=-3.0, p_value=0.001, n=9, direction=-1, method="normal", greater_is_better=False)
    assert (found.symbol, found.better, found.direction) == ("<<", "a", -1)


def test_nobody_is_better_without_significance_but_the_direction_is_told() -> None:
    found = verdict("s", statistic=1.0, p_value=0.16, n=9, direction=1, method="normal")
    assert (found.symbol, found.better, found.direction) == ("~", None, 1)


def test_no_evidence_says_so() -> None:
    found = no_evidence("T", n=1, note="one difference has no standard error")
    assert (found.p_value, found.statistic, found.symbol, found.better) == (1.0, 0.0, "~", None)
    assert found.note.startswith("no evidence: one difference")
