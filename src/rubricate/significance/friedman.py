"""Friedman's test with Nemenyi's comparisons: several systems over the F1 values of the categories."""

from __future__ import annotations

import numpy as np

from rubricate.significance.definition import Subject, significance_test
from rubricate.significance.statistics import friedman_test, nemenyi_p
from rubricate.significance.system import System, as_system
from rubricate.significance.systems import same_categories
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Significance, Undefined

__all__ = ["friedman"]

_EFFECT = "mean rank of b − mean rank of a"


@significance_test("friedman", "friedman", needs="counts", several=True)
def friedman(a: System, b: System, *others: Subject, undefined: Undefined = "zero") -> Significance:
    """Compare a and b among all the systems given, by Nemenyi. demsar2006, section 3.2.2.

    Statistic: q = (R_b − R_a)/√(k(k+1)/6N), with R the mean ranks by F1 over N categories (1 is best) and k systems;
    positive where a ranks better. The p-value is two-sided and already that of the whole family of pairs, so that no
    correction is added to it. The note has Friedman's χ² and Iman and Davenport's F for all systems at once.
    Categories that are 0/0 for some system under `undefined="omit"` are left out. All ranks tied: no evidence.
    """
    systems = [a, b, *(as_system(other) for other in others)]
    same_categories(*systems)
    values = np.array([system.f1(undefined) for system in systems])
    whole = friedman_test(values[:, ~np.isnan(values).any(axis=0)])
    if whole.p_value == 1.0 and whole.chi2 == 0.0:
        note = "all systems have equal ranks"
        return no_evidence("friedman", n=whole.n, note=note, measure="f1", sides=2, effect_name=_EFFECT)
    q, p_value = nemenyi_p(whole.mean_ranks, 0, 1, n=whole.n)
    return verdict(
        "friedman",
        statistic=q,
        p_value=p_value,
        n=whole.n,
        direction=sign(q),
        method=f"nemenyi, {len(systems)} systems",
        measure="f1",
        sides=2,
        effect=float(whole.mean_ranks[1] - whole.mean_ranks[0]),
        effect_name=_EFFECT,
        note=f"friedman chi2 {whole.chi2:.6g}, p {whole.p_value:.3g}; "
        f"iman-davenport F {whole.iman_davenport:.6g}, p {whole.iman_davenport_p:.3g}",
    )
