"""The p-test: recall, precision, error or accuracy compared as proportions."""

from __future__ import annotations

import math

from scipy import special

from rubricate.measures import resolve
from rubricate.significance.definition import Subject, significance_test
from rubricate.significance.statistics import p_test, pooled_variance
from rubricate.significance.system import System, as_system
from rubricate.significance.verdict import no_evidence, sign, verdict
from rubricate.types import Significance

__all__ = ["indirect", "proportions"]


@significance_test("proportions", "p", needs="proportions", measures=("recall", "precision", "error"))
def proportions(
    a: System, b: System, *, measure: str = "recall", exact: bool = False, mid_p: bool = False
) -> Significance:
    """Test Z = (pa − pb)/√(p(1 − p)(1/na + 1/nb)) on micro-averaged values. yangliu1999, section 4.5.

    na is the number of true YESes for recall, of assigned YESes for precision, of pairs for error and accuracy.
    The systems may be measured on different collections, or known by their counts or published figures alone.
    The mark compares the values (SVM against LLSF on error is `<<`), `better` says that less error is better.
    """
    return p_test(
        a.proportion(measure),
        b.proportion(measure),
        measure=measure,
        greater_is_better=resolve(measure).greater_is_better,
        exact=exact,
        mid_p=mid_p,
    )


@significance_test(
    "indirect", "indirect", needs="proportions", measures=("recall", "precision", "error"), needs_baseline=True
)
def indirect(
    a: System, b: System, *, baseline_a: Subject, baseline_b: Subject, measure: str = "recall"
) -> Significance:
    """Test Z = ((pa − qa) − (pb − qb))/√(va + vb), q the baseline of each. yang1999, section 5.3; bucher1997.

    yang1999 ranks NNets.PARC (Reuters v4) above the rule learners (v3) by what each gains on kNN. Here each gain is
    the difference of two proportions with the variance v of the p-test, p(1 − p)(1/n + 1/n'), and the gains are
    independent as the collections are. One-sided on the side of the observation, normal. n sums the four numbers of
    trials. It is only as good as the belief that the gain on the baseline carries over. v = 0: no evidence.
    Effect: the difference of the gains.
    """
    first, second = as_system(baseline_a), as_system(baseline_b)
    pairs = [(s.proportion(measure), q.proportion(measure)) for s, q in ((a, first), (b, second))]
    gains = [p.value - q.value for p, q in pairs]
    variance = sum(pooled_variance(p, q) for p, q in pairs)
    n = round(sum(p.trials + q.trials for p, q in pairs))
    difference, name = gains[0] - gains[1], "gain of a − gain of b"
    if not variance > 1e-300:
        note = "no variance in the gains on the baseline"
        return no_evidence("indirect", n=n, note=note, measure=measure, effect_name=name)
    z = difference / math.sqrt(variance)
    return verdict(
        "indirect",
        statistic=z,
        p_value=float(special.ndtr(-abs(z))),
        n=n,
        direction=sign(difference),
        method="normal",
        measure=measure,
        effect=difference,
        effect_name=name,
        greater_is_better=resolve(measure).greater_is_better,
        note=f"gain on {first.name}: {gains[0]:+.4f}; gain on {second.name}: {gains[1]:+.4f}",
    )
