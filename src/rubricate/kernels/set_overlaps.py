"""How alike weighted sets are to each other: sums of Jaccard and MASI similarities over all pairs of sets.

Given  distinct non-empty sets as sorted lists of items, the same transposed (for each item the sets that hold it, in
       increasing order), and a weight per set.
Return for each set i: Σ_j weight_j · s(i, j), as two columns: Jaccard |i ∩ j| / |i ∪ j|, and MASI, which is Jaccard
       times 1 (equal), 2/3 (one within the other) or 1/3 (they overlap). passonneau2006, section 3.
Cost   Σ over items of (number of holders)² / 2; pairs without a common item cost nothing.
Ties   none; the sums do not depend on the order of the sets beyond rounding.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["similar_weight"]


@numba.njit(cache=True, nogil=True)
def similar_weight(sets: Lists, holders: Lists, weights: np.ndarray) -> np.ndarray:
    """Return sets × 2: the weight of similar sets by Jaccard and by MASI, each set's own weight included."""
    count = len(sets.starts) - 1
    sums = np.zeros((count, 2))
    front = holders.starts[:-1].copy()  # sets below i are behind the front of each item: every pair is met once
    common = np.zeros(count, np.int64)
    touched = np.empty(count, np.int64)
    for i in range(count):
        size, met = sets.starts[i + 1] - sets.starts[i], 0
        for at in range(sets.starts[i], sets.starts[i + 1]):
            item = sets.items[at]
            front[item] += 1
            for place in range(front[item], holders.starts[item + 1]):
                j = holders.items[place]
                if common[j] == 0:
                    touched[met] = j
                    met += 1
                common[j] += 1
        sums[i, 0] += weights[i]
        sums[i, 1] += weights[i]
        for k in range(met):
            j = touched[k]
            other = sets.starts[j + 1] - sets.starts[j]
            jaccard = common[j] / (size + other - common[j])
            masi = jaccard * (2.0 / 3.0 if common[j] == min(size, other) else 1.0 / 3.0)
            sums[i, 0] += weights[j] * jaccard
            sums[j, 0] += weights[i] * jaccard
            sums[i, 1] += weights[j] * masi
            sums[j, 1] += weights[i] * masi
            common[j] = 0
    return sums
