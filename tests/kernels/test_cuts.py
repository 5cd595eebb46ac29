"""Cuts of rankings, against trying every cut on dense scores."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of, rows_of

from rubricate.kernels.cuts import CutSteps, StoredScores, Tables, balance, count_dense, count_stored, scores_at_cells

VALUES = np.array([-np.inf, -1.0, 0.0, 0.5, 0.5, 2.0, np.inf])


def steps_of(scores, positive):
    """Return the steps of each category: the distinct finite scores of its positives, then +inf."""
    parts = []
    for column, true in zip(scores.T, positive.T, strict=True):
        own = np.unique(column[true])
        parts.append(np.append(own[np.isfinite(own)], np.inf))
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    values = np.concatenate([*parts, np.zeros(0)])
    return CutSteps(starts, values, np.zeros(len(values), np.int64), np.full(len(values), -np.inf))


def check(steps, scores):
    """Each step counts the cells at or above it; below it stands the highest score between it and the step before."""
    for c, column in enumerate(scores.T):
        before = -np.inf
        for at in range(steps.starts[c], steps.starts[c + 1]):
            value = steps.values[at]
            assert steps.counts[at] == (column >= value).sum()
            between = column[(column >= before) & (column < value)]
            assert steps.under[at] == max(between, default=-np.inf)
            before = value


@given(SEEDS)
def test_steps_count_the_cells_that_reach_them(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    scores, stored = rng.choice(VALUES, shape), rng.random(shape) < 0.6
    positive, floor = rng.random(shape) < 0.4, float(rng.choice([-np.inf, -2.0, 0.0]))
    steps = steps_of(scores, positive)
    count_dense(scores, steps)
    check(steps, scores)
    scores = np.where(stored, scores, floor)
    rows, steps = rows_of(scores, stored), steps_of(scores, positive)
    count_stored(StoredScores(rows.terms, rows.values, (~stored).sum(axis=0), floor), steps)
    check(steps, scores)
    assert scores_at_cells(lists_of(positive), rows, floor).tolist() == scores[positive].tolist()


@given(SEEDS)
def test_the_search_over_all_categories_is_the_one_written_out(seed):
    rng = np.random.default_rng(seed)
    categories, weight, passes = int(rng.integers(1, 4)), float(rng.choice([0.0, 1.0, 3.0])), int(rng.integers(0, 3))
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 4, categories))]).astype(np.int64)
    assigned = rng.integers(0, 6, starts[-1])
    hits, positives = np.minimum(assigned, rng.integers(0, 6, starts[-1])), rng.integers(1, 6, categories)
    allowed = rng.random(starts[-1]) < 0.8
    tables = Tables(starts, hits, assigned, positives, allowed)

    def f1(step, c):
        return 2 * hits[step] / max(assigned[step] + positives[c], 1)

    def micro(chosen):
        return 2 * sum(hits[chosen]) / max(sum(assigned[chosen]) + sum(positives), 1)

    def best(c, value):
        steps = [step for step in range(starts[c], starts[c + 1]) if allowed[step]]
        return max(reversed(steps), key=value) if steps else starts[c + 1] - 1

    chosen = [best(c, lambda step, c=c: f1(step, c)) for c in range(categories)]
    for _ in range(passes):
        for c in range(categories):

            def goal(step, c=c):
                tried = [*chosen[:c], step, *chosen[c + 1 :]]
                return micro(tried) + weight / categories * f1(step, c)

            chosen[c] = best(c, goal)
    assert balance(tables, weight, passes).tolist() == [int(step) for step in chosen]
