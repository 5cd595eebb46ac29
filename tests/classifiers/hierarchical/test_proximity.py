"""Expected contributions: by distance, by similarity, flat where nothing is near."""

from __future__ import annotations

import numpy as np
import pytest
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, newswire

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.measures import category_similarity

BASE = rb.SVM(C=2.0, bias="penalised", tol=1e-7)


@pytest.mark.slow
def test_a_flat_hierarchy_decides_as_the_base():
    X, labels = newswire()
    flat = BASE.fit(X, labels).decision_function(X)
    clear = np.abs(flat) > 0.01
    for model in (
        rb.classifiers.Proximity(BASE),
        rb.classifiers.Proximity(BASE, taxonomy=[("top", n) for n in NAMES], categories=NAMES),
    ):
        assert ((model.fit(X, labels).decision_function(X) > 0)[clear] == (flat > 0)[clear]).all()


def test_the_expected_contribution_by_distance():
    X, labels = newswire()
    model = rb.classifiers.Proximity(BASE, slope=1.3, accept=3.0, taxonomy=TREE, categories=NAMES).fit(X, labels)
    chance = 1 / (1 + np.exp(-1.3 * BASE.fit(X, labels).decision_function(X)))
    crude = chance[:, 0] + (chance[:, 1] + chance[:, 2]) * (1 - 1 / 3) + chance[:, 3] * (1 - 2 / 3)
    gas = chance[:, 1] + chance[:, 0] * (1 - 1 / 3) + chance[:, 2] * (1 - 2 / 3)
    found = 1 / (1 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(found[:, 0], np.minimum(crude, 1), atol=2e-3)
    np.testing.assert_allclose(found[:, 1], np.minimum(gas, 1), atol=2e-3)


def test_nearness_by_similarity_is_that_of_the_measures():
    X, labels = newswire(noise=0.02)
    model = rb.classifiers.Proximity(BASE, by="similarity", slope=1.0).fit(X, labels)
    alike = category_similarity(X, labels, NAMES)
    expected = np.maximum((alike.matrix() - alike.average) / (1 - alike.average), 0)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(model.near_.toarray(), expected, atol=1e-12)


@pytest.mark.parametrize(("option", "value"), [("by", "name"), ("accept", 0), ("slope", -1.0), ("folds", 1)])
def test_bad_options_are_named(option, value):
    X, labels = newswire()
    with pytest.raises(InvalidInput, match=f"Proximity: {option} must be"):
        rb.classifiers.Proximity(**{option: value}).fit(X, labels)
