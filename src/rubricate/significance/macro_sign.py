"""The S-test: a sign test on the F1 values of the categories."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.sign import sign_test
from rubricate.significance.systems.pair import paired_f1
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["macro_sign"]


@significance_test("S", needs="counts")
def macro_sign(
    a: System, b: System, *, undefined: Undefined = "zero", exact: bool = False, mid_p: bool = False
) -> Significance:
    """Test how often (k of n) a has the larger F1 among the n categories whose F1 differ. yangliu1999, section 4.2.

    Binomial for n <= 12, else the normal distribution of Z = (k − n/2)/(√n/2); one-sided (see `sign_test`).
    """
    of_a, of_b = paired_f1(a, b, undefined)
    wins, losses = int((of_a > of_b).sum()), int((of_a < of_b).sum())
    return sign_test(wins, wins + losses, test="S", measure="f1", exact=exact, mid_p=mid_p)
