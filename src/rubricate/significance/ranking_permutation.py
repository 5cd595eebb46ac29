"""The permutation test on category rankings: one average precision a document."""

from __future__ import annotations

import math

from rubricate.significance._plugin import significance_test
from rubricate.significance._ranking import ranking_differences, ranking_measure
from rubricate.significance._sign_flips import flip_tail
from rubricate.significance._system import System
from rubricate.significance._verdict import no_evidence, sign, verdict
from rubricate.types import Significance

__all__ = ["ranking_permutation"]


@significance_test("ranking_permutation", needs="scores")
def ranking_permutation(a: System, b: System, *, measure: str = "eleven_point", seed: int = 0) -> Significance:
    """How often is the mean difference as large when each document's is given a random sign? smucker2007.

    One-sided like its siblings. All sign patterns are counted up to n = 40 documents that differ, else 99,999 are
    drawn (see `flip_tail`). Statistic and effect: the mean difference over all documents that have a true label.
    """
    d = ranking_differences(a, b, measure)
    name = f"mean {measure}(a) − mean {measure}(b)"
    changed = d[d != 0]
    if len(changed) == 0:
        note = "the rankings are equally good on every document"
        return no_evidence("ranking_permutation", n=0, note=note, measure=measure, effect_name=name)
    p_value, _, method = flip_tail(changed, seed=seed)
    average = math.fsum(changed) / len(d)
    return verdict(
        "ranking_permutation",
        statistic=average,
        p_value=p_value,
        n=len(changed),
        direction=sign(average),
        method=method,
        measure=measure,
        effect=average,
        effect_name=name,
        greater_is_better=ranking_measure(measure).greater_is_better,
    )
