"""The test of two proportions, from values and numbers of trials alone: the p-test of YL99."""

from __future__ import annotations

import math
from typing import NamedTuple

from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.student import tail
from rubricate.types import Significance

__all__ = ["Proportion", "p_test", "pooled_variance"]

_EFFECT = "Cohen's h: 2 asin √pa − 2 asin √pb"


class Proportion(NamedTuple):
    """A share and the number of trials it is a share of; published figures may give a fraction of a trial."""

    value: float
    trials: float


def pooled_variance(a: Proportion, b: Proportion) -> float:
    """Return p(1 − p)(1/na + 1/nb) with p = (na·pa + nb·pb)/(na + nb); 0 without trials."""
    if not (a.trials > 0 and b.trials > 0):
        return 0.0
    pooled = (a.trials * a.value + b.trials * b.value) / (a.trials + b.trials)
    return max(0.0, pooled * (1 - pooled) * (1 / a.trials + 1 / b.trials))


def p_test(
    a: Proportion,
    b: Proportion,
    *,
    measure: str,
    test: str = "p",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
) -> Significance:
    """Test Z = (pa − pb)/√(p(1 − p)(1/na + 1/nb)), p pooled over n = na + nb trials. yangliu1999, section 4.5.

    One-sided on the side of the observation; Student with n − 1 for n <= 40, else normal. The trials count as
    independent: on the same documents they are not, and the test is then too cautious (docs/methods/significance.md).
    The short formula printed for na = nb needs na where the paper has n.
    `exact`: Fisher's test, given both margins (successes rounded to whole numbers); `mid_p` counts half of the
    observed table. No trials on one side, or a pooled p of 0 or 1, is no evidence. Effect: Cohen's h.

    >>> outcome = p_test(Proportion(0.6, 100), Proportion(0.5, 100), measure="recall")
    >>> round(outcome.statistic, 6), outcome.symbol
    (1.421338, '~')
    """
    n = round(a.trials + b.trials)
    difference, variance = a.value - b.value, pooled_variance(a, b)
    if not variance > 1e-300:
        note = "a system without trials" if min(a.trials, b.trials) <= 0 else "pooled proportion of 0 or 1"
        return no_evidence(test, n=n, note=note, measure=measure, effect_name=_EFFECT)
    z = difference / math.sqrt(variance)
    p_value, method = _fisher(a, b, mid_p) if exact or mid_p else tail(z, n)
    return verdict(
        test,
        statistic=z,
        p_value=p_value,
        n=n,
        direction=sign(difference),
        method=method,
        measure=measure,
        effect=2 * math.asin(math.sqrt(a.value)) - 2 * math.asin(math.sqrt(b.value)),
        effect_name=_EFFECT,
        greater_is_better=greater_is_better,
        note=f"{a.value:.6g} of {a.trials:.6g} against {b.value:.6g} of {b.trials:.6g}",
    )


def _fisher(a: Proportion, b: Proportion, mid_p: bool) -> tuple[float, str]:
    from scipy.stats import hypergeom

    if a.value < b.value:
        a, b = b, a
    na, nb = round(a.trials), round(b.trials)
    successes = round(a.value * a.trials)
    null = hypergeom(na + nb, successes + round(b.value * b.trials), na)
    p_value = float(null.sf(successes - 1))
    return (p_value - float(null.pmf(successes)) / 2, "fisher, mid-p") if mid_p else (p_value, "fisher")
