"""The permutation test on hierarchical measures: one value per document or category."""

from __future__ import annotations

from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity
from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.sign_flips import paired_permutation
from rubricate.significance.systems.hierarchical_values import (
    MEASURES,
    hierarchical_differences,
    hierarchical_measure,
)
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["hierarchical_permutation"]


@significance_test("hierarchical_permutation", needs="decisions", measures=MEASURES, needs_hierarchy=True, seeded=True)
def hierarchical_permutation(
    a: System,
    b: System,
    *,
    measure: str = "hierarchical_f1",
    hierarchy: Hierarchy | None = None,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
    undefined: Undefined = "zero",
    seed: int = 0,
) -> Significance:
    """Ask how often the mean difference is as large when each item's gets a random sign. smucker2007.

    Items are the documents for hF and the LCA measures, the categories for the extended ones; the mean over them is the
    macro-average. One-sided. All sign patterns are counted up to n = 40 items that differ, else 99,999 are drawn (see
    `flip_tail`). Statistic and effect: the mean difference over all items.
    """
    d = hierarchical_differences(
        a, b, measure, hierarchy=hierarchy, acceptable=acceptable, similarity=similarity, undefined=undefined
    )
    return paired_permutation(
        "hierarchical_permutation",
        d,
        measure=measure,
        greater_is_better=hierarchical_measure(measure).greater_is_better,
        same="the systems have the same value on every item",
        seed=seed,
    )
