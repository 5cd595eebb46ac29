"""Linear SVMs whose blocks of categories are solved by the tasks of an engine: the same to the last bit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from rubricate import registry
from rubricate.classifiers.svm import SVM
from rubricate.engines import Shared, spread_over, spreading
from rubricate.native.linear_svm import LANES


def problem(documents=300, terms=400, categories=40, *, noise=0.05):
    """Documents of forty categories of very different sizes, with some wrong labels."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((documents, terms), density=0.05, rng=rng, format="csr")
    scores = X @ rng.normal(size=(terms, categories)) + noise * rng.normal(size=(documents, categories))
    shares = np.linspace(0.02, 0.6, categories)
    labels = scores > np.quantile(scores, 1 - shares, axis=0).diagonal()
    return sparse.csr_array(X), sparse.csr_array(labels)


class Elsewhere:
    """Stands in for a cluster: every task and every result is a copy, and so is the function, once."""

    def __init__(self):
        self.copies, self.blocks = {}, []

    def __call__(self, function, tasks, address=None):
        assert isinstance(function, Shared)
        copy = self.copies.setdefault(id(function), pickle.loads(pickle.dumps(function)))
        results = []
        for task in tasks:
            self.blocks.append(task)
            results.append(pickle.loads(pickle.dumps(copy(pickle.loads(pickle.dumps(task))))))
        return results


def assert_same(here, there):
    for name in ("coef_", "intercept_", "primal_", "dual_", "sweeps_"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    for name in ("alpha_", "slack_"):
        assert (getattr(here, name) != getattr(there, name)).nnz == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"C": 1000.0, "tol": 1e-9}, {"bias": None, "tol": 0.05}, {"bias": "penalised"}]
)
def test_a_spread_training_is_the_same_to_the_last_bit(options, monkeypatch):
    X, labels = problem()
    here = SVM(**options).fit(X, labels)
    engine = Elsewhere()
    monkeypatch.setattr(registry, "load", lambda kind, name: engine)
    with spread_over("far:tcp://here"):
        there = SVM(**options, threads=1).fit(X, labels)
    assert sorted(np.concatenate(engine.blocks).tolist()) == list(range(40))
    assert max(map(len, engine.blocks)) == LANES
    assert len(engine.copies) == 1
    assert_same(here, there)


def test_what_shares_a_block_changes_no_bit():
    X, labels = problem(documents=150, categories=30)
    whole, alone = SVM(threads=1).fit(X, labels), SVM(threads=30).fit(X, labels)
    assert_same(whole, alone)


@pytest.mark.parametrize("engine", ["threads", "serial", lambda function, tasks: pytest.fail("not for blocks")])
def test_engines_of_this_machine_are_not_spread_over(engine):
    with spread_over(engine):
        assert spreading() is None
    with spread_over("dask:tcp://here"):
        assert spreading() == "dask:tcp://here"
        with spread_over(engine):
            assert spreading() is None
    assert spreading() is None
