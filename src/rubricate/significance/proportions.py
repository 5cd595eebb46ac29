"""The p-test: recall, precision, error or accuracy compared as proportions."""

from __future__ import annotations

from rubricate.measures import resolve
from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.proportion import p_test
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["proportions"]


@significance_test("p", needs="proportions", measures=("recall", "precision", "error"))
def proportions(
    a: System, b: System, *, measure: str = "recall", exact: bool = False, mid_p: bool = False
) -> Significance:
    """Test Z = (pa − pb)/√(p(1 − p)(1/na + 1/nb)) on micro-averaged values. yangliu1999, section 4.5.

    na is the number of true YESes for recall, of assigned YESes for precision, of pairs for error and accuracy.
    The systems may be measured on different collections, or known by their counts or published figures alone.
    The mark compares the values (SVM against LLSF on error is `<<`), `better` says that less error is better.
    """
    return p_test(
        a.proportion(measure),
        b.proportion(measure),
        measure=measure,
        greater_is_better=resolve(measure).greater_is_better,
        exact=exact,
        mid_p=mid_p,
    )
