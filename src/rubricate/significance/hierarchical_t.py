"""The t-test on hierarchical measures: one value per document or category."""

from __future__ import annotations

from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity
from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.student import t_test
from rubricate.significance.systems.hierarchical_values import (
    MEASURES,
    hierarchical_differences,
    hierarchical_measure,
)
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["hierarchical_t"]


@significance_test("hierarchical_t", needs="decisions", measures=MEASURES, needs_hierarchy=True)
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
