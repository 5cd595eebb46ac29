"""Resampling of documents: measures of documents drawn with replacement, folds (native/resampling.c)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core
from rubricate.native.measures import check_indices, check_lists, run_long
from rubricate.native.sparse import Lists, Rows

__all__ = ["RankedItems", "assign_folds", "ratio_errors", "sum_pattern_weights", "weighted_rankings"]


class RankedItems(NamedTuple):
    """Rankings end to end, best item first: its document, whether it is true, whether it is the last of its tie."""

    starts: np.ndarray
    documents: np.ndarray
    is_true: np.ndarray
    is_last: np.ndarray


def weighted_rankings(items: RankedItems, missed: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return AP, R-precision, 11-point, BEP, optimal F1 by ranking (or NaN); `missed` weighs true items not listed."""
    n = len(items.starts) - 1
    check_lists(len(weights), Lists(items.starts, items.documents))
    check_lengths(len(items.documents), is_true=items.is_true, is_last=items.is_last)
    check_lengths(n, missed=missed)
    if weights.min(initial=0) < 0 or missed.min(initial=0) < 0:
        raise ValueError("weights must not be negative")
    values = np.empty((n, 5))
    core.rb_weighted_rankings(n, items, missed, weights, values)
    return values


def sum_pattern_weights(codes: np.ndarray, weights: np.ndarray, patterns: int) -> np.ndarray:
    """Return the weight of each pattern in each draw, from the weight of each document in it (documents × draws)."""
    documents, draws = weights.shape
    check_indices(patterns, documents, codes=codes)
    sums = np.zeros((patterns, draws), np.int32)
    run_long("rb_sum_pattern_weights", documents * draws // 8, documents, draws, patterns, codes, weights, sums)
    return sums


def ratio_errors(above: Rows, below: Rows, weights: np.ndarray, ratios: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean ratio and its standard error in each draw, given patterns × draws; 0/0 counts as 0."""
    patterns, draws = weights.shape
    check_lists(ratios, above, below)
    check_lengths(patterns + 1, above=above.starts)
    means, squares = np.zeros(draws), np.zeros(draws)
    work = draws * (len(above.terms) + len(below.terms))
    run_long("rb_ratio_errors", work, above, below, ratios, draws, weights, means, squares)
    return means, np.sqrt(squares) / max(ratios, 1)


def assign_folds(
    by_category: Lists, by_document: Lists, *, categories: np.ndarray, documents: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """Return the fold of each document; given in which order to take categories, documents, and folds by category."""
    n, m, k = by_document.length, by_category.length, folds.shape[1]
    check_lists(n, by_category)
    check_lists(m, by_document)
    check_indices(m, m, categories=categories)
    check_indices(n, n, documents=documents)
    check_indices(k, max(m, 1), folds=folds)
    if k == 0:
        raise ValueError("expected at least one fold")
    fold_ids, work = np.full(n, -1, np.int64), len(by_category.items) * k
    run_long("rb_assign_folds", work, by_category, by_document, categories, documents, k, folds, fold_ids)
    return fold_ids
