"""Documents dealt to folds, against the rule written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of

from rubricate.kernels.folds import Order, deal


def dealt(labels, order):
    """Give each document, the rarest category's first, to the fold that lacks its category most."""
    fold_of, folds = [-1] * len(labels), order.folds.shape[1]

    def size(k):
        return fold_of.count(k)

    for c in order.categories:
        for d in np.flatnonzero(labels[:, c]):
            if fold_of[d] < 0:
                held = {k: sum(labels[e, c] for e in range(len(labels)) if fold_of[e] == k) for k in range(folds)}
                fold_of[d] = min(order.folds[c].tolist(), key=lambda k, held=held: (held[k], size(k)))
    for d in order.documents:
        if fold_of[d] < 0:
            fold_of[d] = min(range(folds), key=size)
    return fold_of


@given(SEEDS)
def test_folds_are_those_of_the_rule(seed):
    rng = np.random.default_rng(seed)
    documents, categories, folds = int(rng.integers(0, 8)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    labels = rng.random((documents, categories)) < 0.4
    order = Order(
        np.argsort(labels.sum(axis=0), kind="stable"),
        rng.permutation(documents),
        rng.permuted(np.tile(np.arange(folds), (categories, 1)), axis=1),
    )
    by_category = lists_of(labels.T.copy(), np.int64, np.int64)
    assert deal(by_category, lists_of(labels, np.int64, np.int64), order).tolist() == dealt(labels, order)
