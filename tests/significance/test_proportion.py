"""The p-test against statsmodels, scipy, whole-number chances and the printed table 3 of YL99."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from scipy.stats import t as student
from statsmodels.stats.proportion import proportions_ztest
from tests.oracles import significance as oracle
from tests.tally import count_cases

from rubricate.significance import compare, published, read_counts
from rubricate.significance.proportions import proportions
from rubricate.significance.statistics import Proportion, p_test

GOLDEN = Path(__file__).parents[1] / "golden"
tables = st.tuples(st.integers(1, 40), st.integers(1, 40)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)


def test_table_3_of_yl99_follows_from_table_1_in_30_of_30_cells() -> None:
    """Origin: yangliu1999, tables 1 and 3. Trials: 3,744 true labels and 3,019 × 90 = 271,710 pairs of ApteMod."""
    systems = {system.name: system for system in read_counts(GOLDEN / "yangliu1999_table1.csv")}
    with (GOLDEN / "yangliu1999_table3.csv").open(encoding="utf-8") as lines:
        printed = list(csv.DictReader(lines))
    cells = [
        (row["sysA"], row["sysB"], measure, row[measure])
        for row in printed
        for measure in ("recall", "precision", "error")
    ]
    ours = [(a, b, m, proportions(systems[a], systems[b], measure=m).symbol) for a, b, m, _ in cells]
    assert len(cells) == 30
    assert ours == cells


def test_table_3_from_the_figures_alone() -> None:
    """Without the number of true labels, which follows from error, recall and precision, no cell changes."""
    alone = []
    for system in read_counts(GOLDEN / "yangliu1999_table1.csv"):
        figures = {m: system.proportion(m).value for m in ("recall", "precision", "error")}
        alone.append(published(system.name, **figures, n=271_710))
    whole = compare(read_counts(GOLDEN / "yangliu1999_table1.csv"))
    assert [one.symbol for one in compare(alone)] == [one.symbol for one in whole]


@pytest.mark.parametrize(
    "xa, na, xb, nb", [(60, 100, 50, 100), (3040, 3744, 3122, 3744), (3, 50, 9, 41), (0, 30, 4, 30)]
)
def test_agrees_with_statsmodels(xa: int, na: int, xb: int, nb: int) -> None:
    z, p = proportions_ztest([xa, xb], [na, nb], alternative="larger" if xa / na > xb / nb else "smaller")
    found = p_test(Proportion(xa / na, na), Proportion(xb / nb, nb), measure="recall")
    assert found.statistic == pytest.approx(z, rel=1e-12)
    assert found.p_value == pytest.approx(p, rel=1e-11)


def test_student_up_to_forty_trials() -> None:
    found = p_test(Proportion(0.75, 20), Proportion(0.5, 20), measure="recall")
    assert found.method == "student"
    assert found.p_value == pytest.approx(student.sf(found.statistic, 39), rel=1e-12)
    assert p_test(Proportion(0.75, 20), Proportion(0.5, 21), measure="recall").method == "normal"


def test_the_short_formula_needs_na_where_the_paper_prints_n() -> None:
    pa, pb, each = 0.8, 0.7, 200
    p = (pa + pb) / 2
    found = p_test(Proportion(pa, each), Proportion(pb, each), measure="recall")
    assert found.statistic == pytest.approx((pa - pb) / math.sqrt(2 * p * (1 - p) / each), rel=1e-12)


@given(tables)
def test_exact_is_fishers_test(table: tuple[int, int, int, int]) -> None:
    xa, na, xb, nb = table
    found = p_test(Proportion(xa / na, na), Proportion(xb / nb, nb), measure="recall", exact=True)
    if found.method == "none":
        assert xa + xb in (0, na + nb)
        count_cases(0)
        return
    side = "greater" if xa * nb >= xb * na else "less"
    assert found.p_value == pytest.approx(float(oracle.fisher_p(xa, na, xb, nb)), rel=1e-9)
    expected = fisher_exact([[xa, na - xa], [xb, nb - xb]], alternative=side).pvalue
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    half = p_test(Proportion(xa / na, na), Proportion(xb / nb, nb), measure="recall", mid_p=True)
    assert 0 <= half.p_value < found.p_value
    count_cases()


@given(tables)
def test_mirrors(table: tuple[int, int, int, int]) -> None:
    xa, na, xb, nb = table
    a, b = Proportion(xa / na, na), Proportion(xb / nb, nb)
    there, back = (p_test(x, y, measure="error", greater_is_better=False) for x, y in ((a, b), (b, a)))
    assert there.p_value == pytest.approx(back.p_value, rel=1e-12)
    assert there.statistic == pytest.approx(-back.statistic, rel=1e-12)
    assert {there.better, back.better} in ({None}, {"a", "b"})


@pytest.mark.parametrize("a, b", [((0.0, 0), (0.5, 9)), ((0.0, 8), (0.0, 9)), ((1.0, 8), (1.0, 9))])
def test_no_trials_or_no_variance_is_no_evidence(a: tuple[float, int], b: tuple[float, int]) -> None:
    found = p_test(Proportion(*a), Proportion(*b), measure="precision")
    assert (found.p_value, found.method) == (1.0, "none")
    assert "no evidence" in found.note


def test_worked_effect() -> None:
    # Cohen's h of 1/2 and 1/4: 2·asin(√.5) − 2·asin(.5) = π/2 − π/3.
    found = p_test(Proportion(0.5, 10), Proportion(0.25, 10), measure="recall")
    assert found.effect == pytest.approx(math.pi / 6, rel=1e-12)
