"""The sign test on category rankings: one average precision per document."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.sign import sign_test
from rubricate.significance.systems.ranking_values import ranking_differences, ranking_measure
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["ranking_sign"]


@significance_test("ranking_sign", needs="scores")
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
