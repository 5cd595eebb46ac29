"""Letters, and critical differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from tests.tally import count_cases

from rubricate.significance.corrections import critical_difference, letters, wilcoxon_p
from rubricate.significance.system import System
from rubricate.types import Counts


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.booleans(), min_size=36, max_size=36))))
def test_systems_share_a_letter_exactly_if_they_are_not_different(case):
    n, bits = case
    different = np.zeros((n, n), bool)
    rows, columns = np.triu_indices(n, 1)
    different[rows, columns] = bits[: len(rows)]
    different |= different.T
    shown = letters(different)
    for i in range(n):
        assert shown[i]
        for j in range(n):
            if i != j:
                assert bool(set(shown[i]) & set(shown[j])) == (not different[i, j])


def test_nobody_different_is_one_letter():
    assert letters(np.zeros((60, 60), bool)) == ["a"] * 60


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_wilcoxon_is_that_of_scipy(differences):
    d = np.array(differences, float)
    if not (d != 0).any():
        assert wilcoxon_p(d) == 1.0
        count_cases(0)
        return
    assert wilcoxon_p(d) == pytest.approx(stats.wilcoxon(d, method="asymptotic").pvalue)
    count_cases()


def systems(f1):
    """Systems whose categories have these F1 values, in hundredths."""
    names = tuple(f"c{i}" for i in range(f1.shape[1]))
    n = np.full(f1.shape[1], 0)
    return [
        System(f"s{k}", names, table=Counts(row, 100 - row, 100 - row, n), documents=())
        for k, row in enumerate(f1.astype(int))
    ]


def test_nemenyi_is_that_of_demsar():
    """demsar2006, section 3.2.2: 4 classifiers on 14 data sets have CD = 2.569 · √(4·5 / (6·14)) = 1.25."""
    rng = np.random.default_rng(0)
    result = critical_difference(systems(rng.integers(10, 90, (4, 14))))
    assert result.difference == pytest.approx(1.25, abs=0.005)
    assert result.mean_ranks.tolist() == sorted(result.mean_ranks)


@pytest.mark.parametrize("way", ["nemenyi", "wilcoxon"])
def test_groups_hold_no_different_pair(way):
    base = np.random.default_rng(1).integers(20, 40, 40)
    result = critical_difference(systems(np.array([base + 50, base + 49, base, base + 1])), way=way)
    assert set(result.systems[:2]) == {"s0", "s1"}
    assert (1, 2) not in result.groups


def test_truth_with_a_matrix_gives_f1():
    truth = sparse.csr_array(np.eye(3, dtype=bool))
    both = [System(n, ("a", "b", "c"), ("1", "2", "3"), truth, truth) for n in "xy"]
    assert critical_difference(both).groups == ((0, 1),)
