"""Tables, ranks, best categories, thresholds and label sets in C, against dense tables, sorts and definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from tests.native.small_cases import SEEDS, count_cases, lists_of, rows_of

from rubricate.native import measures as native
from rubricate.native.measures import (
    LEVELS,
    MAX_COMPARED_LABELS,
    Rankings,
    RecallPoints,
    StepTables,
    balance_f1,
    best_columns,
    best_stored_columns,
    cell_codes,
    count_dense_steps,
    count_overlap,
    count_row_overlap,
    count_stored_steps,
    rank_labels,
    recall_levels,
    scores_at,
    sum_similarities,
    tally_codes,
)
from rubricate.native.sparse import Lists, Rows

VALUES = np.array([-np.inf, -1.0, 0.0, 0.0, 0.5, 2.0, np.inf])


@given(SEEDS)
def test_overlaps_are_those_of_dense_tables(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(0, 7, 2)
    a, b = rng.random((2, *shape)) < rng.random()
    both, first, second = count_overlap(lists_of(a), lists_of(b), int(shape[1]))
    assert both.tolist() == (a & b).sum(axis=0).tolist()
    assert first.tolist() == a.sum(axis=0).tolist()
    assert second.tolist() == b.sum(axis=0).tolist()
    assert count_row_overlap(lists_of(a), lists_of(b)).tolist() == (a & b).sum(axis=1).tolist()
    count_cases(4)


@given(SEEDS)
def test_codes_of_decisions_are_those_of_dense_tables(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(0, 6, 2)
    truth, a, b = rng.random((3, *shape)) < rng.random()
    table = truth + 2 * a + 4 * b
    given_lists = [lists_of(each) for each in (truth, a, b)]
    tally = tally_codes(*given_lists, int(shape[1]))
    for code in range(1, 8):
        assert tally[:, code].tolist() == (table == code).sum(axis=0).tolist()
    starts, columns, values = cell_codes(*given_lists)
    filled = np.zeros(shape, int)
    filled[np.repeat(np.arange(shape[0]), np.diff(starts)), columns] = values
    assert (filled == table).all()
    assert len(columns) == np.count_nonzero(table)
    count_cases(2)


def check_ranks(scores, stored, true, floor):
    rows, labels = rows_of(scores, stored), lists_of(true)
    scores = np.where(stored, scores, floor)
    at_labels = scores_at(rows, labels, floor)
    assert at_labels.tolist() == scores[true].tolist()
    above, rank, hits = rank_labels(
        Rankings(rows.starts, rows.values, scores.shape[1], floor, labels.starts, at_labels)
    )
    row = np.nonzero(true)[0]
    mine, all_scores = at_labels[:, None], scores[row]
    assert above.tolist() == (all_scores > mine).sum(axis=1).tolist()
    assert rank.tolist() == (all_scores >= mine).sum(axis=1).tolist()
    at_least = ((all_scores >= mine) & true[row]).sum(axis=1)
    assert hits.tolist() == np.where(at_labels > -np.inf, at_least, 0).tolist()
    count_cases(len(row))


@given(SEEDS)
def test_ranks_are_those_of_counting(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    floor = float(rng.choice([-np.inf, -2.0, 0.0]))
    true = rng.random(shape) < 0.4
    assume(true.any())
    check_ranks(rng.choice(VALUES, shape), rng.random(shape) < rng.random(), true, floor)


@given(SEEDS)
def test_ranks_of_long_rows_are_those_of_counting(seed):
    """More stored scores than are counted through, more labels than are compared."""
    rng = np.random.default_rng(seed)
    shape = 2, int(rng.integers(100, 4 * MAX_COMPARED_LABELS))
    true = rng.random(shape) < rng.random()
    assume(true.any())
    scores = rng.choice(VALUES, shape) if rng.random() < 0.5 else rng.standard_normal(shape)
    check_ranks(scores, rng.random(shape) < rng.random(), true, float(rng.choice([-np.inf, -1.0, 0.3])))


@pytest.mark.parametrize("labels", [MAX_COMPARED_LABELS + step for step in (-1, 0, 1, 2 * MAX_COMPARED_LABELS)])
def test_many_labels_are_searched_and_give_the_same(labels):
    rng = np.random.default_rng(labels)
    true = np.zeros((2, 4 * MAX_COMPARED_LABELS), bool)
    true[:, :labels] = True
    check_ranks(rng.choice(VALUES, true.shape), rng.random(true.shape) < 0.9, true, -1.0)


def test_the_limit_of_compared_labels_is_the_one_in_c():
    from tests.native.test_library import ROOT

    assert f"MAX_COMPARED = {MAX_COMPARED_LABELS} " in (ROOT / "native" / "measures.c").read_text()


def test_long_work_can_be_stopped_and_gives_the_same(monkeypatch):
    rankings = Rankings(np.array([0, 3]), np.array([0.5, 2.0, 1.0]), 3, 0.0, np.array([0, 1]), np.array([1.0]))
    short = rank_labels(rankings)
    monkeypatch.setattr(native, "LONG_WORK", 0)
    assert [part.tolist() for part in rank_labels(rankings)] == [part.tolist() for part in short] == [[1], [2], [1]]


@given(SEEDS)
def test_levels_are_those_of_exact_recalls(seed):
    rng = np.random.default_rng(seed)
    rankings, count = int(rng.integers(1, 4)), int(rng.integers(0, 7))
    row, labels = rng.integers(0, rankings, count), rng.integers(1, 12, count)
    hits = rng.integers(1, labels + 1)
    points = RecallPoints(row, hits, hits + rng.integers(0, 5, count), labels, rankings)
    wanted, last = np.zeros((rankings, LEVELS)), [(0, 0.0)] * rankings
    for r, h, rank, n in zip(*(part.tolist() for part in points[:4]), strict=True):
        level = int(Fraction(10 * h, n))
        if level < LEVELS - 1:
            wanted[r, level] = max(wanted[r, level], h / rank)
        if h >= last[r][0]:
            last[r] = h, h / rank
    wanted[:, LEVELS - 1] = [precision for _, precision in last]
    assert (recall_levels(points) == wanted).all()
    count_cases(rankings)


def best(scores, k):
    """Sort each row; equal scores go to the earlier column, -inf is never taken."""
    return [{c for c in np.argsort(-row, kind="stable")[:k].tolist() if row[c] > -np.inf} for row in scores]


def taken(result):
    columns, kept = result
    return [{*row[:k].tolist()} for row, k in zip(columns, kept, strict=True)]


@given(SEEDS)
def test_the_best_columns_are_those_of_a_sort(seed):
    rng = np.random.default_rng(seed)
    shape, k = (int(rng.integers(1, 5)), int(rng.integers(1, 12))), int(rng.integers(0, 9))
    scores, stored = rng.choice(VALUES, shape), rng.random(shape) < 0.6
    assert taken(best_columns(scores, k)) == best(scores, k)
    floor = float(rng.choice([-np.inf, -1.0, 0.0, 1.0]))
    found = best_stored_columns(rows_of(scores, stored), shape[1], floor, k)
    assert taken(found) == best(np.where(stored, scores, floor), k)
    count_cases(2 * shape[0])


def steps_of(scores, positive):
    """Return the steps of each category: the distinct finite scores of its positives, then +inf."""
    parts = []
    for column, true in zip(scores.T, positive.T, strict=True):
        own = np.unique(column[true])
        parts.append(np.append(own[np.isfinite(own)], np.inf))
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return starts, np.concatenate([*parts, np.zeros(0)])


def check_steps(starts, steps, filled, scores):
    """Each step counts the cells at or above it; below it stands the highest score between it and the step before."""
    counts, below = filled
    for c, column in enumerate(scores.T):
        before = -np.inf
        for at in range(starts[c], starts[c + 1]):
            assert counts[at] == (column >= steps[at]).sum()
            between = column[(column >= before) & (column < steps[at])]
            assert below[at] == max(between, default=-np.inf)
            before = steps[at]


@given(SEEDS)
def test_steps_count_the_cells_that_reach_them(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(0, 7)), int(rng.integers(1, 4))
    scores, stored = rng.choice(VALUES, shape), rng.random(shape) < 0.6
    positive, floor = rng.random(shape) < 0.4, float(rng.choice([-np.inf, -2.0, 0.0]))
    starts, steps = steps_of(scores, positive)
    check_steps(starts, steps, count_dense_steps(scores, starts, steps), scores)
    scores = np.where(stored, scores, floor)
    rows, missing = rows_of(scores, stored), (~stored).sum(axis=0)
    starts, steps = steps_of(scores, positive)
    filled = count_stored_steps(rows.terms, rows.values, starts, steps, floor=floor, missing=missing)
    check_steps(starts, steps, filled, scores)
    assert scores_at(rows, lists_of(positive), floor).tolist() == scores[positive].tolist()
    count_cases(len(steps))


@given(SEEDS)
def test_the_search_over_all_categories_is_the_one_written_out(seed):
    rng = np.random.default_rng(seed)
    categories, weight, passes = int(rng.integers(1, 4)), float(rng.choice([0.0, 1.0, 3.0])), int(rng.integers(0, 3))
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 4, categories))]).astype(np.int64)
    assigned = rng.integers(0, 6, starts[-1])
    hits, positives = np.minimum(assigned, rng.integers(0, 6, starts[-1])), rng.integers(0, 6, categories)
    allowed = rng.random(starts[-1]) < 0.8

    def f1(step, c):
        return 2 * hits[step] / max(assigned[step] + positives[c], 1)

    def micro(chosen):
        return 2 * sum(hits[chosen]) / max(sum(assigned[chosen]) + sum(positives), 1)

    def best_of(c, value):
        steps = [step for step in range(starts[c], starts[c + 1]) if allowed[step]]
        return max(reversed(steps), key=value) if steps else starts[c + 1] - 1

    chosen = [best_of(c, lambda step, c=c: f1(step, c)) for c in range(categories)]
    for _ in range(passes):
        for c in range(categories):

            def goal(step, c=c):
                tried = [*chosen[:c], step, *chosen[c + 1 :]]
                return micro(tried) + weight / categories * f1(step, c)

            chosen[c] = best_of(c, goal)
    found = balance_f1(StepTables(starts, hits, assigned, positives, allowed), weight, passes)
    assert found.tolist() == [int(step) for step in chosen]
    count_cases(categories)


def masi(a, b):
    part = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return part * len(a & b) / len(a | b)


@given(SEEDS)
def test_similarities_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    held = np.unique(rng.random((int(rng.integers(1, 7)), 4)) < 0.5, axis=0)
    held = held[held.any(axis=1)]
    assume(len(held) > 0)
    weights = rng.integers(1, 4, len(held)).astype(float)
    sums = sum_similarities(lists_of(held), lists_of(held.T.copy()), weights)
    sets = [{*np.flatnonzero(row).tolist()} for row in held]
    for i, a in enumerate(sets):
        jaccard = sum(w * len(a & b) / len(a | b) for w, b in zip(weights, sets, strict=True))
        other = sum(w * masi(a, b) for w, b in zip(weights, sets, strict=True))
        assert sums[i].tolist() == pytest.approx([jaccard, other], abs=1e-12)
    count_cases(len(sets))


EMPTY = Lists(np.zeros(1, np.int64), np.zeros(0, np.int32))
ONE = Lists(np.array([0, 1]), np.zeros(1, np.int32))
BAD_LISTS = {
    "an item too large": Lists(np.array([0, 1]), np.array([3], np.int32)),
    "a negative item": Lists(np.array([0, 1]), np.array([-1], np.int32)),
    "starts beyond the items": Lists(np.array([0, 2]), np.zeros(1, np.int32)),
    "a negative start": Lists(np.array([-1, 1]), np.zeros(1, np.int32)),
    "another number of rows": Lists(np.array([0, 0, 1]), np.zeros(1, np.int32)),
    "no starts": Lists(np.zeros(0, np.int64), np.zeros(0, np.int32)),
}


@pytest.mark.parametrize("bad", BAD_LISTS.values(), ids=BAD_LISTS)
def test_bad_matrices_are_refused(bad):
    calls = (
        lambda: count_overlap(ONE, bad, 3),
        lambda: count_overlap(bad, ONE, 3),
        lambda: tally_codes(ONE, ONE, bad, 3),
        lambda: best_stored_columns(Rows(*bad, np.zeros(len(bad.items) + (len(bad.starts) > 2))), 3, 0.0, 2),
        lambda: sum_similarities(bad, ONE, np.ones(1)),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"starts|index out of range|expected"):
            call()


@pytest.mark.parametrize("bad", [BAD_LISTS["starts beyond the items"], BAD_LISTS["another number of rows"]])
def test_bad_starts_are_refused_where_no_item_is_an_index(bad):
    for call in (
        lambda: count_row_overlap(ONE, bad),
        lambda: cell_codes(ONE, bad, ONE),
        lambda: scores_at(Rows(*ONE, np.ones(1)), bad, 0.0),
    ):
        with pytest.raises(ValueError, match=r"starts|index out of range"):
            call()


def test_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="int64"):
        count_overlap(Lists(ONE.starts.astype(np.int32), ONE.items), ONE, 1)
    with pytest.raises(TypeError, match="int32"):
        count_overlap(Lists(ONE.starts, ONE.items.astype(np.int64)), ONE, 1)
    with pytest.raises(TypeError, match="float64"):
        best_columns(np.zeros((1, 1), np.float32), 1)
    with pytest.raises(ValueError, match="contiguous"):
        best_columns(np.zeros((4, 4))[:, ::2], 1)


def test_arrays_that_do_not_fit_each_other_are_refused():
    one, zero, two = np.ones(1, np.int64), np.zeros(1, np.int64), np.zeros(2)
    calls = (
        lambda: rank_labels(Rankings(np.array([0, 3]), two, 2, 0.0, np.array([0, 1]), two[:1])),
        lambda: rank_labels(Rankings(np.array([0, 2]), two, 2, 0.0, np.array([0, 3]), two[:1])),
        lambda: rank_labels(Rankings(np.array([0, 2]), two, 2, 0.0, np.array([0, 1, 1]), two[:1])),
        lambda: recall_levels(RecallPoints(one, one, one, one, 1)),  # no such ranking
        lambda: recall_levels(RecallPoints(-one, one, one, one, 1)),
        lambda: recall_levels(RecallPoints(zero, 2 * one, one, one, 1)),  # a recall above 1
        lambda: recall_levels(RecallPoints(zero, zero, one, zero, 1)),  # 0/0
        lambda: recall_levels(RecallPoints(zero, one, zero, one, 1)),
        lambda: recall_levels(RecallPoints(zero, one, np.ones(2, np.int64), one, 1)),
        lambda: best_columns(np.zeros((2, 2)), -1),
        lambda: count_dense_steps(np.zeros((1, 2)), np.array([0, 1]), two),
        lambda: count_dense_steps(np.zeros((1, 1)), np.array([0, 3]), two),
        lambda: count_dense_steps(np.zeros((1, 1)), np.array([0, 0]), two),  # a category without a step
        lambda: count_stored_steps(np.ones(1, np.int32), two[:1], np.array([0, 2]), two, floor=0.0, missing=zero),
        lambda: count_stored_steps(np.zeros(2, np.int32), two[:1], np.array([0, 2]), two, floor=0.0, missing=zero),
        lambda: balance_f1(StepTables(np.array([0, 2]), one, one, one, np.ones(1, bool)), 1.0, 1),
        lambda: balance_f1(StepTables(np.array([0, 1]), one, one, np.ones(2, np.int64), np.ones(1, bool)), 1.0, 1),
        lambda: sum_similarities(ONE, ONE, np.ones(2)),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"expected|outside|starts|recall points|negative"):
            call()


def test_empty_matrices_give_empty_results():
    assert [part.tolist() for part in count_overlap(EMPTY, EMPTY, 0)] == [[], [], []]
    assert count_row_overlap(EMPTY, EMPTY).tolist() == []
    assert tally_codes(EMPTY, EMPTY, EMPTY, 2).tolist() == [[0] * 8] * 2
    assert [part.tolist() for part in cell_codes(EMPTY, EMPTY, EMPTY)] == [[0], [], []]
    assert best_columns(np.zeros((0, 3)), 2)[0].shape == (0, 2)
    assert best_columns(np.zeros((2, 0)), 2)[1].tolist() == [0, 0]
    assert recall_levels(RecallPoints(*(np.zeros(0, np.int64) for _ in range(4)), 0)).shape == (0, LEVELS)
    none = np.zeros(0, np.int64)
    assert balance_f1(StepTables(np.zeros(1, np.int64), none, none, none, np.zeros(0, bool)), 1.0, 2).tolist() == []
    assert sum_similarities(EMPTY, EMPTY, np.zeros(0)).shape == (0, 2)
    assert count_dense_steps(np.zeros((3, 0)), np.zeros(1, np.int64), np.zeros(0))[0].tolist() == []
