"""The paired bootstrap test on micro-F1 or macro-F1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from scipy import special

from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures.averages import micro
from rubricate.measures.intervals import ratios
from rubricate.measures.resampling import count_patterns
from rubricate.significance.definition import significance_test
from rubricate.significance.permutation_family import holm_lines
from rubricate.significance.system import System
from rubricate.significance.system_pair import AVERAGES, SystemPair
from rubricate.significance.systems import codes, same_documents
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Floats, Significance, Undefined

__all__ = ["bootstrap"]


DRAWS = 9_999
"""Draws of a pair near the line of the correction."""

MIN_SHARE = 20 / DRAWS
"""A share of the draws below this is too small to be counted: the tail is then normal, with the draws' spread."""

MIN_DOCUMENTS, NEAR = 1_000, 30.0
"""Draw if there are fewer documents, or within this factor of Holm's line."""


def bootstrap_family(
    pairs: Sequence[tuple[System, System]],
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    seed: int = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[Significance]:
    """Test all pairs at once: a normal tail of the infinitesimal jackknife for each, draws near the line of Holm."""
    systems = {id(each): each for pair in pairs for each in pair}
    influence = {key: _influence(system, measure) for key, system in systems.items()}
    tails = []
    for a, b in pairs:
        same_documents(a, b)
        change, effect = influence[id(a)] - influence[id(b)], _value(a, measure) - _value(b, measure)
        error = math.sqrt(float(change @ change)) / max(len(change), 1)
        tails.append(float(2 * special.ndtr(-abs(effect) / error)) if error else 1.0)
        advance(1)
    lines, outcomes = holm_lines(np.array(tails)), []
    for (a, b), tail, line in zip(pairs, tails, lines, strict=True):
        near = line / NEAR < tail < line * NEAR
        if undefined != "zero" or len(influence[id(a)]) < MIN_DOCUMENTS or near:
            outcomes.append(bootstrap(a, b, measure=measure, undefined=undefined, seed=seed))
        else:
            values, n = (_value(a, measure), _value(b, measure)), len(influence[id(a)])
            outcomes.append(_stated(values, tail, measure=measure, n=n, method="normal tail, infinitesimal jackknife"))
    return outcomes


def _influence(system: System, measure: str) -> Floats:
    """Return the influence of each document on the measure; an F1 of 0/0 counts as 0 and has none."""
    if measure not in AVERAGES:
        raise UnknownName("measure of resampling", measure, AVERAGES)
    patterns = count_patterns(*(system.inside if measure == "macro_f1" else system).labels)
    parts = ratios(patterns, measure)
    return np.zeros(patterns.documents) if parts is None else parts.influence(patterns.sizes)[patterns.codes]


def _value(system: System, measure: str) -> float:
    return micro("f1", system.counts) if measure == "micro_f1" else float(system.f1("zero").mean())


def _stated(
    values: tuple[float, float],
    p_value: float,
    *,
    measure: str,
    n: int,
    method: str,
    interval: tuple[float, float] | None = None,
) -> Significance:
    of_a, of_b = values
    return verdict(
        "bootstrap",
        statistic=of_a - of_b,
        p_value=p_value,
        n=n,
        direction=sign(of_a - of_b),
        method=method,
        measure=measure,
        sides=2,
        effect=of_a - of_b,
        effect_name=f"{measure}(a) − {measure}(b)",
        note=f"{of_a:.6f} against {of_b:.6f}",
        interval=interval,
    )


@significance_test(
    "bootstrap", "bootstrap", needs="decisions", measures=("micro_f1", "macro_f1"), seeded=True, family=bootstrap_family
)
def bootstrap(
    a: System,
    b: System,
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    samples: int | None = None,
    seed: int = 0,
    method: Literal["percentile", "basic"] = "percentile",
    level: float = 0.95,
) -> Significance:
    """Draw the documents with replacement; how often does F1(a) − F1(b) change sides? efron1993, chapters 13 and 16.

    `percentile` reads the drawn differences d* as they are, `basic` reflects them at the observed one (2d − d*).
    Two-sided: p = 2·min(share <= 0, share >= 0), each share counted with one more; `interval` encloses the difference
    at `level`. n is the number of documents; documents on which the systems are alike take part. No disagreement is
    no evidence. Statistic and effect: F1(a) − F1(b). Without `samples` there are 9,999 draws, and a p-value that they
    are too few for is that of a normal tail with their spread. Cost: samples × patterns (see `statistics.system_pair`).
    """
    draws = DRAWS if samples is None else samples
    if method not in ("percentile", "basic"):
        raise UnknownName("bootstrap method", str(method), ("percentile", "basic"))
    if draws < 1 or not 0 < level < 1:
        raise InvalidInput(f"samples = {draws}, level = {level}; give 1 resample or more and a level within 0 and 1")
    a, b = (a.inside, b.inside) if measure == "macro_f1" else (a, b)
    pair = SystemPair(codes(a, b), measure, undefined)
    n, difference = pair.codes.shape[0], pair.of_a - pair.of_b
    if pair.differing == 0 or math.isnan(difference):
        alike = not math.isnan(difference)
        note = "the systems decide alike on every document" if alike else "an F1 of 0/0 that is left out"
        name = f"{measure}(a) − {measure}(b)"
        return no_evidence("bootstrap", n=n, note=note, measure=measure, sides=2, effect_name=name)
    drawn = pair.bootstrap(draws, seed)
    d = drawn if method == "percentile" else 2 * difference - drawn
    p_value, described = _two_sided(d), f"{method}, {draws:,} draws, seed {seed}"
    if samples is None and p_value < MIN_SHARE and np.nanstd(drawn) > 0:
        p_value = float(2 * special.ndtr(-abs(difference) / np.nanstd(drawn)))
        described += ", normal tail"
    values = pair.of_a, pair.of_b
    return _stated(values, p_value, measure=measure, n=n, method=described, interval=_interval(d, level))


def _two_sided(d: Floats) -> float:
    """Return twice the smaller share; a draw whose F1 is left out as 0/0 counts on both sides."""
    below, above = int((~(d > 1e-12)).sum()), int((~(d < -1e-12)).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (1 + len(d)))


def _interval(d: Floats, level: float) -> tuple[float, float]:
    low, high = np.nanquantile(d, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
