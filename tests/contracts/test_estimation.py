"""What every estimator must meet; the estimators are found by themselves."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb
from rubricate import registry
from rubricate.estimation import MEASURES, Estimate

NAMES = registry.names("estimation")
QUICK = {"bootstrap": {"samples": 5}, "cross_validation": {"folds": 4}, "jackknife": {"groups": 6}}


def _world(n: int = 60):
    rng = np.random.default_rng(3)
    labels = rng.random((n, 3)) < 0.35
    X = sparse.csr_array(np.hstack([labels * 0.8, rng.random((n, 6))]))
    return X, sparse.csr_array(labels)


def _estimate(name: str, X, labels, **options):
    return registry.load("estimation", name)(rb.SVM(), X, labels, **QUICK.get(name, {}), **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_estimate_has_every_measure_and_says_what_is_known_of_it(name):
    X, labels = _world()
    found = _estimate(name, X, labels, categories=("a", "b", "c"))
    assert isinstance(found, Estimate)
    assert found.method == name
    assert found.categories == ("a", "b", "c")
    assert found.documents == 60
    for measure in MEASURES:
        values = getattr(found, measure)
        assert values.shape == (3,)
        assert ((values >= 0) & (values <= 1)).all()
        assert 0 <= found.micro[measure] <= 1
    assert found.bias
    assert found.spread
    assert found.facts["trainings"] >= 1
    assert found.to_dict()["per_category"]["a"]["f1"] == pytest.approx(found.f1[0])
    assert "micro" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_tables_hold_every_document_and_label(name):
    X, labels = _world()
    table = _estimate(name, X, labels).table
    whole = table.tp + table.fp + table.fn + table.tn
    rounds = whole[0] / 60 if name != "holdout" else whole[0] / 20
    np.testing.assert_allclose(whole, whole[0])
    assert rounds == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_same_again(name):
    X, labels = _world()
    a, b = _estimate(name, X, labels), _estimate(name, X, labels)
    np.testing.assert_array_equal(a.error, b.error)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if "engine" in inspect.signature(
    registry.load("estimation", name)).parameters])  # fmt: skip
def test_the_engine_does_not_matter(name):
    X, labels = _world()
    a, b = (_estimate(name, X, labels, engine=engine) for engine in ("serial", "threads"))
    np.testing.assert_array_equal(a.f1, b.f1)


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_states_bias_spread_and_cost(name):
    text = registry.load("estimation", name).__doc__
    assert all(word in text for word in ("Bias", "pread", "Cost", "joachims2000"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_category_without_documents_is_fine(name):
    X, labels = _world()
    wider = sparse.csr_array(sparse.hstack([labels, sparse.csr_array((60, 1), dtype=bool)]))
    found = _estimate(name, X, wider)
    assert found.error[3] == 0.0
    np.testing.assert_allclose(found.error[:3], _estimate(name, X, labels).error, atol=0.2)
