"""Messages that name the way out."""

from __future__ import annotations

import pickle

import pytest

from rubricate import errors
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


@pytest.mark.parametrize(
    "error",
    [
        errors.InvalidInput("a"),
        errors.UnknownName("classifier", "rochio", ["rocchio"]),
        errors.InvalidFile("odd", path="x.csv", line=3, remedy="mend it"),
        errors.InvalidRules("expected a condition", "earn if )", 8),
        errors.CorpusMissing("no corpus"),
        errors.MissingExtra("dask", "Cluster runs"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_travels_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
