"""Sign tests: the s-test and the S-test of yangliu1999, on rankings, and McNemar's test."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from rubricate.errors import UnknownName
from rubricate.significance.definition import significance_test
from rubricate.significance.statistics import binomial_tail, sign_test
from rubricate.significance.system import System
from rubricate.significance.systems import codes, disagreements, paired_f1, ranking_differences, ranking_measure
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Significance, Undefined

__all__ = ["macro_sign", "mcnemar", "micro_sign", "ranking_sign"]


@significance_test("micro_sign", "s", needs="decisions")
def micro_sign(a: System, b: System, *, exact: bool = False, mid_p: bool = False) -> Significance:
    """Test how often (k of n) a is right where exactly one system is right. yangliu1999, section 4.1.

    Binomial for n <= 12, else the normal distribution of Z = (k − n/2)/(√n/2); one-sided (see `sign_test`).
    The decisions count as independent. Where a wrong label comes with a missed one they are not, and the test then
    rejects too often: docs/methods/significance.md has the measured rates.
    Cost: stored labels and decisions, never documents × categories.
    """
    only_a, only_b, _ = (int(part.sum()) for part in disagreements(a, b))
    return sign_test(only_a, only_a + only_b, test="s", exact=exact, mid_p=mid_p)


@significance_test("macro_sign", "S", needs="counts")
def macro_sign(
    a: System, b: System, *, undefined: Undefined = "zero", exact: bool = False, mid_p: bool = False
) -> Significance:
    """Test how often (k of n) a has the larger F1 among the n categories whose F1 differ. yangliu1999, section 4.2.

    Binomial for n <= 12, else the normal distribution of Z = (k − n/2)/(√n/2); one-sided (see `sign_test`).
    """
    of_a, of_b = paired_f1(a, b, undefined)
    wins, losses = int((of_a > of_b).sum()), int((of_a < of_b).sum())
    return sign_test(wins, wins + losses, test="S", measure="f1", exact=exact, mid_p=mid_p)


@significance_test("ranking_sign", "ranking_sign", needs="scores")
def ranking_sign(
    a: System, b: System, *, measure: str = "eleven_point", exact: bool = False, mid_p: bool = False
) -> Significance:
    """Test how often (k of n) a's average precision is larger where they differ. yangliu1999, section 1.

    One-sided, with the switch of the s-test (see `sign_test`). Any ranking measure; documents without a true label
    are left out. YL99 announce tests on category ranking and do not print them: these are theirs, with the document
    as the unit.
    """
    d = ranking_differences(a, b, measure)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    return sign_test(
        wins,
        wins + losses,
        test="ranking_sign",
        measure=measure,
        greater_is_better=ranking_measure(measure).greater_is_better,
        exact=exact,
        mid_p=mid_p,
    )


_EFFECT = "Cohen's g: k/n − 1/2"


@significance_test("mcnemar", "mcnemar", needs="decisions")
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
