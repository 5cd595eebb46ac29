"""Intervals of each category: Wilson's, and for F1 his interval of TP / (TP + FP + FN)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from rubricate import evaluate
from rubricate.measures import counts, wilson
from rubricate.measures.contingency import f1
from rubricate.measures.intervals import category_intervals
from rubricate.types import Counts

CELLS = st.lists(st.tuples(*[st.integers(0, 60)] * 4), min_size=1, max_size=6)


def _table(cells):
    return Counts(*np.array(cells, np.int64).T)


@given(CELLS, st.sampled_from([0.8, 0.95, 0.99]))
def test_precision_and_recall_agree_with_the_interval_of_one_proportion(cells, level):
    table = _table(cells)
    found = category_intervals(table, level=level)
    for i in range(len(cells)):
        tp, fp, fn = int(table.tp[i]), int(table.fp[i]), int(table.fn[i])
        for name, trials in (("precision", tp + fp), ("recall", tp + fn)):
            one = wilson(tp, trials, level=level)
            np.testing.assert_allclose([found[f"{name}_low"][i], found[f"{name}_high"][i]], [one.low, one.high])


@given(CELLS)
def test_the_interval_of_f1_holds_f1(cells):
    table = _table(cells)
    found, value = category_intervals(table), f1(table)
    some = table.tp + table.fp + table.fn > 0
    assert (found["f1_low"][some] <= value[some] + 1e-12).all()
    assert (value[some] <= found["f1_high"][some] + 1e-12).all()


def test_a_golden_interval_of_f1():
    # statsmodels proportion_confint(8, 12, method="wilson") put through 2J / (1 + J)
    low, high = proportion_confint(8, 12, method="wilson")
    found = category_intervals(_table([(8, 3, 1, 90)]))
    np.testing.assert_allclose([found["f1_low"][0], found["f1_high"][0]], [2 * low / (1 + low), 2 * high / (1 + high)])


def test_the_interval_of_f1_holds_the_true_f1_as_often_as_it_says():
    """A category with a true recall of .7 and precision of about .8: 2,000 draws of 400 documents."""
    rng = np.random.default_rng(5)
    truth = rng.random((400, 2000)) < 0.2
    decided = np.where(truth, rng.random(truth.shape) < 0.7, rng.random(truth.shape) < 0.05)
    true_f1 = 2 * 0.14 / (0.2 + 0.14 + 0.04)
    found = category_intervals(counts(truth, decided))
    covered = ((found["f1_low"] <= true_f1) & (true_f1 <= found["f1_high"])).mean()
    assert 0.93 < covered < 0.97


def test_an_evaluation_has_the_columns_where_there_are_decisions():
    truth = np.array([[1, 0], [1, 1], [0, 1]], bool)
    found = evaluate(truth, decisions=truth, level=0.9).per_category
    expected = category_intervals(counts(truth, truth), level=0.9)
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column)
    assert "f1_low" not in evaluate(truth, scores=truth.astype(float)).per_category
