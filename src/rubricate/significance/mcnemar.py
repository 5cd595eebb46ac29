"""McNemar's test: documents that one system gets entirely right and the other does not."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from rubricate.errors import UnknownName
from rubricate.significance.definition.test import significance_test
from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.sign import binomial_tail
from rubricate.significance.systems.pair import codes, disagreements
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["mcnemar"]

_EFFECT = "Cohen's g: k/n − 1/2"


@significance_test("mcnemar", needs="decisions")
def mcnemar(
    a: System,
    b: System,
    *,
    unit: Literal["documents", "decisions"] = "documents",
    correction: bool = True,
    exact: bool = False,
    mid_p: bool = False,
) -> Significance:
    """Test χ² = (|k − (n − k)| − 1)²/n, one degree of freedom, of n units where exactly one is right. mcnemar1947.

    A document is right when all its decisions are; with `unit="decisions"` the units are those of the s-test.
    Two-sided. `correction` is the 1 of Edwards; `exact` takes twice the binomial tail, `mid_p` takes P(Z = k) off it.
    n = 0 is no evidence. Effect: Cohen's g. Cost: stored labels and decisions.
    """
    wins, losses = _wins(a, b, unit)
    n = wins + losses
    measure = "subset accuracy" if unit == "documents" else "accuracy"
    if n == 0:
        note = f"no {unit} that exactly one system gets right"
        return no_evidence("mcnemar", n=0, note=note, measure=measure, sides=2, effect_name=_EFFECT)
    statistic = max(0, abs(wins - losses) - int(correction)) ** 2 / n
    if exact or mid_p:
        p_value = min(1.0, 2 * binomial_tail(max(wins, losses), n, mid_p=mid_p))
    else:
        p_value = float(special.chdtrc(1, statistic))
    return verdict(
        "mcnemar",
        statistic=statistic,
        p_value=p_value,
        n=n,
        direction=sign(wins - losses),
        method=("binomial, mid-p" if mid_p else "binomial") if exact or mid_p else "chi-square",
        measure=measure,
        sides=2,
        effect=wins / n - 0.5,
        effect_name=_EFFECT,
        note=f"only a is right on {wins}, only b on {losses}",
    )


def _wins(a: System, b: System, unit: str) -> tuple[int, int]:
    if unit == "decisions":
        only_a, only_b, _ = (int(part.sum()) for part in disagreements(a, b))
        return only_a, only_b
    if unit != "documents":
        raise UnknownName("unit of McNemar's test", unit, ("documents", "decisions"))
    cells = codes(a, b)
    document = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
    true, of_a, of_b = cells.data & 1, cells.data >> 1 & 1, cells.data >> 2 & 1
    a_wrong = np.bincount(document, weights=true != of_a, minlength=cells.shape[0]) > 0
    b_wrong = np.bincount(document, weights=true != of_b, minlength=cells.shape[0]) > 0
    return int((~a_wrong & b_wrong).sum()), int((a_wrong & ~b_wrong).sum())
