"""The permutation test on micro-F1, macro-F1 or accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity
from rubricate.significance.definition import significance_test
from rubricate.significance.permutation_family import SwapFamily, SwapOutcome, count_outcomes, exact_tail, plain_tail
from rubricate.significance.statistics import paired_permutation
from rubricate.significance.system import System
from rubricate.significance.system_pair import AVERAGES, SystemPair
from rubricate.significance.systems import (
    MEASURES,
    codes,
    hierarchical_differences,
    hierarchical_measure,
    ranking_differences,
    ranking_measure,
    same_documents,
)
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Significance, Undefined

__all__ = ["hierarchical_permutation", "permutation", "ranking_permutation"]

PLAIN_DRAWS = 9_999
"""Plain draws if tilted ones are not possible: 0/0 counts as one, or is left out."""


def permutation_family(
    pairs: Sequence[tuple[System, System]],
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    seed: int = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[Significance]:
    """Test all pairs at once, with the draws that a correction over the pairs needs. See `statistics.swap_family`."""
    if measure not in (*AVERAGES, "accuracy"):
        raise UnknownName("measure of resampling", measure, (*AVERAGES, "accuracy"))
    if undefined != "zero" and measure != "accuracy":
        return [_plain(a, b, measure=measure, undefined=undefined, samples=PLAIN_DRAWS, seed=seed) for a, b in pairs]
    outcomes: dict[int, SwapOutcome] = {}
    for collection in dict.fromkeys(a.collection for a, _ in pairs):
        own = {i: pair for i, pair in enumerate(pairs) if pair[0].collection == collection}
        outcomes |= zip(own, _test_collection(list(own.values()), measure, seed=seed, advance=advance), strict=True)
    return [_stated(outcomes[i], measure) for i in range(len(pairs))]


def _test_collection(
    pairs: Sequence[tuple[System, System]], measure: str, *, seed: int, advance: Callable[[int], None]
) -> list[SwapOutcome]:
    """Test all pairs of systems that have their documents in common."""
    systems = list({id(system): system for pair in pairs for system in pair}.values())
    for system in systems[1:]:
        same_documents(systems[0], system)
    place = {id(system): k for k, system in enumerate(systems)}
    truth, decided = systems[0].labels[0], [system.labels[1] for system in systems]
    family = SwapFamily(truth, decided, measure=measure, known=truth.shape[1] - systems[0].outside)
    return family.test([(place[id(a)], place[id(b)]) for a, b in pairs], seed=seed, advance=advance)


def _stated(outcome: SwapOutcome, measure: str) -> Significance:
    name, difference = f"{measure}(a) − {measure}(b)", outcome.of_a - outcome.of_b
    if outcome.n == 0 or math.isnan(difference):
        note = "the systems decide alike on every document" if outcome.n == 0 else "an F1 of 0/0 that is left out"
        return no_evidence("permutation", n=outcome.n, note=note, measure=measure, sides=2, effect_name=name)
    return verdict(
        "permutation",
        statistic=difference,
        p_value=outcome.p_value,
        n=outcome.n,
        direction=sign(difference),
        method=outcome.method,
        measure=measure,
        sides=2,
        effect=difference,
        effect_name=name,
        note=f"{outcome.of_a:.6f} against {outcome.of_b:.6f}",
    )


@significance_test(
    "permutation",
    "permutation",
    needs="decisions",
    measures=("micro_f1", "macro_f1"),
    seeded=True,
    family=permutation_family,
)
def permutation(
    a: System,
    b: System,
    *,
    measure: str = "micro_f1",
    undefined: Undefined = "zero",
    samples: int | None = None,
    seed: int = 0,
) -> Significance:
    """Exchange the decisions on each document with chance 1/2; how often is F1(a) − F1(b) as far from 0? yeh2000.

    Two-sided. Without `samples` the tail is that of `statistics.swaps`: all swaps if they are few, else a
    normal tail and tilted draws, which reach p-values of any size; accuracy has the exact binomial. With `samples`
    p = (1 + #{|d*| >= |d|})/(1 + samples) of plain draws, or the exact share when all outcomes are no more than that.
    The documents are the units, so that dependent decisions on one document do no harm. n is the number
    of documents on which the systems disagree; n = 0 is no evidence. Statistic and effect: F1(a) − F1(b).
    Differences within 10⁻¹² of the observed one are ties with it; an outcome whose F1 is left out as 0/0 counts as far
    off. Cost: samples × patterns (see `statistics.system_pair`).
    """
    if samples is None or measure == "accuracy":
        return permutation_family([(a, b)], measure=measure, undefined=undefined, seed=seed)[0]
    return _plain(a, b, measure=measure, undefined=undefined, samples=samples, seed=seed)


def _plain(a: System, b: System, *, measure: str, undefined: Undefined, samples: int, seed: int) -> Significance:
    if samples < 1:
        raise InvalidInput(f"samples = {samples}; give at least 1 resample")
    a, b = (a.inside, b.inside) if measure == "macro_f1" else (a, b)
    pair, rng = SystemPair(codes(a, b), measure, undefined), np.random.default_rng(seed)
    outcome = SwapOutcome(1.0, pair.of_a, pair.of_b, pair.differing, f"{samples:,} random swaps, seed {seed}")
    far = abs(pair.of_a - pair.of_b)
    if outcome.n == 0 or math.isnan(far):
        return _stated(outcome, measure)
    swaps = pair.swaps()
    if count_outcomes(swaps.n) <= samples:
        return _stated(outcome._replace(p_value=exact_tail(swaps, far), method="all swaps"), measure)
    return _stated(outcome._replace(p_value=plain_tail(swaps, far, draws=samples, rng=rng)), measure)


@significance_test("ranking_permutation", "ranking_permutation", needs="scores", seeded=True)
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


@significance_test(
    "hierarchical_permutation",
    "hierarchical_permutation",
    needs="decisions",
    measures=MEASURES,
    needs_hierarchy=True,
    seeded=True,
)
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
