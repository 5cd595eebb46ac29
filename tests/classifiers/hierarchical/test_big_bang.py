"""Big-bang categorization: scores as weighed, flat where it should be."""

from __future__ import annotations

import numpy as np
import pytest
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, newswire

import rubricate as rb
from rubricate.errors import InvalidInput

BASE = rb.SVM(C=2.0, bias="penalised", tol=1e-7)


def test_no_share_and_a_flat_hierarchy_are_flat():
    X, labels = newswire()
    flat = BASE.fit(X, labels).decision_function(X)
    for model in (
        rb.classifiers.BigBang(BASE, share=0.0, taxonomy=TREE, categories=NAMES),
        rb.classifiers.BigBang(BASE),
    ):
        np.testing.assert_allclose(model.fit(X, labels).decision_function(X), flat, atol=2e-3)


def test_the_score_weighs_the_nodes_above():
    X, labels = newswire()
    dense = labels.toarray()
    wider = np.column_stack([dense, dense[:, :3].any(axis=1), dense[:, 3:].any(axis=1)])
    flat = BASE.fit(X, wider.astype(int)).decision_function(X)
    found = rb.classifiers.BigBang(BASE, share=0.4, taxonomy=TREE, categories=NAMES).fit(X, labels).decision_function(X)
    np.testing.assert_allclose(found[:, 0], flat[:, 0], atol=2e-3)
    for c, above in ((1, 6), (2, 6), (4, 7), (5, 7)):
        np.testing.assert_allclose(found[:, c], 0.6 * flat[:, c] + 0.4 * flat[:, above], atol=3e-3)


def test_virtual_nodes_are_learned_too():
    X, labels = newswire()
    leaves = [1, 2, 4, 5]
    model = rb.classifiers.BigBang(BASE, taxonomy=TREE, categories=[NAMES[k] for k in leaves]).fit(X, labels[:, leaves])
    assert model.above_.shape == (6, 4)
    np.testing.assert_allclose(model.above_.sum(axis=0), 1.0)


def test_bad_share_is_named():
    X, labels = newswire()
    with pytest.raises(InvalidInput, match="share must be from 0 to 1"):
        rb.classifiers.BigBang(share=1.5).fit(X, labels)
