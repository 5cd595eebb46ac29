"""What it costs to take a rule, or a condition of a rule, out of a set.

Problem  a document is assigned where one rule of the set or more covers it. Taking out a rule frees the documents that
         it alone covers; taking out a condition covers documents that no rule covered. How does that change the error?
Given    the removals; how many rules cover each document; what each document counts in the error, above 0 if it is
         positive, under 0 if it is negative, 0 if it is not to be counted.
Return   the change of the error by each removal.
Cost     one look at each document concerned.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["Removals", "removal_costs"]


class Removals(NamedTuple):
    """Removal i concerns documents[starts[i]:starts[i + 1]] and takes out a whole rule or (not `whole`) a condition.

    Concerned are the documents of the rule, or those that meet all its other conditions.
    """

    starts: np.ndarray
    documents: np.ndarray
    whole: np.ndarray


@numba.njit(cache=True, nogil=True)
def removal_costs(removals: Removals, times: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return how much higher the error is after each removal."""
    starts, documents, whole = removals
    costs = np.empty(len(whole))
    for i in range(len(whole)):
        # A document changes sides where this rule alone covers it (rule removed) or none does (condition removed).
        wanted, change = 1 if whole[i] else 0, 0.0
        for d in documents[starts[i] : starts[i + 1]]:
            if times[d] == wanted:
                change += counts[d]
        costs[i] = change if whole[i] else -change
    return costs
