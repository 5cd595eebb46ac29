"""Bounds on how far an estimate of the error may lie from the error (joachims2000, sections 3 and 5.1).

They hold for every task, and are far too wide to be of use with the data at hand: that is why they are shown.
A bound above 1 says nothing; it is returned as it is.
"""

from __future__ import annotations

import math

from rubricate.errors import InvalidInput

__all__ = [
    "hoeffding",
    "holdout_deviation",
    "kearns_ron",
    "rogers_wagner",
    "vc_deviation",
    "vc_excess",
    "vc_mean_square",
]


def _check(n: int, delta: float | None = None, dimension: float | None = None) -> None:
    if n < 1:
        raise InvalidInput(f"a bound for {n} documents: there must be at least one")
    if delta is not None and not 0 < delta < 1:
        raise InvalidInput(f"delta, the probability that the bound fails, must be between 0 and 1, got {delta}")
    if dimension is not None and not dimension > 0:
        raise InvalidInput(f"the VC dimension must be positive, got {dimension}")


def vc_excess(n: int, dimension: float, delta: float = 0.05) -> float:
    """Return the bound of equation 10: with probability 1 − δ, Err − Err_emp is at most it; ∞ for d = ∞.

    It is 2 √((d (ln(2n/d) + 1) − ln(δ/4)) / n). Deviation: none, but equation 10 does not follow from equation 9 as the
    paper says. Where d > 2n the formula no longer grows with d, and the bound is that of d = 2n.

    >>> round(vc_excess(10_000, 100), 3)
    0.504
    """
    _check(n, delta, dimension)
    if math.isinf(dimension):
        return math.inf
    d = min(float(dimension), 2.0 * n)
    return 2 * math.sqrt((d * (math.log(2 * n / d) + 1) - math.log(delta / 4)) / n)


def _log_growth(n: int, dimension: float) -> float:
    """Return the logarithm of 6 (en/d)^d, the factor of equation 9; for d > n that of d = n."""
    d = min(float(dimension), float(n))
    return math.log(6) + d * (math.log(n / d) + 1)


def vc_deviation(n: int, dimension: float, delta: float = 0.05) -> float:
    """Return the ε at which equation 9 is δ: with probability 1 − δ, |Err − Err_emp| is at most it; ∞ for d = ∞.

    Equation 9: Pr(|Err − Err_emp| > ε) <= 6 (en/d)^d exp(−ε²(n − 1)/4); ε = 2 √((ln 6 (en/d)^d − ln δ)/(n − 1)).

    >>> round(vc_deviation(10_000, 100), 3)
    0.476
    """
    _check(n, delta, dimension)
    if math.isinf(dimension) or n < 2:
        return math.inf
    return 2 * math.sqrt((_log_growth(n, dimension) - math.log(delta)) / (n - 1))


def vc_mean_square(n: int, dimension: float) -> float:
    """Return a bound of E|Err − Err_emp|², which is O(d ln(n/d)/n); ∞ for d = ∞. Equation 11, with its constants.

    From equation 9, A exp(−cε²) with c = (n − 1)/4: the mean square is at most (1 + ln A)/c (Devroye et al. 1996).

    >>> round(vc_mean_square(10_000, 100), 3)
    0.225
    """
    _check(n, None, dimension)
    if math.isinf(dimension) or n < 2:
        return math.inf
    return 4 * (1 + _log_growth(n, dimension)) / (n - 1)


def holdout_deviation(k: int) -> float:
    """Return √(1/4k), the largest standard deviation of an error measured on k documents. Equation 14."""
    _check(k)
    return math.sqrt(1 / (4 * k))


def hoeffding(k: int, delta: float = 0.05) -> float:
    """Return the ε with 2 exp(−2kε²) = δ. Equation 15.

    An error measured on k documents is off by more than ε with a probability of at most δ.

    >>> round(hoeffding(1000), 4)
    0.0429
    """
    _check(k, delta)
    return math.sqrt(math.log(2 / delta) / (2 * k))


def rogers_wagner(n: int, disagreement: float) -> float:
    """Return the bound of theorem 2: E(|Err_loo − Err|²) <= 1/n + 6 Pr(h_n(x) ≠ h_n−1(x)).

    Rogers and Wagner; Devroye and Wagner. `disagreement` is the probability on the right.
    """
    _check(n)
    if not 0 <= disagreement <= 1:
        raise InvalidInput(f"the probability of disagreement must be between 0 and 1, got {disagreement}")
    return 1 / n + 6 * disagreement


def kearns_ron(n: int, dimension: float, delta: float = 0.05) -> float:
    """Return the bound of theorem 4: with probability 1 − δ, |Err_loo − Err| is at most it; ∞ for d = ∞.

    It is 8 √((d + 1)(ln(9n/d) + 2) / n) / δ. For learners that minimise the training error, which an SVM does not do.
    Where d > 9n, as for d = 9n.
    """
    _check(n, delta, dimension)
    if math.isinf(dimension):
        return math.inf
    d = min(float(dimension), 9.0 * n)
    return 8 * math.sqrt((d + 1) * (math.log(9 * n / d) + 2) / n) / delta
