"""Tests of plain numbers: wins and losses, paired differences, two proportions, ranks of several systems."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.stats import rankdata, studentized_range

from rubricate.measures.resampling import binomial_draws
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Floats, Ints, Significance

__all__ = [
    "SMALL",
    "STUDENT_SMALL",
    "Omnibus",
    "Proportion",
    "binomial_tail",
    "flip_tail",
    "friedman_test",
    "nemenyi_p",
    "p_test",
    "paired_permutation",
    "pooled_variance",
    "sign_test",
    "t_test",
    "tail",
    "tail_by_halves",
    "tail_by_table",
]

SMALL = 12
"""Up to this n YL99 use the binomial distribution, beyond it the normal one."""
_INTEGERS = 1000


def binomial_tail(k: int, n: int, *, mid_p: bool = False) -> float:
    """Return P(Z >= k) for Z ~ Bin(n, 1/2); `mid_p` counts half of P(Z = k).

    Whole numbers up to n = 1000, so that the quotient is the nearest float; the incomplete beta function beyond.

    >>> binomial_tail(9, 10), binomial_tail(9, 10, mid_p=True)
    (0.0107421875, 0.005859375)
    """
    if n <= _INTEGERS:
        twice = 2 * sum(math.comb(n, i) for i in range(k, n + 1)) - (math.comb(n, k) if mid_p else 0)
        return twice / 2 ** (n + 1)
    tail = float(special.betainc(k, n - k + 1, 0.5)) if k > 0 else 1.0
    here = tail - (float(special.betainc(k + 1, n - k, 0.5)) if k < n else 0.0)
    return tail - here / 2 if mid_p else tail


def sign_test(
    wins: int,
    n: int,
    *,
    test: str,
    measure: str = "",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
) -> Significance:
    """Test `wins` of n items on which the systems differ: there a has the larger value. yangliu1999, 4.1 and 4.2.

    For n <= 12 the one-sided p-value is P(Z >= k) or P(Z <= k) of Bin(n, 1/2), on the side of the observation; for
    more it comes from the normal distribution of Z = (k − n/2)/(√n/2). The statistic is Z in both cases. `exact`
    takes the binomial for every n, `mid_p` (which implies it) counts half of P(Z = k). n = 0 is no evidence.
    Effect: Cohen's g = k/n − 1/2. Cost: constant, or O(n) for the whole-number sums up to n = 1000.

    >>> sign_test(9, 10, test="s").p_value, sign_test(60, 100, test="s").statistic
    (0.0107421875, 2.0)
    """
    name = "Cohen's g: k/n − 1/2"
    if n == 0:
        return no_evidence(test, n=0, note="the systems never differ", measure=measure, effect_name=name)
    z = (2 * wins - n) / math.sqrt(n)
    binomial = exact or mid_p or n <= SMALL
    p_value = binomial_tail(max(wins, n - wins), n, mid_p=mid_p) if binomial else float(special.ndtr(-abs(z)))
    return verdict(
        test,
        statistic=z,
        p_value=p_value,
        n=n,
        direction=sign(2 * wins - n),
        method=("binomial, mid-p" if mid_p else "binomial") if binomial else "normal",
        measure=measure,
        effect=wins / n - 0.5,
        effect_name=name,
        greater_is_better=greater_is_better,
        note=f"a is larger on {wins}, b on {n - wins}",
    )


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


STUDENT_SMALL = 40
"""Up to this n YL99 use Student's distribution with n − 1 degrees of freedom, beyond it the normal one."""
_EFFECT = "Cohen's d_z: mean difference / its standard deviation"


def tail(statistic: float, n: int) -> tuple[float, str]:
    """Return one-sided p-value of |statistic| and its distribution: Student with n − 1 for n <= 40, else normal."""
    if n <= STUDENT_SMALL:
        return float(special.stdtr(n - 1, -abs(statistic))), "student"
    return float(special.ndtr(-abs(statistic))), "normal"


