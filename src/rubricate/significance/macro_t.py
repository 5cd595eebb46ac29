"""The T-test: a t-test on the F1 values of the categories."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.student import t_test
from rubricate.significance.systems.pair import paired_f1
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["macro_t"]


@significance_test("T", needs="counts")
def macro_t(
    a: System,
    b: System,
    *,
    undefined: Undefined = "zero",
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Test T = d̄ / s.e.(d̄) over the n categories whose F1 differ, d = F1 of a − F1 of b. yangliu1999, section 4.3.

    Student with n − 1 for n <= 40, else normal; one-sided (see `t_test`). Categories whose F1 are equal are left out
    of the mean and of n, as the paper has it; a usual paired t-test keeps them.
    """
    of_a, of_b = paired_f1(a, b, undefined)
    return t_test(of_a - of_b, test="T", measure="f1", exact=exact, mid_p=mid_p, seed=seed)
