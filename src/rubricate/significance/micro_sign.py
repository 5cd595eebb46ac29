"""The s-test: a sign test on the decisions of all document-category pairs."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.sign import sign_test
from rubricate.significance.systems.pair import disagreements
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["micro_sign"]


@significance_test("s", needs="decisions")
def micro_sign(a: System, b: System, *, exact: bool = False, mid_p: bool = False) -> Significance:
    """Test how often (k of n) a is right where exactly one system is right. yangliu1999, section 4.1.

    Binomial for n <= 12, else the normal distribution of Z = (k − n/2)/(√n/2); one-sided (see `sign_test`).
    The decisions count as independent. Where a wrong label comes with a missed one they are not, and the test then
    rejects too often: docs/methods/significance.md has the measured rates.
    Cost: stored labels and decisions, never documents × categories.
    """
    only_a, only_b, _ = (int(part.sum()) for part in disagreements(a, b))
    return sign_test(only_a, only_a + only_b, test="s", exact=exact, mid_p=mid_p)
