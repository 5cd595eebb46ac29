"""The permutation test of paired differences: the sum of differences whose signs are drawn by fair coins.

Under the hypothesis that a and b are exchangeable on each item, the 2ⁿ sign patterns of the differences are
equally likely. Σd² is the same for all of them, so that ordering by Σd orders by the t statistic as well.
"""

from __future__ import annotations

import math

import numpy as np

from rubricate.measures.intervals.resampling import binomial_draws
from rubricate.significance.definition.verdict import no_evidence, sign, verdict
from rubricate.types import Floats, Ints, Significance

__all__ = ["flip_tail", "paired_permutation", "tail_by_halves", "tail_by_table"]

MAX_EXACT = 40
"""Up to this n real-valued differences are treated exactly, by two halves of at most 2²⁰ sums each."""
_TABLE = 4_000_000
_DRAWS = 99_999


def flip_tail(differences: Floats, *, seed: int = 0) -> tuple[float, float, str]:
    """Return P(Σ±d >= |Σd|), P(Σ±d = |Σd|) and the method.

    Whole or half differences (ranks): a table of all sums, cost n·Σ|d|. Others: both halves' sums sorted and met,
    cost n·2^(n/2), for n <= 40. Else 99,999 draws by `seed`, where the observation itself is counted as one more.
    Sums within 10⁻¹² of Σ|d| of the observed one are ties with it.
    """
    doubled = np.rint(2 * differences)
    if np.array_equal(doubled, 2 * differences) and len(doubled) * np.abs(doubled).sum() <= _TABLE * 50:
        return *tail_by_table(np.abs(doubled).astype(np.int64), int(abs(doubled.sum()))), "sign flips, exact"
    sizes, observed = np.abs(differences), abs(math.fsum(differences))
    if len(differences) <= MAX_EXACT:
        return *tail_by_halves(sizes, observed), "sign flips, exact"
    return *_by_draws(sizes, observed, seed), f"sign flips, {_DRAWS:,} draws"


def tail_by_table(sizes: Ints, observed: int) -> tuple[float, float]:
    """Return both chances from a table of all sums; the differences are whole numbers."""
    chance = np.ones(1)
    for size in sizes:
        longer = np.zeros(len(chance) + 2 * size)
        longer[: len(chance)] += chance / 2
        longer[2 * size :] += chance / 2
        chance = longer
    at = int(sizes.sum()) + observed
    return float(chance[at:].sum()), float(chance[at])


def _all_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return np.sort(sums)


def tail_by_halves(sizes: Floats, observed: float) -> tuple[float, float]:
    """Return both chances from the sorted sums of two halves, met in the middle."""
    slack = 1e-12 * sizes.sum()
    first, second = _all_sums(sizes[::2]), _all_sums(sizes[1::2])
    at_least = len(second) - np.searchsorted(second, observed - slack - first, side="left")
    above = len(second) - np.searchsorted(second, observed + slack - first, side="right")
    patterns = 2.0 ** len(sizes)
    return float(at_least.sum() / patterns), float((at_least.sum() - above.sum()) / patterns)


def _by_draws(sizes: Floats, observed: float, seed: int) -> tuple[float, float]:
    """Draw equal sizes together: of m of them Bin(m, 1/2) are positive. Free of the order of the differences."""
    rng, slack = np.random.default_rng(seed), 1e-12 * sizes.sum()
    different, times = np.unique(sizes, return_counts=True)
    at_least = equal = 1
    for positive in binomial_draws(times, _DRAWS, rng=rng):
        sums = (2 * positive - times) @ different
        at_least += int((sums >= observed - slack).sum())
        equal += int((np.abs(sums - observed) <= slack).sum())
    return at_least / (_DRAWS + 1), equal / (_DRAWS + 1)


def paired_permutation(
    test: str, d: Floats, *, measure: str, greater_is_better: bool, same: str, seed: int
) -> Significance:
    """Ask how often the mean of the differences `d` is as large when each gets a random sign. smucker2007.

    `same` is the note if no item differs. Statistic and effect: the mean over all items.
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
