"""The tables of evaluations."""

from dataclasses import replace

import numpy as np
import pytest

import rubricate as rb
from rubricate.reports.evaluation_tables import (
    category_table,
    frequency_table,
    interval_table,
    ranking_table,
    summary_table,
)

TRUTH, DECIDED = np.eye(4)[:, :3], np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]])


@pytest.fixture
def results():
    return [
        rb.evaluate(TRUTH, DECIDED, name="a", train_counts=[1, 2, 9]),
        rb.evaluate(TRUTH, DECIDED, scores=DECIDED * 0.5, name="b", train_counts=[1, 2, 9], bootstrap=10),
    ]


def test_the_summary_has_a_row_a_system_and_the_baselines(results):
    table = summary_table(results, extra=["accuracy"])
    assert [row[0] for row in table.rows] == ["a", "b", "rejector", "acceptor"]
    assert table.columns == ("system", "miR", "miP", "miF1", "maF1", "error", "mi accuracy", "ma accuracy")
    assert table.rows[0][1] == results[0].micro["recall"]
    assert table.signature.startswith("undefined:zero")


def test_signatures_that_differ_are_named_run_by_run(results):
    first, second = results[:2]
    other = replace(second, signature=replace(second.signature, cut="rcut:1"))
    table = summary_table([first, other])
    assert table.signature == ""
    assert list(table.notes[1:]) == [f"{first.name}: {first.signature}", f"{other.name}: {other.signature}"]


def test_the_ranking_has_only_runs_with_scores(results):
    table = ranking_table(results)
    assert [row[0] for row in table.rows] == ["b"]
    assert table.columns[-2:] == ("brier", "ece")
    assert any("miBEP of b is interpolated" in note for note in table.notes)


def test_categories_are_one_row_each_with_missing_columns_empty(results):
    table = category_table(results)
    assert len(table.rows) == 6
    column = table.columns.index("average_precision")
    assert table.rows[0][column] is None
    assert table.rows[3][column] is not None


def test_frequencies_have_a_column_a_system(results):
    table = frequency_table(results)
    assert table.columns == ("from", "to", "categories", "a", "b")
    assert sum(row[2] for row in table.rows) == 3
    assert frequency_table([rb.evaluate(TRUTH, DECIDED)]).rows == []


def test_every_interval_has_its_value_beside_it():
    one = rb.evaluate(TRUTH, DECIDED, scores=DECIDED * 0.5, measures=["f_beta:0.5"], bootstrap=5)
    values = {row[1]: row[2] for row in interval_table([one]).rows}
    assert values["micro.f_beta:0.5"] == one.micro["f_beta:0.5"]
    assert values["ranking.break_even.micro"] == one.ranking["break_even"]["micro"]
    assert all(isinstance(value, float) for value in values.values()), values


def test_intervals_name_their_method(results):
    table = interval_table(results)
    assert {row[-1] for row in table.rows} == {"wilson", "bootstrap", "studentized", "bca"}
    assert table.title == "Intervals of 95% confidence"
