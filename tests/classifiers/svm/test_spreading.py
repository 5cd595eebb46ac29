"""Linear SVMs whose blocks of categories are solved by the tasks of an engine: the same to the last bit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from rubricate import registry
from rubricate.classifiers.svm.solvers import block_solver, linear
from rubricate.classifiers.svm.svm import SVM
from rubricate.engines import Shared, spread_over, spreading


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
        self.copies, self.steps = {}, []

    def __call__(self, function, tasks, address=None):
        assert isinstance(function, Shared)
        copy = self.copies.setdefault(id(function), pickle.loads(pickle.dumps(function)))
        results = []
        for task in tasks:
            self.steps.append(task[0])
            results.append(pickle.loads(pickle.dumps(copy(pickle.loads(pickle.dumps(task))))))
        return results


LEARNED = ("coef_", "intercept_", "primal_", "dual_", "sweeps_")


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({}, {"guess", "solve", "survey", "check"}),
        ({"C": 1000.0, "tol": 1e-9}, {"guess", "solve", "survey", "check", "polish"}),
        ({"bias": None, "tol": 0.05}, {"guess", "solve", "check"}),
    ],
)
def test_a_spread_training_is_the_same_to_the_last_bit(options, steps, monkeypatch):
    X, labels = problem()
    monkeypatch.setattr("rubricate.classifiers.svm.svm.pays", lambda rows: False)
    here = SVM(**options).fit(X, labels)
    engine = Elsewhere()
    monkeypatch.setattr(registry, "load", lambda kind, name: engine)
    with spread_over("far:tcp://here"):
        there = SVM(**options).fit(X, labels)
    assert set(engine.steps) == steps
    assert len(engine.copies) == 1
    for name in LEARNED:
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    for name in ("alpha_", "slack_"):
        assert (getattr(here, name) != getattr(there, name)).nnz == 0


def test_crowded_margins_are_spread_too(monkeypatch):
    X, labels = problem()
    monkeypatch.setattr("rubricate.classifiers.svm.svm.pays", lambda rows: False)
    monkeypatch.setattr(linear, "LARGE", 0)
    monkeypatch.setattr(linear, "CROWDED", 0.0)
    here, engine = SVM().fit(X, labels), Elsewhere()
    monkeypatch.setattr(registry, "load", lambda kind, name: engine)
    with spread_over("far"):
        there = SVM().fit(X, labels)
    assert "solve_alone" in engine.steps
    assert np.array_equal(here.coef_, there.coef_)


@pytest.mark.parametrize("options", [{}, {"C": 1000.0, "tol": 1e-9}, {"bias": "penalised"}])
def test_documents_by_stretches_and_categories_by_groups_change_no_bit(options, monkeypatch):
    X, labels = problem(documents=150, categories=140)
    monkeypatch.setattr("rubricate.classifiers.svm.svm.pays", lambda rows: False)
    whole = SVM(**options).fit(X, labels)
    monkeypatch.setattr(block_solver, "STRETCH", 7)
    monkeypatch.setattr(linear, "TOGETHER", 0)
    monkeypatch.setattr("rubricate.classifiers.svm.solvers.kernel.BLOCK", 11)
    engine = Elsewhere()
    monkeypatch.setattr(registry, "load", lambda kind, name: engine)
    with spread_over("far"):
        parts = SVM(**options).fit(X, labels)
    assert engine.steps.count("guess") == 9  # 64, 64 and 12 categories in blocks of 16
    assert engine.steps[4] == "solve"
    assert len(engine.copies) == 1
    for name in LEARNED:
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    for name in ("alpha_", "slack_"):
        assert (getattr(whole, name) != getattr(parts, name)).nnz == 0


@pytest.mark.parametrize("engine", ["threads", "serial", lambda function, tasks: pytest.fail("not for blocks")])
def test_engines_of_this_machine_are_not_spread_over(engine):
    with spread_over(engine):
        assert spreading() is None
    with spread_over("dask:tcp://here"):
        assert spreading() == "dask:tcp://here"
        with spread_over(engine):
            assert spreading() is None
    assert spreading() is None
