"""t-tests: the T-test and the T'-test of yangliu1999, on rankings and on hierarchical measures."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity
from rubricate.significance.definition import significance_test
from rubricate.significance.statistics import t_test
from rubricate.significance.system import System
from rubricate.significance.systems import (
    MEASURES,
    hierarchical_differences,
    hierarchical_measure,
    paired_f1,
    ranking_differences,
    ranking_measure,
)
from rubricate.types import Significance, Undefined

__all__ = ["hierarchical_t", "macro_t", "macro_t_ranks", "ranking_t"]


@significance_test("macro_t", "T", needs="counts")
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


@significance_test("macro_t_ranks", "T'", needs="counts")
def macro_t_ranks(
    a: System,
    b: System,
    *,
    undefined: Undefined = "zero",
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Run the T-test on ranks: the 2m F1 values of both systems are pooled and ranked. yangliu1999, section 4.4.

    Rank 1 is the smallest value, equal values share their mean rank; n counts the categories whose ranks differ.
    The paper says nothing of ties; mean ranks are the usual reading.
    """
    of_a, of_b = paired_f1(a, b, undefined)
    ranks = rankdata(np.concatenate([of_a, of_b]))
    differences = ranks[: len(of_a)] - ranks[len(of_a) :]
    return t_test(differences, test="T'", measure="f1", exact=exact, mid_p=mid_p, seed=seed)


@significance_test("ranking_t", "ranking_t", needs="scores")
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


@significance_test("hierarchical_t", "hierarchical_t", needs="decisions", measures=MEASURES, needs_hierarchy=True)
def hierarchical_t(
    a: System,
    b: System,
    *,
    measure: str = "hierarchical_f1",
    hierarchy: Hierarchy | None = None,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
    undefined: Undefined = "zero",
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Test T = d̄ / s.e.(d̄) over the n documents (or categories) whose values differ. yangliu1999, section 4.3.

    The T-test of the paper on hierarchical values: hF of each document, extended F1 of each category, or
    any other measure of those kinds. One-sided, with the switch and the conventions of the T-test (see `t_test`).
    """
    differences = hierarchical_differences(
        a, b, measure, hierarchy=hierarchy, acceptable=acceptable, similarity=similarity, undefined=undefined
    )
    return t_test(
        differences,
        test="hierarchical_t",
        measure=measure,
        greater_is_better=hierarchical_measure(measure).greater_is_better,
        exact=exact,
        mid_p=mid_p,
        seed=seed,
    )
