"""The permutation test on category rankings: one average precision per document."""

from __future__ import annotations

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.sign_flips import paired_permutation
from rubricate.significance.systems.ranking_values import ranking_differences, ranking_measure
from rubricate.significance.systems.system import System
from rubricate.types import Significance

__all__ = ["ranking_permutation"]


@significance_test("ranking_permutation", needs="scores", seeded=True)
def ranking_permutation(a: System, b: System, *, measure: str = "eleven_point", seed: int = 0) -> Significance:
    """Ask how often the mean difference is as large when each document's gets a random sign. smucker2007.

    One-sided like its siblings. All sign patterns are counted up to n = 40 documents that differ, else 99,999 are
    drawn (see `flip_tail`). Statistic and effect: the mean difference over all documents that have a true label.
    """
    d = ranking_differences(a, b, measure)
    return paired_permutation(
        "ranking_permutation",
        d,
        measure=measure,
        greater_is_better=ranking_measure(measure).greater_is_better,
        same="the rankings are equally good on every document",
        seed=seed,
    )
