"""What the base of the classifiers promises beside the contract."""

from __future__ import annotations

import numpy as np

import rubricate as rb


def test_the_made_up_names_of_columns_come_to_an_end():
    model = rb.classifiers.Rocchio().fit(np.eye(3), ["a", "b", "c"])
    assert list(model._term_names()) == ["x0", "x1", "x2"]
