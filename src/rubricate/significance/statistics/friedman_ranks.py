"""Friedman's test of several systems over the same items, with the comparisons of Nemenyi."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.stats import rankdata, studentized_range

from rubricate.types import Floats

__all__ = ["Omnibus", "friedman_test", "nemenyi_p"]


class Omnibus(NamedTuple):
    """All systems at once: Friedman's χ² and its p-value, that of Iman and Davenport's F, and the mean ranks."""

    chi2: float
    p_value: float
    iman_davenport: float
    iman_davenport_p: float
    mean_ranks: Floats
    n: int


def friedman_test(values: Floats) -> Omnibus:
    """Test χ² of the ranks within each item, corrected for ties. friedman1937; demsar2006, section 3.2.2.

    `values` is systems × items, larger is better; rank 1 is the best, equal values share their mean rank.
    χ² = (k − 1)·Σ_j (R_j − N(k+1)/2)² / (Σ r² − N·k(k+1)²/4) with R_j the rank sum of system j, r all ranks;
    F = (N − 1)χ²/(N(k − 1) − χ²) with k − 1 and (k − 1)(N − 1) degrees. Nothing but ties: χ² = F = 0, p = 1.
    """
    systems, items = values.shape
    ranks = rankdata(-values, axis=0) if items else np.zeros(values.shape)
    spread = float((ranks**2).sum()) - items * systems * (systems + 1) ** 2 / 4
    if spread <= 0:
        return Omnibus(0.0, 1.0, 0.0, 1.0, np.full(systems, (systems + 1) / 2), items)
    sums = ranks.sum(axis=1)
    chi2 = (systems - 1) * float(((sums - items * (systems + 1) / 2) ** 2).sum()) / spread
    rest = items * (systems - 1) - chi2
    f = (items - 1) * chi2 / rest if rest > 1e-12 * chi2 else math.inf
    f_p = float(special.fdtrc(systems - 1, (systems - 1) * (items - 1), f)) if math.isfinite(f) and items > 1 else 0.0
    return Omnibus(chi2, float(special.chdtrc(systems - 1, chi2)), f, f_p if items > 1 else 1.0, sums / items, items)


def nemenyi_p(mean_ranks: Floats, first: int, second: int, *, n: int) -> tuple[float, float]:
    """Return q = (R_b − R_a)/√(k(k+1)/6N), positive where the first is better, and its family-wise p. demsar2006.

    The p-value is that of q√2 in the studentized range of k means with infinite degrees of freedom, two-sided.
    """
    systems = len(mean_ranks)
    q = float(mean_ranks[second] - mean_ranks[first]) / math.sqrt(systems * (systems + 1) / (6 * n))
    if systems == 2:
        return q, float(2 * special.ndtr(-abs(q)))
    return q, float(np.clip(studentized_range.sf(abs(q) * math.sqrt(2), systems, np.inf), 0.0, 1.0))
