"""The T'-test: a t-test on the ranks of the F1 values of the categories."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from rubricate.significance.definition.test import significance_test
from rubricate.significance.statistics.student import t_test
from rubricate.significance.systems.pair import paired_f1
from rubricate.significance.systems.system import System
from rubricate.types import Significance, Undefined

__all__ = ["macro_t_ranks"]


@significance_test("T'", needs="counts")
def macro_t_ranks(
    a: System,
    b: System,
    *,
    undefined: Undefined = "zero",
    exact: bool = False,
    mid_p: bool = False,
    seed: int = 0,
) -> Significance:
    """Run the T-test on ranks: the 2m F1 values of both systems are pooled and ranked. yangliu1999, section 4.4.

    Rank 1 is the smallest value, equal values share their mean rank; n counts the categories whose ranks differ.
    The paper says nothing of ties; mean ranks are the usual reading.
    """
    of_a, of_b = paired_f1(a, b, undefined)
    ranks = rankdata(np.concatenate([of_a, of_b]))
    differences = ranks[: len(of_a)] - ranks[len(of_a) :]
    return t_test(differences, test="T'", measure="f1", exact=exact, mid_p=mid_p, seed=seed)
