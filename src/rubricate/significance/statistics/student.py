"""The t-test on paired differences: what the T-test, the T'-test and the ranking t-test share."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.sign_flips import flip_tail
from rubricate.types import Floats, Significance

__all__ = ["SMALL", "t_test", "tail"]

SMALL = 40
"""Up to this n YL99 use Student's distribution with n − 1 degrees of freedom, beyond it the normal one."""
_EFFECT = "Cohen's d_z: mean difference / its standard deviation"


def tail(statistic: float, n: int) -> tuple[float, str]:
    """Return one-sided p-value of |statistic| and its distribution: Student with n − 1 for n <= 40, else normal."""
    if n <= SMALL:
        return float(special.stdtr(n - 1, -abs(statistic))), "student"
    return float(special.ndtr(-abs(statistic))), "normal"


def t_test(
    differences: Floats,
    *,
    test: str,
    measure: str = "",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Test the mean of the n differences that are not zero, over its standard error. yangliu1999, 4.3 and 4.4.

    T = d̄ / (s/√n) with s the standard deviation with n − 1; the p-value is one-sided, on the side of the
    observation. `exact` takes it from the distribution of the sign flips instead (all 2ⁿ of them where they can be
    counted, see `flip_tail`), `mid_p` (which implies it) counts half of the ties.
    n = 0 is no evidence; so is n = 1, or no variance between the differences, where there is no standard error
    (the exact variant has an answer there: 2⁻ⁿ). Effect: Cohen's d_z.

    >>> outcome = t_test(np.array([0.1, 0.3, 0.0, 0.2]), test="T")
    >>> outcome.n, round(outcome.statistic, 6), round(outcome.p_value, 6)
    (3, 3.464102, 0.03709)
    """
    d = differences[differences != 0]
    n = len(d)
    average, spread = _moments(d)
    direction = sign(average)
    statistic = average * math.sqrt(n) / spread if spread else 0.0
    if n == 0 or (not spread and not (exact or mid_p)):
        why = _why_not(n)
        return no_evidence(test, n=n, note=why, measure=measure, direction=direction, effect_name=_EFFECT)
    p_value, method = _flipped(d, mid_p, seed) if exact or mid_p else tail(statistic, n)
    return verdict(
        test,
        statistic=statistic,
        p_value=p_value,
        n=n,
        direction=direction,
        method=method,
        measure=measure,
        effect=average / spread if spread else math.nan,
        effect_name=_EFFECT,
        greater_is_better=greater_is_better,
        note=f"mean difference {average:+.6g}",
    )


def _moments(d: Floats) -> tuple[float, float]:
    """Return mean and standard deviation (n − 1), from exact sums, so free of the order; 0 where undefined."""
    average = math.fsum(d) / len(d) if len(d) else 0.0
    if len(d) < 2 or np.ptp(d) <= 1e-12 * np.abs(d).max():
        return average, 0.0
    return average, math.sqrt(math.fsum((d - average) ** 2) / (len(d) - 1))


def _why_not(n: int) -> str:
    if n == 0:
        return "the systems never differ"
    return "one difference has no standard error" if n == 1 else "equal differences have standard error 0"


def _flipped(d: Floats, mid_p: bool, seed: int) -> tuple[float, str]:
    p_value, tie, method = flip_tail(d, seed=seed)
    return (p_value - tie / 2, f"{method}, mid-p") if mid_p else (p_value, method)
