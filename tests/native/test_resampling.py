"""Weighted rankings, patterns, ratios and folds in C, against repetition, loops and the rule itself."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases, lists_of, rows_of

from rubricate.native import measures as native
from rubricate.native.resampling import (
    RankedItems,
    assign_folds,
    ratio_errors,
    sum_pattern_weights,
    weighted_rankings,
)
from rubricate.native.sparse import Lists, Rows


def measure(true, last, n):
    """Measure one ranking of repeated items threshold by threshold: none lies inside a tie."""
    ends = np.flatnonzero(last)
    hits, assigned = np.cumsum(true)[ends], ends + 1
    before = np.concatenate([[0], hits[:-1]])
    start = np.concatenate([[0], assigned[:-1]])
    new = hits > before
    precision, recall = hits / assigned, hits / n
    inside = ((hits - before) * np.clip((n - start) / (assigned - start), 0, 1))[new].sum() / n
    levels = np.zeros(native.LEVELS)
    for h, p in zip(hits[new], precision[new], strict=True):
        level = (native.LEVELS - 1) * h // n
        if level < native.LEVELS - 1:
            levels[level] = max(levels[level], p)
        levels[native.LEVELS - 1] = p
    levels = np.maximum.accumulate(levels[::-1])[::-1]
    exact = hits[assigned == n] / n
    gaps = sorted((abs(p - r), -(p + r) / 2) for p, r, h in zip(precision, recall, hits, strict=True) if h)
    even = exact[0] if len(exact) else -gaps[0][1] if gaps else 0.0
    best = (2 * hits / (assigned + n)).max(initial=0.0)
    return [((hits - before) * precision)[new].sum() / n, inside, levels.mean(), even, best]


@given(SEEDS)
def test_weights_are_repetitions(seed):
    rng = np.random.default_rng(seed)
    documents = int(rng.integers(1, 8))
    order, weights = rng.permutation(documents).astype(np.int32), rng.integers(0, 4, documents)
    true, last = rng.random(documents) < 0.5, rng.random(documents) < 0.7
    last[-1], missed = True, int(rng.integers(0, 3))
    items = RankedItems(np.array([0, documents]), order, true, last)
    values = weighted_rankings(items, np.array([missed]), weights)[0]
    own = weights[order]
    n = int(own[true].sum()) + missed
    count_cases(5)
    if n == 0:
        assert np.isnan(values).all()
        return
    repeated = np.repeat(true, own)
    ties = np.repeat(np.cumsum(last) - last, own)
    ends = np.append(ties[1:] != ties[:-1], True) if len(ties) else np.zeros(0, bool)
    assert values.tolist() == pytest.approx(measure(repeated, ends, n), abs=1e-12)


@given(SEEDS, st.sampled_from([0, 1, 3, 255, 256, 257, 600]))
def test_weights_of_patterns_are_sums_over_their_documents(seed, draws):
    rng = np.random.default_rng(seed)
    documents, patterns = int(rng.integers(0, 40)), int(rng.integers(1, 7))
    codes = rng.integers(0, patterns, documents)
    weights = rng.integers(0, 256, (documents, draws)).astype(np.uint8)
    expected = np.zeros((patterns, draws), np.int64)
    for document, code in enumerate(codes):
        expected[code] += weights[document]
    assert (sum_pattern_weights(codes, weights, patterns) == expected).all()
    count_cases(max(draws, 1))


@given(SEEDS, st.integers(1, 30), st.sampled_from([1, 2, 257]), st.integers(1, 5))
def test_ratios_are_those_of_whole_arrays(seed, patterns, draws, ratios):
    rng = np.random.default_rng(seed)
    below = rng.integers(0, 3, (patterns, ratios)).astype(float)
    above = np.minimum(below, rng.integers(0, 3, below.shape))
    weights = rng.integers(0, 4, (patterns, draws)).astype(np.int32)
    means, errors = ratio_errors(rows_of(above, above != 0), rows_of(below, below != 0), weights, ratios)
    x, y = weights.T @ above, weights.T @ below
    inverse = np.divide(1.0, y, out=np.zeros_like(y), where=y > 0)
    influence = (inverse @ above.T - (x * inverse * inverse) @ below.T) / ratios
    assert means == pytest.approx((x * inverse).mean(axis=1), abs=1e-12)
    assert errors == pytest.approx(np.sqrt((weights.T * influence**2).sum(axis=1)), abs=1e-12)
    count_cases(2 * draws)


def test_no_ratio_is_0():
    none = Rows(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0))
    means, errors = ratio_errors(none, none, np.ones((1, 3), np.int32), 2)
    assert means.tolist() == errors.tolist() == [0.0] * 3
    means, errors = ratio_errors(none, none, np.ones((1, 3), np.int32), 0)
    assert means.tolist() == errors.tolist() == [0.0] * 3


def assigned(labels, categories, documents, orders):
    """Give each document, the rarest category's first, to the fold that lacks its category most."""
    fold_of, folds = [-1] * len(labels), orders.shape[1]

    def size(k):
        return fold_of.count(k)

    for c in categories:
        for d in np.flatnonzero(labels[:, c]):
            if fold_of[d] < 0:
                held = {k: sum(labels[e, c] for e in range(len(labels)) if fold_of[e] == k) for k in range(folds)}
                fold_of[d] = min(orders[c].tolist(), key=lambda k, held=held: (held[k], size(k)))
    for d in documents:
        if fold_of[d] < 0:
            fold_of[d] = min(range(folds), key=size)
    return fold_of


