"""Strata of a population by what is predicted for its documents, and how many documents each stratum gives."""

from __future__ import annotations

import numpy as np

from rubricate.errors import UnknownName
from rubricate.labelling.predictions import Predictions
from rubricate.labelling.sampling.influence import Influence
from rubricate.types import Floats, Ints

__all__ = ["DESIGNS", "allocate", "strata_of"]

DESIGNS = ("uniform", "stratified", "neyman")
BANDS = 4
"""Strata of the design "neyman". More gain little: the spread within a band is small already."""
COMMON = 0.05
"""A predicted category with at least this share of the documents has strata of its own."""


def strata_of(system: Predictions, design: str, influence: Influence) -> Ints:
    """Return the stratum of each document, 0, 1, …; a function of the predictions and the design alone.

    uniform     one stratum
    stratified  the most confident predicted category (those with 5 % of the documents; the others together; none),
                each split at its median confidence
    neyman      four bands of the expected spread, cut where the cumulated root of the spread is equal (dalenius1959)
    """
    if design not in DESIGNS:
        raise UnknownName("design", design, DESIGNS)
    if design == "uniform":
        return np.zeros(system.shape[0], np.int64)
    strata = _by_category(system) if design == "stratified" else _by_spread(influence.spread)
    return np.unique(strata, return_inverse=True)[1].astype(np.int64)


def _by_spread(spread: Floats) -> Ints:
    order = np.argsort(spread, kind="stable")
    cumulated = np.cumsum(np.sqrt(spread[order]))
    strata = np.empty(len(spread), np.int64)
    total = cumulated[-1] if len(cumulated) and cumulated[-1] > 0 else 1.0
    strata[order] = np.minimum((cumulated / total * BANDS).astype(np.int64), BANDS - 1)
    return strata


def _by_category(system: Predictions) -> Ints:
    documents = system.shape[0]
    first, confidence = np.full(documents, -1, np.int64), np.full(documents, -1.0)
    doubt = np.zeros(documents)
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        sure = np.where(d > 0, q, -1.0)
        best = sure.argmax(axis=1)
        top = sure[np.arange(documents), best]
        better = top > confidence
        first[better], confidence[better] = best[better] + columns.start, top[better]
        doubt = np.maximum(doubt, np.where(d > 0, 0, q).max(axis=1))
    confidence = np.where(first >= 0, confidence, 1 - doubt)
    counts = np.bincount(first + 1, minlength=system.shape[1] + 1)
    common = counts >= COMMON * documents
    group = np.where(first < 0, 0, np.where(common[first + 1], first + 2, 1))
    strata = np.zeros(documents, np.int64)
    for name in np.unique(group):
        own = group == name
        strata[own] = 2 * name + (confidence[own] > np.median(confidence[own]))
    return strata


def allocate(n: int, sizes: Ints, spreads: Floats, *, least: Ints) -> Ints:
    """Return how many documents to draw from each stratum: in proportion to size × spread. neyman1934.

    Each stratum gives at least `least` (what earlier batches drew) and 2 (for a variance), or all it has. Rounding by
    largest remainders; a stratum that runs out passes its share to the others.
    """
    floor = np.minimum(np.maximum(least, 2), sizes)
    n = int(min(max(n, floor.sum()), sizes.sum()))
    wish = sizes * np.maximum(spreads, 1e-12)
    given = floor.copy()
    while given.sum() < n:
        free = given < sizes
        ideal = n * np.where(free, wish, 0) / wish[free].sum()
        # The next document goes to the stratum that is furthest below its share.
        lack = np.where(free, (ideal + 1e-9) / (given + 0.5), -1.0)
        step = max(1, int(0.5 * (n - given.sum()) / len(sizes)))
        h = int(np.argmax(lack))
        given[h] += min(step, int(sizes[h] - given[h]))
    return given
