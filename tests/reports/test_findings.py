"""Sentences that follow from the tests, and only from them."""

import dataclasses

import numpy as np
import pytest
from tests.reports.studies import small_study

from rubricate.measures import Interval, centred
from rubricate.measures.evaluation import evaluate
from rubricate.reports.findings import findings, listed, p_text
from rubricate.reports.results import COLUMNS, outcome, rare_edge, results_of
from rubricate.reports.tables import Table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results():
    return results_of(small_study())


@pytest.mark.parametrize(
    "p, text",
    [
        (1.0, "p = 1.00"),
        (0.312, "p = .31"),
        (0.0951, "p = .10"),
        (0.0499, "p = .050"),
        (0.0042, "p = .004"),
        (1e-9, "p < .001"),
    ],
)
def test_p_values_as_papers_print_them(p, text):
    assert p_text(p) == text


def test_lists():
    assert [listed(list("abc")[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_a_clear_leader_is_named_with_its_value_and_interval(results):
    first = findings(results)[0]
    interval = results.interval(0, "micro-F1")
    assert first.startswith("SVM has the highest micro-F1, ")
    assert f"{results.value(0, 'micro-F1'):.3f}"[1:] in first
    assert f"{interval.low:.3f}"[1:] in first
    assert "above every other system" in first


def test_who_is_called_distinguishable_is_so_by_the_corrected_test(results):
    for column in ("micro-F1", "macro-F1"):
        sentence = next(text for text in findings(results) if column in text)
        test, measure = COLUMNS[column][2:]
        order = sorted(range(3), key=lambda k: -results.value(k, column))
        for k in order[1:]:
            pair = (results.names[order[0]], results.names[k])
            made = outcome(results.comparison, pair, test, measure=measure)
            tied = f"{results.names[k]} (p" in sentence
            assert tied == (made.adjusted_p > 0.05)


def test_the_same_system_twice_is_not_distinguishable():
    data = small_study(noises=(0.8, 0.8), names=("one", "other"))
    twin = dataclasses.replace(data.runs[0], name="other")
    found = findings(results_of(dataclasses.replace(data, runs=[data.runs[0], twin])))
    assert found[0].endswith("but is not distinguishable from other (p = 1.00).")
    rare = [text for text in found if "rare" in text]
    assert len(rare) == 1
    assert "one and other, are not distinguishable" in rare[0]


def test_with_many_systems_the_correction_leaves_room_to_tell_them_apart():
    names = [f"s{k}" for k in range(10)]
    noises = [0.3 + 0.15 * k for k in range(10)]
    found = findings(results_of(small_study(noises=noises, names=names, documents=60, resamples=0)))
    assert found[0].startswith("s0 has the highest micro-F1")
    assert "s9 (p" not in found[0]
    assert "It is above" in found[0] or "above every other" in found[0]


def test_one_system_has_no_comparison():
    data = small_study(noises=(0.8,), names=("only",))
    found = findings(results_of(data))
    assert found[0].startswith("only reaches a micro-F1 of")
    assert not any("distinguishable" in text for text in found)


def test_a_perfect_system_gets_every_category_right():
    found = findings(results_of(small_study(noises=(0.0, 2.0), names=("perfect", "poor"))))
    assert "perfect gets every category right at least once." in found
    assert not any("commonest confusion" in text for text in found)


def test_rare_and_frequent_categories_are_counted(results):
    train = results.train_counts
    assert results.rare == 60
    rare = next(text for text in findings(results) if "rare" in text)
    assert f"the {int((train <= 60).sum())} rare categories (at most 60 training documents)" in rare


@pytest.mark.parametrize(
    "counts, edge",
    [([1] * 9, None), ([], None), ([0, 0, 5], None), ([5, 6, 7, 70, 80, 90], 60), ([1, 2, 3, 4, 5, 6], 3)],
)
def test_where_rare_ends(counts, edge):
    assert rare_edge(np.array(counts, np.int64)) == edge


def test_intervals_hold_their_value(results):
    for system in range(3):
        for column in COLUMNS:
            interval = results.interval(system, column)
            assert interval.low <= results.value(system, column) <= interval.high
            assert interval.method == ("bootstrap" if column == "error" else "studentized")


def test_centring_moves_and_clips():
    draws = np.array([0.1, 0.2, 0.3])
    assert centred(0.9, draws, level=0.999).high == pytest.approx(1.0, abs=1e-3)
    assert centred(1.0, draws + 0.7, level=0.999).high == 1.0
    plain = centred(0.2, draws, level=0.5)
    assert (plain.low, plain.high) == (0.15, 0.25)
    assert np.isnan(centred(0.5, np.array([np.nan])).low)


def test_without_resamples_there_are_the_intervals_of_wilson_alone():
    results = results_of(small_study(resamples=0))
    assert isinstance(results.interval(0, "recall"), Interval)
    assert results.interval(0, "micro-F1") is None
    assert findings(results)[0].startswith("SVM has the highest micro-F1, .")


def test_values_are_those_of_the_evaluation(results):
    table = Table(("x",), [(results.value(1, "error"),)])
    assert float(table.to_csv().split()[-1]) == results.evaluations[1].micro["error"]
    assert results.order == sorted(range(3), key=lambda k: -results.evaluations[k].micro["f1"])


def test_the_same_seed_gives_the_same_report(results):
    again = results_of(small_study())
    assert findings(again) == findings(results)
    assert again.interval(2, "macro-F1") == results.interval(2, "macro-F1")


def test_intervals_are_those_of_evaluate(results):
    whole = evaluate(results.runs[1], bootstrap=60)
    for column, (average, measure, *_) in COLUMNS.items():
        expected = whole.intervals[f"{average}.{measure}"][-1]
        found = results.interval(1, column)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