def fold_order(rng, labels, folds):
    return {
        "categories": np.argsort(labels.sum(axis=0), kind="stable"),
        "documents": rng.permutation(len(labels)),
        "folds": rng.permuted(np.tile(np.arange(folds), (max(labels.shape[1], 1), 1)), axis=1),
    }


@given(SEEDS)
def test_folds_are_those_of_the_rule(seed):
    rng = np.random.default_rng(seed)
    documents, categories, folds = int(rng.integers(0, 8)), int(rng.integers(0, 4)), int(rng.integers(1, 4))
    labels = rng.random((documents, categories)) < 0.4
    assume(documents > 0)
    order = fold_order(rng, labels, folds)
    found = assign_folds(lists_of(labels.T.copy()), lists_of(labels), **order)
    assert found.tolist() == assigned(labels, order["categories"], order["documents"], order["folds"])
    count_cases(documents)


def test_hostile_arguments_are_refused():
    one = np.ones(1, np.int64)
    items = RankedItems(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, bool), np.ones(1, bool))
    row = Rows(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1))
    labels = np.eye(2, dtype=bool)
    order = fold_order(np.random.default_rng(0), labels, 2)

    def folds(**changed):
        return assign_folds(lists_of(labels), lists_of(labels), **{**order, **changed})

    calls = (
        lambda: weighted_rankings(items, one, one[:0]),
        lambda: weighted_rankings(items._replace(starts=np.array([0, 2])), one, one),
        lambda: weighted_rankings(items._replace(is_last=np.ones(0, bool)), one, one),
        lambda: weighted_rankings(items, one, -one),
        lambda: weighted_rankings(items, -one, one),
        lambda: weighted_rankings(items, np.ones(2, np.int64), one),
        lambda: sum_pattern_weights(one, np.zeros((1, 2), np.uint8), 1),
        lambda: sum_pattern_weights(-one, np.zeros((1, 2), np.uint8), 1),
        lambda: sum_pattern_weights(one, np.zeros((2, 2), np.uint8), 9),
        lambda: ratio_errors(row, row, np.ones((2, 1), np.int32), 1),
        lambda: ratio_errors(row, row, np.ones((1, 1), np.int32), 0),
        lambda: folds(categories=np.array([0, 2])),
        lambda: folds(categories=np.array([0])),
        lambda: folds(documents=np.array([0, -1])),
        lambda: folds(documents=np.array([0])),
        lambda: folds(folds=np.array([[0, 1]])),
        lambda: folds(folds=np.array([[0, 1], [0, 2]])),
        lambda: folds(folds=np.zeros((2, 0), np.int64)),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"expected|outside|starts|negative|folds"):
            call()


def test_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="uint8"):
        sum_pattern_weights(np.zeros(1, np.int64), np.zeros((1, 1), np.int64), 1)
    none = np.zeros(0, np.int32)
    items = RankedItems(np.zeros(1, np.int64), none, none == 0, none == 0)
    with pytest.raises(TypeError, match="int64"):
        weighted_rankings(items, np.zeros(0, np.int64), none)


def test_long_work_can_be_stopped_and_gives_the_same(monkeypatch):
    codes, weights = np.array([0, 1, 0]), np.arange(6, dtype=np.uint8).reshape(3, 2)
    short = sum_pattern_weights(codes, weights, 2)
    monkeypatch.setattr(native, "LONG_WORK", 0)
    assert sum_pattern_weights(codes, weights, 2).tolist() == short.tolist() == [[4, 6], [2, 3]]


def float_digest() -> str:
    """Return a digest of sums of floats over data of some size, bit by bit."""
    rng, digest = np.random.default_rng(7), hashlib.sha256()
    held = np.unique(rng.random((200, 12)) < 0.3, axis=0)
    held = held[held.any(axis=1)]
    below = rng.random((90, 7)) * (rng.random((90, 7)) < 0.7)
    above = below * rng.random(below.shape)
    weights = rng.integers(0, 5, (90, 700)).astype(np.int32)
    order, true = np.concatenate([rng.permutation(500) for _ in range(4)]).astype(np.int32), rng.random(2000) < 0.2
    last = rng.random(2000) < 0.8
    last[499::500] = True
    items, missed = RankedItems(np.arange(5) * 500, order, true, last), np.arange(4)
    for array in (
        native.sum_similarities(lists_of(held), lists_of(held.T.copy()), rng.random(len(held))),
        *ratio_errors(rows_of(above, above != 0), rows_of(below, below != 0), weights, 7),
        weighted_rankings(items, missed, rng.integers(0, 4, 500)),
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def test_both_variants_give_the_same_bits(print_in_both):
    ours, theirs = print_in_both("from tests.native.test_resampling import float_digest; print(float_digest())")
    assert ours == theirs != ""


def test_lists_of_categories_and_documents_must_fit():
    labels = np.ones((2, 3), bool)
    order = fold_order(np.random.default_rng(0), labels, 2)
    with pytest.raises(ValueError, match="index out of range"):
        assign_folds(lists_of(labels.T[:2].copy()), lists_of(labels), **order)
    with pytest.raises(ValueError, match=r"starts|expected"):
        assign_folds(Lists(np.zeros(0, np.int64), np.zeros(0, np.int32)), lists_of(labels), **order)
