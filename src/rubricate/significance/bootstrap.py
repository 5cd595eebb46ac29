"""The paired bootstrap test on micro-F1 or macro-F1."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.definition.test import significance_test
from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.significance.statistics.resampling import PairResampler
from rubricate.significance.systems.pair import codes
from rubricate.significance.systems.system import System
from rubricate.types import Floats, Significance, Undefined

__all__ = ["bootstrap"]


@significance_test("bootstrap", needs="decisions", measures=("micro_f1", "macro_f1"), seeded=True)
def bootstrap(
    a: System,
    b: System,
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    samples: int = 9_999,
    seed: int = 0,
    method: Literal["percentile", "basic"] = "percentile",
    level: float = 0.95,
) -> Significance:
    """Draw the documents with replacement; how often does F1(a) − F1(b) change sides? efron1993, chapters 13 and 16.

    `percentile` reads the drawn differences d* as they are, `basic` reflects them at the observed one (2d − d*).
    Two-sided: p = 2·min(share <= 0, share >= 0), each share counted with one more; `interval` encloses the difference
    at `level`. n is the number of documents; documents on which the systems are alike take part. No disagreement is
    no evidence. Statistic and effect: F1(a) − F1(b). Cost: samples × patterns (see `statistics.patterns`).
    """
    if method not in ("percentile", "basic"):
        raise UnknownName("bootstrap method", str(method), ("percentile", "basic"))
    if samples < 1 or not 0 < level < 1:
        raise InvalidInput(f"samples = {samples}, level = {level}; give 1 resample or more and a level within 0 and 1")
    a, b = (a.inside, b.inside) if measure == "macro_f1" else (a, b)
    pair, name = PairResampler(codes(a, b), measure, undefined), f"{measure}(a) − {measure}(b)"
    n, difference = pair.codes.shape[0], pair.of_a - pair.of_b
    if pair.differing.shape[0] == 0 or math.isnan(difference):
        alike = not math.isnan(difference)
        note = "the systems decide alike on every document" if alike else "an F1 of 0/0 that is left out"
        return no_evidence("bootstrap", n=n, note=note, measure=measure, sides=2, effect_name=name)
    drawn = pair.bootstrapped(samples, seed) * (-1 if pair.turned else 1)
    d = drawn if method == "percentile" else 2 * difference - drawn
    return verdict(
        "bootstrap",
        statistic=difference,
        p_value=_two_sided(d),
        n=n,
        direction=sign(difference),
        method=f"{method}, {samples:,} draws, seed {seed}",
        measure=measure,
        sides=2,
        effect=difference,
        effect_name=name,
        note=f"{pair.of_a:.6f} against {pair.of_b:.6f}",
        interval=_interval(d, level),
    )


def _two_sided(d: Floats) -> float:
    """Return twice the smaller share; a draw whose F1 is left out as 0/0 counts on both sides."""
    below, above = int((~(d > 1e-12)).sum()), int((~(d < -1e-12)).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (1 + len(d)))


def _interval(d: Floats, level: float) -> tuple[float, float]:
    low, high = np.nanquantile(d, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
