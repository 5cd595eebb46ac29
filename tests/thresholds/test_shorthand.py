"""Shorthand, and the checks of scores and labels that all thresholds share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.thresholds import FixedCut, MicroMacro, Pcut, RankLimit, Rcut, Scores, Scut, decide, resolve


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rcut", Rcut(t=1)),
        ("rcut:2", Rcut(t=2)),
        ("pcut:1.2", Pcut(x=1.2)),
        ("scut", Scut()),
        ("scut:0.3", Scut(fbr=0.3)),
        ("fixed:0.5", FixedCut(cut=0.5)),
        (" fixed : -1e-3 ", FixedCut(cut=-0.001)),
        ("micro_macro:0.5", MicroMacro(weight=0.5)),
        ("rank_limit:10", RankLimit(rank=10)),
        (0.25, FixedCut(cut=0.25)),
        ("-0.25", FixedCut(cut=-0.25)),
        (np.int64(1), FixedCut(cut=1.0)),
        (Rcut(t=3), Rcut(t=3)),
    ],
)
def test_shorthand(text, expected):
    found = resolve(text)
    assert type(found) is type(expected)
    assert found.get_params() == expected.get_params()
    assert found is not text


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("scutt", UnknownName, "no threshold named 'scutt'. Did you mean 'scut'"),
        ("rcut:two", InvalidInput, "'rcut:two': t must be a whole number, as in 'rcut:1'"),
        ("rcut:1.5", InvalidInput, "whole number"),
        ("pcut:", InvalidInput, "x must be a number, as in 'pcut:1.0'"),
        (True, InvalidInput, "expected a threshold such as"),
        (None, InvalidInput, "expected a threshold such as"),
        (Rcut, InvalidInput, "expected a threshold such as"),
    ],
)
def test_wrong_shorthand_is_answered(text, error, message):
    with pytest.raises(error, match=message):
        resolve(text)


def test_decide_in_one_call():
    held_out = ([[0.9], [0.1]], [[1], [0]])
    assert decide([[0.6], [0.4]], "scut", held_out=held_out).toarray().ravel().tolist() == [True, False]
    assert decide(pd.DataFrame({"a": [1, 3], "b": [2, 2]}), "rcut").toarray().tolist() == [[False, True], [True, False]]


NAN = sparse.csr_array(np.array([[np.nan, 1.0]]))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1.0, 2.0], [0.0, np.nan]], "score of document 1, category 1 is NaN"),
        (NAN, "the scores hold NaN"),
        (Scores(sparse.csr_array((1, 2)), ("a", "b"), ["d"], float("nan")), "the scores hold NaN"),
        (sparse.csr_array(np.array([[-1.0, 1.0]])), "-1.0, lies under the floor 0.0"),
        ([["a", "b"]], "expected scores as numbers"),
        (np.zeros((1, 2, 1)), "got 3 dimension"),
        (3.0, "got 0 dimension"),
    ],
)
def test_wrong_scores_are_refused(scores, message):
    for cut in (Rcut(), FixedCut()):
        with pytest.raises(InvalidInput, match=message):
            cut.decide(scores)
    with pytest.raises(InvalidInput, match=message):
        Scut().fit(scores, np.zeros((1, 2)))


def test_shapes_must_agree():
    with pytest.raises(InvalidInput, match="labels are 3 × 2, the scores 2 × 2"):
        Scut().fit(np.zeros((2, 2)), np.zeros((3, 2)))
    with pytest.raises(InvalidInput, match="learned for 2 categories, the scores have 3"):
        Scut().fit(np.zeros((2, 2)), np.zeros((2, 2))).decide(np.zeros((1, 3)))
    with pytest.raises(InvalidInput, match="learned for 1 categories, the scores have 3"):
        Pcut().fit(None, [1, 0]).decide(np.zeros((1, 3)))


def test_a_vector_is_one_category():
    cut = Scut().fit(np.array([0.9, 0.2]), np.array([1, 0]))
    assert cut.decide(np.array([0.8, 0.3])).toarray().tolist() == [[True], [False]]


def test_duplicate_cells_of_a_sparse_matrix_are_summed():
    scores = sparse.coo_array(([0.3, 0.4], ([0, 0], [1, 1])), shape=(1, 2)).tocsr()
    assert FixedCut(cut=0.6).decide(scores).toarray().tolist() == [[False, True]]
