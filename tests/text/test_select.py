"""The transformer: names, numbers to keep, ties, and scikit-learn's contract."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.selection import Select, term_scores

X = np.array([[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0]])
Y = ["grain", "grain", "gold", "gold"]


def test_a_tie_goes_to_the_first_column_or_the_first_name() -> None:
    assert Select("chi2:1").fit(X, Y).get_support().tolist() == [True, False, False, False]
    assert Select("chi2:1").fit(X, Y, terms="dcba").get_support().tolist() == [False, False, False, True]
    frame = pd.DataFrame(X, columns=["z", "y", "x", "a"])
    assert Select("chi2:1").fit(frame, Y).get_feature_names_out().tolist() == ["a"]


def test_forms_of_x_and_y_agree() -> None:
    expected = Select("chi2", k=2).fit(X, Y).get_support().tolist()
    for x in (X, X.astype(float) / 3, sparse.csr_array(X), sparse.csc_matrix(X)):
        for y in (
            Y,
            [{"grain"}, {"grain"}, {"gold"}, {"gold"}],
            np.array([1.0, 1.0, 0.0, 0.0]),
            np.eye(2)[[1, 1, 0, 0]],
        ):
            assert Select("chi2", k=2).fit(x, y).get_support().tolist() == expected


def test_more_terms_than_there_are_keeps_all() -> None:
    assert Select("chi2:99").fit_transform(X, Y).shape == (4, 4)


def test_criteria_without_labels_need_none() -> None:
    assert Select("document_frequency:1").fit(X).get_support().tolist() == [False, True, False, False]
    assert Select("term_strength:2").fit(X).get_support().sum() == 2


@pytest.mark.parametrize("criterion", ["chi2", "chi2:", "chi2:0", "chi2:-3", "chi2:many"])
def test_the_number_to_keep_must_be_said(criterion: str) -> None:
    with pytest.raises(InvalidInput, match="how many terms to keep"):
        Select(criterion).fit(X, Y)


def test_wrong_names_and_shapes() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'chi2'"):
        Select("chi:10").fit(X, Y)
    with pytest.raises(UnknownName, match="Known: avg, each, max, sum"):
        Select("document_frequency:1", by="median").fit(X, Y)
    with pytest.raises(InvalidInput, match="join them by 'max'"):
        Select("chi2:1", by="each").fit(X, Y)
    with pytest.raises(InvalidInput, match="requires y"):
        Select("chi2:1").fit(X)
    with pytest.raises(InvalidInput, match="4 documents and y has 3"):
        Select("chi2:1").fit(X, Y[:3])
    with pytest.raises(InvalidInput, match="2 names for 4 terms"):
        Select("chi2:1").fit(X, Y, terms=["a", "b"])
    with pytest.raises(InvalidInput, match="X has 0 documents"):
        term_scores("chi2", np.zeros((0, 3)), [])


@pytest.mark.slow
@parametrize_with_checks([Select("chi2:2"), Select("document_frequency:2")])
def test_a_scikit_learn_transformer(estimator, check) -> None:
    check(estimator)
