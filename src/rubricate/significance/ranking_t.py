"""The t-test on category rankings: one average precision per document."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.student import t_test
from rubricate.significance.systems.ranking_values import ranking_differences, ranking_measure
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["ranking_t"]


@significance_test("ranking_t", needs="scores")
def ranking_t(
    a: System,
    b: System,
    *,
    measure: str = "eleven_point",
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Test T = d̄ / s.e.(d̄) over the n documents whose average precision differs. yangliu1999, sections 1 and 4.3.

    One-sided, with the switch and the conventions of the T-test (see `t_test`). Any ranking measure; documents
    without a true label are left out.
    """
    return t_test(
        ranking_differences(a, b, measure),
        test="ranking_t",
        measure=measure,
        greater_is_better=ranking_measure(measure).greater_is_better,
        exact=exact,
        mid_p=mid_p,
        seed=seed,
    )
