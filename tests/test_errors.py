"""Messages that name the way out."""

from __future__ import annotations

import pytest

from rubricate.errors import UnknownName


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("rochio", "rocchio"), ("SVM", "svm"), ("nnets-parc", "NNets.PARC"), ("ROCCHIO", "rocchio")],
)
def test_the_nearest_name_is_found_in_either_case(asked, meant):
    known = ["knn", "NNets.PARC", "rocchio", "svm"]
    assert f"Did you mean {meant!r}?" in str(UnknownName("classifier", asked, known))


def test_without_a_near_name_there_is_no_hint():
    assert str(UnknownName("classifier", "zzzz", ["knn"])) == "no classifier named 'zzzz'. Known: knn."
