"""The curves hold every cut that can be best, and cut between scores."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.oracles.cuts import cut_at, every_cut
from tests.thresholds.strategies import as_sparse, tables

from rubricate.thresholds.curves import curves
from rubricate.thresholds.decisions import take_labels, take_scores


def by_category(sweep):
    """(step, tp, fp, fn, tn, cut) of each step of each category."""
    table, cuts = sweep.tables(), sweep.cuts(np.arange(len(sweep.steps)))
    rows = list(
        zip(sweep.steps.tolist(), *(getattr(table, n).tolist() for n in ("tp", "fp", "fn", "tn")), cuts, strict=True)
    )
    return [rows[a:b] for a, b in zip(sweep.starts[:-1], sweep.starts[1:], strict=True)]


def slow(scores, truth):
    """Every cut that lies just under a positive, and none."""
    found = []
    for lowest, table in reversed(every_cut(scores, truth)):
        if np.isinf(lowest) or (truth & (scores == lowest)).any():
            found.append((lowest, *table, cut_at(scores, lowest)))
    return found


@given(tables())
def test_steps_are_the_cuts_just_under_a_positive(table):
    scores, truth = table
    expected = [slow(scores[:, c], truth[:, c]) for c in range(scores.shape[1])]
    assert by_category(curves(take_scores(scores), take_labels(truth))) == expected


@given(tables())
def test_sparse_scores_give_the_same_curves(table):
    scores, truth = table
    dense = curves(take_scores(scores), take_labels(truth))
    stored = curves(take_scores(as_sparse(scores)), take_labels(truth))
    assert by_category(stored) == by_category(dense)


@given(tables())
def test_pooled_curve_is_that_of_all_cells_as_one_category(table):
    scores, truth = table
    expected = [slow(scores.ravel(), truth.ravel())]
    for form in (scores, as_sparse(scores)):
        assert by_category(curves(take_scores(form), take_labels(truth), pooled=True)) == expected


@given(tables())
def test_cuts_never_lie_inside_a_tie(table):
    scores, truth = table
    sweep = curves(take_scores(scores), take_labels(truth))
    cuts = sweep.cuts(np.arange(len(sweep.steps)))
    for j, c in enumerate(sweep.category):
        given = int((scores[:, c] >= max(cuts[j], np.finfo(float).min)).sum())
        assert given == sweep.assigned[j]
