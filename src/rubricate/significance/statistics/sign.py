"""The sign test on k wins of n: what the s-test, the S-test and the ranking sign test share."""

from __future__ import annotations

import math

from scipy import special

from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.types import Significance

__all__ = ["SMALL", "binomial_tail", "sign_test"]

SMALL = 12
"""Up to this n YL99 use the binomial distribution, beyond it the normal one."""
_INTEGERS = 1000


def binomial_tail(k: int, n: int, *, mid_p: bool = False) -> float:
    """Return P(Z >= k) for Z ~ Bin(n, 1/2); `mid_p` counts half of P(Z = k).

    Whole numbers up to n = 1000, so that the quotient is the nearest float; the incomplete beta function beyond.

    >>> binomial_tail(9, 10), binomial_tail(9, 10, mid_p=True)
    (0.0107421875, 0.005859375)
    """
    if n <= _INTEGERS:
        twice = 2 * sum(math.comb(n, i) for i in range(k, n + 1)) - (math.comb(n, k) if mid_p else 0)
        return twice / 2 ** (n + 1)
    tail = float(special.betainc(k, n - k + 1, 0.5)) if k > 0 else 1.0
    here = tail - (float(special.betainc(k + 1, n - k, 0.5)) if k < n else 0.0)
    return tail - here / 2 if mid_p else tail


def sign_test(
    wins: int,
    n: int,
    *,
    test: str,
    measure: str = "",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
) -> Significance:
    """Test `wins` of n items on which the systems differ: there a has the larger value. yangliu1999, 4.1 and 4.2.

    For n <= 12 the one-sided p-value is P(Z >= k) or P(Z <= k) of Bin(n, 1/2), on the side of the observation; for
    more it comes from the normal distribution of Z = (k − n/2)/(√n/2). The statistic is Z in both cases. `exact`
    takes the binomial for every n, `mid_p` (which implies it) counts half of P(Z = k). n = 0 is no evidence.
    Effect: Cohen's g = k/n − 1/2. Cost: constant, or O(n) for the whole-number sums up to n = 1000.

    >>> sign_test(9, 10, test="s").p_value, sign_test(60, 100, test="s").statistic
    (0.0107421875, 2.0)
    """
    name = "Cohen's g: k/n − 1/2"
    if n == 0:
        return no_evidence(test, n=0, note="the systems never differ", measure=measure, effect_name=name)
    z = (2 * wins - n) / math.sqrt(n)
    binomial = exact or mid_p or n <= SMALL
    p_value = binomial_tail(max(wins, n - wins), n, mid_p=mid_p) if binomial else float(special.ndtr(-abs(z)))
    return verdict(
        test,
        statistic=z,
        p_value=p_value,
        n=n,
        direction=sign(2 * wins - n),
        method=("binomial, mid-p" if mid_p else "binomial") if binomial else "normal",
        measure=measure,
        effect=wins / n - 0.5,
        effect_name=name,
        greater_is_better=greater_is_better,
        note=f"a is larger on {wins}, b on {n - wins}",
    )
