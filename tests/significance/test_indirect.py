"""Comparison through a baseline, and across collections."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance import compare, published
from rubricate.significance.proportions import indirect, proportions


def _system(name: str, recall: float, collection: str, true: int):
    return published(name, recall=recall, true=true, collection=collection)


# yang1999, table 6: break-even points, where precision = recall, of two systems and of kNN beside each. The numbers of
# true labels are those of the corpora there, about 1.2 for each of the 3,309 and 3,662 test documents.
RIPPER, KNN_3 = _system("RIPPER", 0.80, "v3", 4000), _system("kNN", 0.85, "v3", 4000)
NNETS, KNN_4 = _system("NNets.PARC", 0.82, "v4", 4400), _system("kNN", 0.82, "v4", 4400)


def test_rules_are_below_nnets_through_knn() -> None:
    """The conclusion of yang1999, section 5.3, which it draws without a test."""
    found = indirect(RIPPER, NNETS, baseline_a=KNN_3, baseline_b=KNN_4)
    assert found.effect == pytest.approx((0.80 - 0.85) - 0.0)
    v3, v4 = 0.825 * 0.175 * 2 / 4000, 0.82 * 0.18 * 2 / 4400
    z = -0.05 / math.sqrt(v3 + v4)
    assert found.statistic == pytest.approx(z, rel=1e-12)
    assert found.p_value == pytest.approx(norm.cdf(z), rel=1e-12)
    assert (found.symbol, found.better, found.n) == ("<<", "b", 16_800)


def test_through_itself_it_is_the_difference_of_both_gains() -> None:
    none = indirect(KNN_3, KNN_4, baseline_a=KNN_3, baseline_b=KNN_4)
    assert (none.effect, none.symbol, none.direction) == (0.0, "~", 0)


def test_error_is_better_when_less() -> None:
    a, b = (published(n, error=e, n=10_000, collection=n) for n, e in (("a", 0.01), ("b", 0.05)))
    base = published("base", error=0.05, n=10_000)
    assert indirect(a, b, baseline_a=base, baseline_b=base, measure="error").better == "a"


def test_compare_across_collections() -> None:
    found = compare([RIPPER, KNN_3, NNETS, KNN_4], baseline="kNN", tests=["p:recall", "indirect:recall"])
    through = [one for one in found if one.test == "indirect"]
    assert [(one.a, one.b, one.symbol) for one in through] == [("RIPPER", "NNets.PARC", "<<")]
    assert {"kNN [v3]", "kNN [v4]"} <= set(found.systems)
    direct = {(one.a, one.b): one for one in found if one.test == "p"}
    assert len(direct) == 6
    assert direct["RIPPER", "NNets.PARC"].statistic == proportions(RIPPER, NNETS).statistic


def test_what_an_indirect_comparison_needs() -> None:
    with pytest.raises(InvalidInput, match="baseline"):
        compare([RIPPER, NNETS], tests=["indirect"])
    with pytest.raises(UnknownName, match="baseline in collection 'v3'"):
        compare([RIPPER, NNETS], tests=["indirect"], baseline="kNN")
    with pytest.raises(InvalidInput, match="no test applies"):
        compare([RIPPER, KNN_3], tests=["indirect"], baseline="kNN")