def t_test(
    differences: Floats,
    *,
    test: str,
    measure: str = "",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Test the mean of the n differences that are not zero, over its standard error. yangliu1999, 4.3 and 4.4.

    T = d̄ / (s/√n) with s the standard deviation with n − 1; the p-value is one-sided, on the side of the
    observation. `exact` takes it from the distribution of the sign flips instead (all 2ⁿ of them where they can be
    counted, see `flip_tail`), `mid_p` (which implies it) counts half of the ties.
    n = 0 is no evidence; so is n = 1, or no variance between the differences, where there is no standard error
    (the exact variant has an answer there: 2⁻ⁿ). Effect: Cohen's d_z.

    >>> outcome = t_test(np.array([0.1, 0.3, 0.0, 0.2]), test="T")
    >>> outcome.n, round(outcome.statistic, 6), round(outcome.p_value, 6)
    (3, 3.464102, 0.03709)
    """
    d = differences[differences != 0]
    n = len(d)
    average, spread = _moments(d)
    direction = sign(average)
    statistic = average * math.sqrt(n) / spread if spread else 0.0
    if n == 0 or (not spread and not (exact or mid_p)):
        why = _why_not(n)
        return no_evidence(test, n=n, note=why, measure=measure, direction=direction, effect_name=_EFFECT)
    p_value, method = _flipped(d, mid_p, seed) if exact or mid_p else tail(statistic, n)
    return verdict(
        test,
        statistic=statistic,
        p_value=p_value,
        n=n,
        direction=direction,
        method=method,
        measure=measure,
        effect=average / spread if spread else math.nan,
        effect_name=_EFFECT,
        greater_is_better=greater_is_better,
        note=f"mean difference {average:+.6g}",
    )


def _moments(d: Floats) -> tuple[float, float]:
    """Return mean and standard deviation (n − 1), from exact sums, so free of the order; 0 where undefined."""
    average = math.fsum(d) / len(d) if len(d) else 0.0
    if len(d) < 2 or np.ptp(d) <= 1e-12 * np.abs(d).max():
        return average, 0.0
    return average, math.sqrt(math.fsum((d - average) ** 2) / (len(d) - 1))


def _why_not(n: int) -> str:
    if n == 0:
        return "the systems never differ"
    return "one difference has no standard error" if n == 1 else "equal differences have standard error 0"


def _flipped(d: Floats, mid_p: bool, seed: int) -> tuple[float, str]:
    p_value, tie, method = flip_tail(d, seed=seed)
    return (p_value - tie / 2, f"{method}, mid-p") if mid_p else (p_value, method)


_PROPORTION_EFFECT = "Cohen's h: 2 asin √pa − 2 asin √pb"


class Proportion(NamedTuple):
    """A share and the number of trials it is a share of; published figures may give a fraction of a trial."""

    value: float
    trials: float


def pooled_variance(a: Proportion, b: Proportion) -> float:
    """Return p(1 − p)(1/na + 1/nb) with p = (na·pa + nb·pb)/(na + nb); 0 without trials."""
    if not (a.trials > 0 and b.trials > 0):
        return 0.0
    pooled = (a.trials * a.value + b.trials * b.value) / (a.trials + b.trials)
    return max(0.0, pooled * (1 - pooled) * (1 / a.trials + 1 / b.trials))


def p_test(
    a: Proportion,
    b: Proportion,
    *,
    measure: str,
    test: str = "p",
    greater_is_better: bool = True,
    exact: bool = False,
    mid_p: bool = False,
) -> Significance:
    """Test Z = (pa − pb)/√(p(1 − p)(1/na + 1/nb)), p pooled over n = na + nb trials. yangliu1999, section 4.5.

    One-sided on the side of the observation; Student with n − 1 for n <= 40, else normal. The trials count as
    independent: on the same documents they are not, and the test is then too cautious (docs/methods/significance.md).
    The short formula printed for na = nb needs na where the paper has n.
    `exact`: Fisher's test, given both margins (successes rounded to whole numbers); `mid_p` counts half of the
    observed table. No trials on one side, or a pooled p of 0 or 1, is no evidence. Effect: Cohen's h.

    >>> outcome = p_test(Proportion(0.6, 100), Proportion(0.5, 100), measure="recall")
    >>> round(outcome.statistic, 6), outcome.symbol
    (1.421338, '~')
    """
    n = round(a.trials + b.trials)
    difference, variance = a.value - b.value, pooled_variance(a, b)
    if not variance > 1e-300:
        note = "a system without trials" if min(a.trials, b.trials) <= 0 else "pooled proportion of 0 or 1"
        return no_evidence(test, n=n, note=note, measure=measure, effect_name=_PROPORTION_EFFECT)
    z = difference / math.sqrt(variance)
    p_value, method = _fisher(a, b, mid_p) if exact or mid_p else tail(z, n)
    return verdict(
        test,
        statistic=z,
        p_value=p_value,
        n=n,
        direction=sign(difference),
        method=method,
        measure=measure,
        effect=2 * math.asin(math.sqrt(a.value)) - 2 * math.asin(math.sqrt(b.value)),
        effect_name=_PROPORTION_EFFECT,
        greater_is_better=greater_is_better,
        note=f"{a.value:.6g} of {a.trials:.6g} against {b.value:.6g} of {b.trials:.6g}",
    )


def _fisher(a: Proportion, b: Proportion, mid_p: bool) -> tuple[float, str]:
    from scipy.stats import hypergeom

    if a.value < b.value:
        a, b = b, a
    na, nb = round(a.trials), round(b.trials)
    successes = round(a.value * a.trials)
    null = hypergeom(na + nb, successes + round(b.value * b.trials), na)
    p_value = float(null.sf(successes - 1))
    return (p_value - float(null.pmf(successes)) / 2, "fisher, mid-p") if mid_p else (p_value, "fisher")


class Omnibus(NamedTuple):
    """All systems at once: Friedman's χ² and its p-value, that of Iman and Davenport's F, and the mean ranks."""

    chi2: float
    p_value: float
    iman_davenport: float
    iman_davenport_p: float
    mean_ranks: Floats
    n: int


def friedman_test(values: Floats) -> Omnibus:
    """Test χ² of the ranks within each item, corrected for ties. friedman1937; demsar2006, section 3.2.2.

    `values` is systems × items, larger is better; rank 1 is the best, equal values share their mean rank.
    χ² = (k − 1)·Σ_j (R_j − N(k+1)/2)² / (Σ r² − N·k(k+1)²/4) with R_j the rank sum of system j, r all ranks;
    F = (N − 1)χ²/(N(k − 1) − χ²) with k − 1 and (k − 1)(N − 1) degrees. Nothing but ties: χ² = F = 0, p = 1.
    """
    systems, items = values.shape
    ranks = rankdata(-values, axis=0) if items else np.zeros(values.shape)
    spread = float((ranks**2).sum()) - items * systems * (systems + 1) ** 2 / 4
    if spread <= 0:
        return Omnibus(0.0, 1.0, 0.0, 1.0, np.full(systems, (systems + 1) / 2), items)
    sums = ranks.sum(axis=1)
    chi2 = (systems - 1) * float(((sums - items * (systems + 1) / 2) ** 2).sum()) / spread
    rest = items * (systems - 1) - chi2
    f = (items - 1) * chi2 / rest if rest > 1e-12 * chi2 else math.inf
    f_p = float(special.fdtrc(systems - 1, (systems - 1) * (items - 1), f)) if math.isfinite(f) and items > 1 else 0.0
    return Omnibus(chi2, float(special.chdtrc(systems - 1, chi2)), f, f_p if items > 1 else 1.0, sums / items, items)


def nemenyi_p(mean_ranks: Floats, first: int, second: int, *, n: int) -> tuple[float, float]:
    """Return q = (R_b − R_a)/√(k(k+1)/6N), positive where the first is better, and its family-wise p. demsar2006.

    The p-value is that of q√2 in the studentized range of k means with infinite degrees of freedom, two-sided.
    """
    systems = len(mean_ranks)
    q = float(mean_ranks[second] - mean_ranks[first]) / math.sqrt(systems * (systems + 1) / (6 * n))
    if systems == 2:
        return q, float(2 * special.ndtr(-abs(q)))
    return q, float(np.clip(studentized_range.sf(abs(q) * math.sqrt(2), systems, np.inf), 0.0, 1.0))
