"""The permutation test of paired differences over any items, such as documents or categories."""

from __future__ import annotations

import math

from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.sign_flips import flip_tail
from rubricate.types import Floats, Significance

__all__ = ["paired_permutation"]


def paired_permutation(
    test: str, d: Floats, *, measure: str, greater_is_better: bool, same: str, seed: int
) -> Significance:
    """Ask how often the mean of the differences `d` is as large when each gets a random sign. smucker2007.

    `same` is said where no item differs. Statistic and effect: the mean over all items.
    """
    name, changed = f"mean {measure}(a) − mean {measure}(b)", d[d != 0]
    if len(changed) == 0:
        return no_evidence(test, n=0, note=same, measure=measure, effect_name=name)
    p_value, _, method = flip_tail(changed, seed=seed)
    average = math.fsum(changed) / len(d)
    return verdict(
        test,
        statistic=average,
        p_value=p_value,
        n=len(changed),
        direction=sign(average),
        method=method,
        measure=measure,
        effect=average,
        effect_name=name,
        greater_is_better=greater_is_better,
    )
