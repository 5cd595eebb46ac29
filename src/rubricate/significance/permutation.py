"""The permutation test on micro-F1 or macro-F1."""

from __future__ import annotations

import math

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.significance.definition.test import significance_test
from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.resampling import PairResampler
from rubricate.significance.systems.pair import codes
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["permutation"]


@significance_test("permutation", needs="decisions", measures=("micro_f1", "macro_f1"), seeded=True)
def permutation(
    a: System,
    b: System,
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    samples: int = 9_999,
    seed: int = 0,
) -> Significance:
    """Exchange the decisions on each document with chance 1/2; how often is F1(a) − F1(b) as far from 0? yeh2000.

    Two-sided: p = (1 + #{|d*| >= |d|})/(1 + samples), or the exact share when all outcomes are no more than
    `samples`. The documents are the units, so that dependent decisions on one document do no harm. n is the number
    of documents on which the systems disagree; n = 0 is no evidence. Statistic and effect: F1(a) − F1(b).
    Differences within 10⁻¹² of the observed one are ties with it; an outcome whose F1 is left out as 0/0 counts as far
    off. Cost: samples × patterns (see `statistics.patterns`).
    """
    if samples < 1:
        raise InvalidInput(f"samples = {samples}; give at least 1 resample")
    a, b = (a.inside, b.inside) if measure == "macro_f1" else (a, b)
    pair, name = PairResampler(codes(a, b), measure, undefined), f"{measure}(a) − {measure}(b)"
    n, difference = pair.differing.shape[0], pair.of_a - pair.of_b
    if n == 0 or math.isnan(difference):
        note = "the systems decide alike on every document" if n == 0 else "an F1 of 0/0 that is left out"
        return no_evidence("permutation", n=n, note=note, measure=measure, sides=2, effect_name=name)
    swaps = pair.swapped(samples, seed)
    share = float(swaps.chances[~(np.abs(swaps.differences) < abs(difference) - 1e-12)].sum())
    return verdict(
        "permutation",
        statistic=difference,
        p_value=min(1.0, share if swaps.exact else (1 + round(share * samples)) / (1 + samples)),
        n=n,
        direction=sign(difference),
        method="all swaps" if swaps.exact else f"{samples:,} random swaps, seed {seed}",
        measure=measure,
        sides=2,
        effect=difference,
        effect_name=name,
        note=f"{pair.of_a:.6f} against {pair.of_b:.6f}",
    )
