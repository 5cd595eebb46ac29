"""Contingency tables that know how wrong a wrong decision is. sunlim2001, sections 3.2 and 3.3.

Con(d, c) of a false positive is the sum of the contributions of the labels of d to c, of a false negative that of the
categories assigned to d (see `nearness`). RCon = min(1, max(−1, Con)). FpCon(c) and FnCon(c) sum RCon over the false
positives and false negatives of c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.counting.tables import counts
from rubricate.measures.hierarchical.nearness import Nearness
from rubricate.measures.hierarchical.wrong import Wrong, wrong_decisions
from rubricate.types import Counts, Floats, Ints, Sparse

__all__ = ["Contributions", "Extended", "contributions", "extended", "extended_counts"]


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
    >>> from rubricate.measures.hierarchical.nearness import by_distance
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
