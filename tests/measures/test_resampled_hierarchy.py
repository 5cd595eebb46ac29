"""Hierarchical measures in resamples: the same as measuring the documents drawn; an interval for all that is tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rubricate as rb
from rubricate.measures import category_similarity, of_kind
from rubricate.measures.evaluation_intervals import hierarchy_statistics
from rubricate.types import Decisions, Run

NAMES = ("crude", "ship", "grain", "corn", "wheat", "earn")
EDGES = [("crude", "ship"), ("grain", "corn"), ("grain", "wheat"), ("ship", "wheat")]
NEAR = category_similarity(np.random.default_rng(0).random((6, 5)) < 0.5, np.eye(6), NAMES)
MORE = ["extended_f_beta:2"]


def labels(draw, n):
    cells = draw(st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=n, max_size=n))
    return sparse.csr_array(np.array([[c in own for c in range(6)] for own in cells], bool))


def run_of(truth, decided, name="one"):
    ids = tuple(map(str, range(decided.shape[0])))
    return Run(name, ids, NAMES, decisions=Decisions(decided, NAMES, ids), truth=truth)


def evaluated(truth, decided):
    run = run_of(truth, decided)
    return rb.evaluate(run, hierarchy=EDGES, similarity=NEAR, measures=MORE), run


@pytest.mark.slow
@given(st.data(), st.integers(2, 7), st.integers(0, 1000))
def test_a_resample_measures_as_its_documents(data, n, seed):
    truth, decided = labels(data.draw, n), labels(data.draw, n)
    weights = np.bincount(np.random.default_rng(seed).integers(0, n, n), minlength=n)
    found = hierarchy_statistics(*evaluated(truth, decided))(weights)
    drawn = np.repeat(np.arange(n), weights)
    again = evaluated(truth[drawn], decided[drawn])[0].hierarchy
    for average, kinds in (("micro", again.micro), ("macro", again.macro)):
        for kind, values in kinds.items():
            for name, value in values.items():
                assert found[f"hierarchy.{average}.{kind}.{name}"] == pytest.approx(value, nan_ok=True), (kind, name)
    assert len(found) == 2 * sum(map(len, again.micro.values()))


@pytest.mark.slow
def test_whatever_compare_can_test_has_an_interval():
    rng = np.random.default_rng(3)
    truth = sparse.csr_array(rng.random((60, 6)) < 0.3)
    runs = []
    for k in range(2):
        decided = sparse.csr_array(truth.toarray() ^ (rng.random((60, 6)) < 0.1 + 0.1 * k))
        runs.append(run_of(truth, decided, f"run{k}"))
    found = rb.evaluate(runs[0], hierarchy=EDGES, similarity=NEAR, measures=MORE, bootstrap=60)
    kinds = {"extended": ("distance", "similarity"), "ancestors": ("ancestors",), "lca": ("lca",)}
    for kind, tables in kinds.items():
        for name in [*of_kind(kind), *(MORE if kind == "extended" else [])]:
            for table in tables:
                (interval,) = found.intervals[f"hierarchy.macro.{table}.{name}"]
                assert interval.low < found.hierarchy.macro[table][name] < interval.high
                asked = f"similarity.{name}" if table == "similarity" else name
                tests = [f"hierarchical_permutation:{asked}", f"hierarchical_t:{asked}"]
                results = rb.compare(runs, hierarchy=EDGES, similarity=NEAR, tests=tests)
                assert all(0 <= one.p_value <= 1 for one in results), asked


@pytest.mark.proof
def test_the_extended_interval_holds_about_as_often_as_it_says():
    """Independent documents whose micro extended F1 over many is known: 90 % of 90 %-intervals hold it, ±3 s.e."""
    many = evaluated(*_drawn_pair(np.random.default_rng(0), 40_000))[0].hierarchy.micro["distance"]["extended_f1"]
    held = 0
    for trial in range(40):
        truth, decided = _drawn_pair(np.random.default_rng(trial + 1), 80)
        found = rb.evaluate(run_of(truth, decided), hierarchy=EDGES, bootstrap=60, level=0.9, seed=trial)
        (interval,) = found.intervals["hierarchy.micro.distance.extended_f1"]
        held += interval.low <= many <= interval.high
    assert abs(held / 40 - 0.9) < 3 * (0.9 * 0.1 / 40) ** 0.5


def _drawn_pair(rng, n):
    truth = rng.random((n, 6)) < 0.25
    return sparse.csr_array(truth), sparse.csr_array(truth ^ (rng.random((n, 6)) < 0.12))
