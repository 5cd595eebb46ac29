"""Tests on measures that know the hierarchy: against scipy and by hand, and what they refuse."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import pytest
from scipy import stats

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity, by_distance, counts, extended_counts, placed, resolve, with_ancestors
from rubricate.significance.permutation import hierarchical_permutation
from rubricate.significance.system import as_system
from rubricate.significance.systems import hierarchical_differences
from rubricate.significance.t_tests import hierarchical_t

EDGES = [("crude", "gas"), ("crude", "ship"), ("grain", "corn"), ("grain", "wheat")]
TREE = Hierarchy.from_edges(EDGES)
NAMES = ("corn", "crude", "gas", "grain", "ship", "wheat")
RNG = np.random.default_rng(11)
TRUTH = RNG.random((60, 6)) < 0.3


def run(name: str, noise: float) -> rb.Run:
    decided = TRUTH ^ (RNG.random(TRUTH.shape) < noise)
    return rb.as_run(TRUTH, decided, categories=NAMES, name=name)


ONE, TWO = run("one", 0.05), run("two", 0.25)


def values(one: rb.Run, measure: str) -> np.ndarray:
    truth, decided = one.truth, one.decisions.values
    if measure.startswith("extended"):
        return resolve(measure)(extended_counts(truth, decided, by_distance(TREE, NAMES)))
    where = placed(TREE, NAMES)
    return resolve(measure)(counts(with_ancestors(truth, where), with_ancestors(decided, where), by="document"))


@pytest.mark.parametrize("measure", ["hierarchical_f1", "extended_f1"])
def test_t_is_scipys_on_the_items_that_differ(measure):
    d = values(ONE, measure) - values(TWO, measure)
    d = d[np.abs(d) > 1e-12]
    found = hierarchical_t(ONE, TWO, measure=measure, hierarchy=TREE)
    wanted = stats.ttest_1samp(d, 0, alternative="greater")
    assert (found.n, found.better) == (len(d), "a")
    assert found.statistic == pytest.approx(wanted.statistic)
    if len(d) <= 40:
        assert found.p_value == pytest.approx(wanted.pvalue)


def test_permutation_counts_all_sign_patterns():
    d = values(ONE, "extended_f1") - values(TWO, "extended_f1")
    sums = [np.dot(signs, d) for signs in product((-1, 1), repeat=len(d))]
    found = hierarchical_permutation(ONE, TWO, measure="extended_f1", hierarchy=TREE)
    assert found.p_value == pytest.approx(np.mean([s >= d.sum() - 1e-9 for s in sums]))
    assert found.effect == pytest.approx(d.mean())
    assert found.method == "sign flips, exact"


def test_less_error_is_better():
    found = hierarchical_t(ONE, TWO, measure="extended_error", hierarchy=TREE)
    assert (found.direction, found.better) == (-1, "a")


def test_compare_with_a_hierarchy():
    found = rb.compare([ONE, TWO], hierarchy=EDGES)
    made = {(one.test, one.measure) for one in found}
    assert {("hierarchical_t", "hierarchical_f1"), ("hierarchical_permutation", "extended_f1")} <= made
    assert "hierarchy:6 nodes, acceptable 2" in found.signature
    assert not any(one.test.startswith("hierarchical") for one in rb.compare([ONE, TWO]))


def test_a_band_without_a_category_of_the_hierarchy_is_measured_flat():
    runs = [dataclasses.replace(run, train_counts=np.array([1, 1, 9, 9, 9, 9])) for run in (ONE, TWO)]
    found = rb.compare(runs, hierarchy=[("gas", "ship")], by_frequency=[0, 5, 10], tests=["hierarchical_t", "T"])
    low = [one for one in found if one.band == found.results[0].band]
    extended = next(one for one in low if one.measure == "extended_f1")
    plain = next(one for one in low if one.test == "T")
    assert extended.statistic == pytest.approx(plain.statistic)


def test_by_similarity():
    alike = Similarity.of_matrix(np.where(np.eye(6), 1, 0.25), NAMES)  # no pair is nearer than the average
    options = {"hierarchy": TREE, "acceptable": 2.0, "similarity": alike, "undefined": "zero"}
    d = hierarchical_differences(as_system(ONE), as_system(TWO),
                                 "similarity.extended_f1", **options)  # fmt: skip
    assert d == pytest.approx(rb.evaluate(ONE).per_category["f1"] - rb.evaluate(TWO).per_category["f1"])


def test_similarities_join_the_default_tests():
    alike = Similarity.of_matrix(np.where(np.eye(6), 1, 0.25), NAMES)
    found = rb.compare([ONE, TWO], hierarchy=TREE, similarity=alike)
    assert {r.test for r in found.results if r.measure == "similarity.extended_f1"} == {
        "hierarchical_t",
        "hierarchical_permutation",
    }
    assert "|hierarchy:6 nodes, acceptable 2, acs 0.25|" in found.signature
    with pytest.raises(InvalidInput, match="give hierarchy= too"):
        rb.compare([ONE, TWO], similarity=alike)


def test_what_cannot_be_tested():
    with pytest.raises(InvalidInput, match="need hierarchy="):
        hierarchical_t(ONE, TWO)
    with pytest.raises(InvalidInput, match="is not a hierarchical measure"):
        hierarchical_t(ONE, TWO, measure="f1", hierarchy=TREE)
    with pytest.raises(InvalidInput, match="needs similarity="):
        hierarchical_t(ONE, TWO, measure="similarity.extended_f1", hierarchy=TREE)
    with pytest.raises(InvalidInput, match="no category of the run is in the hierarchy"):
        rb.compare([ONE, TWO], hierarchy=[("a", "b")])
