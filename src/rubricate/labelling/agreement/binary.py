"""Agreement on one category at a time: yes or no for each document and annotator, for all categories at once.

All coefficients depend only on how many documents are in each state (two annotators: who said what; more: how many
judged and how many said yes), so a thousand sparse categories cost little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.labelling.agreement.annotations import Annotations
from rubricate.types import Floats, Ints

__all__ = ["COEFFICIENTS", "States", "binary_coefficients", "category_states"]

COEFFICIENTS = ("percent", "kappa", "alpha", "ac1")


@dataclass(frozen=True, eq=False)
class States:
    """States a document can be in for one category; `both` marks those that two annotators decided between them."""

    raters: Floats
    positives: Floats
    first: Floats
    second: Floats
    pair: bool


def _pair_states() -> States:
    """Return both: 00, 10, 01, 11; the first alone: 0, 1; the second alone: 0, 1."""
    raters = np.array([2, 2, 2, 2, 1, 1, 1, 1.0])
    first, second = np.array([0, 1, 0, 1, 0, 1, 0, 0.0]), np.array([0, 0, 1, 1, 0, 0, 0, 1.0])
    return States(raters, first + second, first, second, True)


def _count_states(annotators: int) -> States:
    pairs = [(r, k) for r in range(1, annotators + 1) for k in range(r + 1)]
    raters, positives = np.array(pairs, float).T
    return States(raters, positives, np.zeros(len(pairs)), np.zeros(len(pairs)), False)


def category_states(judged: Annotations) -> tuple[Ints, States]:
    """Return categories × states: how many documents are in each state, and what the states are. Cost: the labels."""
    count, wide = len(judged.annotators), len(judged.categories)
    raters = judged.present.sum(axis=1)
    if count == 2:
        code = judged.labels[0].astype(np.int64) + 2 * judged.labels[1].astype(np.int64)
        # Presence 3 (both) starts at state 0, 1 (the first alone) at 4, 2 (the second alone) at 6.
        presence = judged.present @ np.array([1, 2])
        offset = np.array([0, 4, 6, 0])
        states = _pair_states()
        step = np.array([0, 1, 1, 1])  # "the second alone said yes" has code 2 and is the state after its 0
    else:
        code = sum((labels.astype(np.int64) for labels in judged.labels[1:]), judged.labels[0].astype(np.int64))
        presence, states = raters, _count_states(count)
        offset = np.array([r * (r + 1) // 2 - 1 for r in range(count + 1)])
        step = np.zeros(0)
    cells = code.tocoo()
    value = cells.data if count != 2 else np.where(presence[cells.row] == 3, cells.data, step[cells.data])
    width = len(states.raters)
    place = cells.col * width + offset[presence[cells.row]] + value
    table = np.bincount(place.astype(np.int64), minlength=wide * width).reshape(wide, width).astype(np.int64)
    for kind in np.unique(presence[raters > 0]):
        rest = int((presence == kind).sum()) - np.bincount(cells.col[presence[cells.row] == kind], minlength=wide)
        table[:, offset[kind]] += rest
    return table, states


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(
        numerator,
        denominator,
        out=np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), np.nan),
        where=np.asarray(denominator) > 0,
    )


def binary_coefficients(table: Ints | Floats, states: States) -> dict[str, Floats]:
    """Return percent, kappa, alpha and AC1 of tables (…, states). NaN where chance agreement is certain (0/0).

    percent  mean share of agreeing pairs of annotators per document
    kappa    Cohen's for two annotators (cohen1960), Fleiss' for more (fleiss1971)
    alpha    Krippendorff's, nominal (krippendorff2004)
    ac1      Gwet's (gwet2008); like Fleiss' kappa with missing judgements as in gwet2014, chapter 2
    """
    x, r, k = np.asarray(table, float), states.raters, states.positives
    several = r > 1
    pairs = np.where(several, r * (r - 1), 1.0)
    agree = np.where(several, (k * (k - 1) + (r - k) * (r - k - 1)) / pairs, 0.0)
    percent = _ratio(x @ agree, x @ several.astype(float))
    share = _ratio(x @ (k / r), x.sum(axis=-1))
    judgements, yes = x @ (r * several), x @ (k * several)
    disagreement = x @ np.where(several, 2 * k * (r - k) / np.maximum(r - 1, 1), 0.0)
    alpha = 1 - _ratio(disagreement * (judgements - 1), 2 * yes * (judgements - yes))
    chance = 2 * share * (1 - share)
    if states.pair:
        both = x * several
        total = both.sum(axis=-1)
        a, b = _ratio(both @ states.first, total), _ratio(both @ states.second, total)
        expected = a * b + (1 - a) * (1 - b)
    else:
        expected = 1 - chance
    kappa = 1 - _ratio(1 - percent, np.where(expected < 1 - 1e-15, 1 - expected, 0.0))
    return {"percent": percent, "kappa": kappa, "alpha": alpha, "ac1": 1 - _ratio(1 - percent, 1 - chance)}
