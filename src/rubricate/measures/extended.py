"""Extended measures: contingency tables that know how wrong a wrong decision is. sunlim2001, sections 3.2 and 3.3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.definition import measure, ratio
from rubricate.measures.nearness import Nearness, Wrong, wrong_decisions
from rubricate.measures.tables import counts
from rubricate.types import Counts, Floats, Ints, Sparse, Undefined

__all__ = [
    "Contributions",
    "Extended",
    "contributions",
    "extended",
    "extended_accuracy",
    "extended_counts",
    "extended_error",
    "extended_f1",
    "extended_f_beta",
    "extended_precision",
    "extended_recall",
]


@dataclass(frozen=True, eq=False)
class Extended:
    """Counts with contributions; one entry per category, or a sum of them.

    `credit` is max(0, TP + FpCon + FnCon) of each category, taken before anything is summed.
    """

    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints
    fp_con: Floats
    fn_con: Floats
    credit: Floats

    def __len__(self) -> int:
        return len(self.tp)


@dataclass(frozen=True, eq=False)
class Contributions:
    """RCon of every wrong decision of one kind, with its document (`rows`) and category (`columns`)."""

    rows: Ints
    columns: Ints
    values: Floats
    categories: int

    def summed(self, weights: Ints | None = None) -> Floats:
        """Sum by category, with document d counted `weights[d]` times. Cost: wrong decisions."""
        values = self.values if weights is None else self.values * weights[self.rows]
        return np.bincount(self.columns, weights=values, minlength=self.categories).astype(np.float64, copy=False)


def extended(table: Counts, fp_con: Floats, fn_con: Floats) -> Extended:
    """Join the table of each category with its contributions."""
    credit = np.maximum(0.0, table.tp + fp_con + fn_con)
    return Extended(table.tp, table.fp, table.fn, table.tn, fp_con, fn_con, credit)


def extended_counts(truth: Sparse, decided: Sparse, nearness: Nearness) -> Extended:
    """Return the extended table of each category.

    Cost: labels and decisions, and wrong decisions × the labels of their documents; nearness is computed only
    for the distinct pairs of categories among those. Never documents × categories or categories².

    >>> from rubricate.hierarchy import Hierarchy
    >>> from rubricate.labels import indicator
    >>> from rubricate.measures.nearness import by_distance
    >>> tree = Hierarchy.from_edges([("grain", "corn"), ("grain", "wheat")])
    >>> near = by_distance(tree, ("grain", "corn", "wheat"), acceptable=4)
    >>> table = extended_counts(indicator([[0, 1, 0]]), indicator([[1, 0, 0]]), near)
    >>> table.fp_con.tolist(), table.fn_con.tolist(), table.credit.tolist()
    ([0.75, 0.0, 0.0], [0.0, 0.75, 0.0], [0.75, 0.75, 0.0])
    """
    table = counts(truth, decided)
    if len(nearness.categories) != len(table):
        raise InvalidInput(f"nearness of {len(nearness.categories)} categories for {len(table)}; give the same ones")
    fp_con, fn_con = (part.summed() for part in contributions(truth, decided, nearness))
    return extended(table, fp_con, fn_con)


def contributions(truth: Sparse, decided: Sparse, nearness: Nearness) -> tuple[Contributions, Contributions]:
    """Return RCon of the false positives and of the false negatives."""
    fp, fn = (_contributed(wrong, nearness) for wrong in wrong_decisions(truth, decided))
    return fp, fn


def _contributed(wrong: Wrong, nearness: Nearness) -> Contributions:
    m = len(nearness.categories)
    a, b = wrong.columns[wrong.items], wrong.others
    pairs, place = np.unique(np.minimum(a, b) * m + np.maximum(a, b), return_inverse=True)
    each = nearness.between(pairs // m, pairs % m)[place.reshape(-1)]
    con = np.bincount(wrong.items, weights=each, minlength=len(wrong.columns))
    return Contributions(wrong.rows, wrong.columns, np.clip(con, -1.0, 1.0), m)


@measure("extended_precision", "extended", "extP")
def extended_precision(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return max(0, TP + FpCon + FnCon) / (TP + FP + FnCon) of each entry. sunlim2001, equation 17; micro: equation 19.

    A denominator of 0 or less counts as 0/0 (the numerator is 0 then). At most 1 for a category; a micro-average can
    exceed 1, as the paper has it, when categories whose denominator is negative lower the sum.
    """
    return ratio(table.credit, np.maximum(0.0, table.tp + table.fp + table.fn_con), undefined)


@measure("extended_recall", "extended", "extR")
def extended_recall(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return max(0, TP + FpCon + FnCon) / (TP + FN + FpCon) of each entry. sunlim2001, equation 18; micro: equation 20.

    A denominator of 0 or less counts as 0/0 (the numerator is 0 then). At most 1 for a category; a micro-average can
    exceed 1, as the paper has it, when categories whose denominator is negative lower the sum.
    """
    return ratio(table.credit, np.maximum(0.0, table.tp + table.fn + table.fp_con), undefined)


@measure("extended_accuracy", "extended", "extAcc")
def extended_accuracy(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP + TN + FpCon + FnCon) / n of each entry; 0/0 when there is no document. sunlim2001, equation 23.

    From −1 (every decision is wrong and far off) to 1; with the extended error it makes 1.
    """
    near = table.fp_con + table.fn_con
    return ratio(table.tp + table.tn + near, table.tp + table.fp + table.fn + table.tn, undefined)


@measure("extended_error", "extended", "extErr", greater_is_better=False)
def extended_error(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN − FpCon − FnCon) / n of each entry; 0/0 when there is no document. sunlim2001, equation 24.

    From 0 to 2 (every decision is wrong and far off).
    """
    far = table.fp + table.fn - table.fp_con - table.fn_con
    return ratio(far, table.tp + table.fp + table.fn + table.tn, undefined)


@measure("extended_f_beta", "extended", "extFβ", parameter="beta")
def extended_f_beta(table: Extended, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return (β² + 1)PR / (β²P + R) of extended P and R of each entry. sunlim2001, section 3.2; yang1999, section 3.3.

    With N their common numerator, (β² + 1)N / (β²(TP + FN + FpCon) + TP + FP + FnCon). 0/0 when both denominators are
    0 or less; 0 when one of them is. β = 0 is extended precision, β = ∞ extended recall.
    """
    if not beta >= 0:
        raise InvalidInput(f"β must be a number from 0 to ∞, got {beta}; 1 weighs precision and recall alike")
    if beta == 0:
        return extended_precision(table, undefined=undefined)
    if math.isinf(beta * beta):
        return extended_recall(table, undefined=undefined)
    weight = beta * beta
    assigned = np.maximum(0.0, table.tp + table.fp + table.fn_con)
    true = np.maximum(0.0, table.tp + table.fn + table.fp_con)
    credit = np.where((assigned > 0) & (true > 0), table.credit, 0.0)
    return ratio((1 + weight) * credit, assigned + weight * true, undefined)


@measure("extended_f1", "extended", "extF1")
def extended_f1(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return 2PR / (P + R) of the extended P and R of each entry. sunlim2001, section 3.2. 0/0 as `extended_f_beta`."""
    return extended_f_beta(table, beta=1.0, undefined=undefined)
