"""Labels in every form that users have become one matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import indicator, label_matrix, label_tuples

SETS = [["wheat", "corn"], ["corn"], []]
EXPECTED = [[1, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    "labels",
    [
        SETS,
        [set(s) for s in SETS],
        [("wheat", "corn", "wheat"), "corn", None],
        pd.Series(SETS),
        pl.Series(SETS),
        pa.array(SETS),
        np.array([frozenset(s) for s in SETS], dtype=object),
    ],
    ids=["lists", "sets", "tuples", "pandas", "polars", "arrow", "objects"],
)
def test_every_form_gives_the_same_matrix(labels):
    matrix, names = label_matrix(labels)
    assert names == ("corn", "wheat")
    assert matrix.toarray().astype(int).tolist() == EXPECTED
    assert matrix.dtype == bool
    assert matrix.has_canonical_format


@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_matrices_are_taken_as_they_are(form):
    matrix, names = label_matrix(form([[0, 3], [1, 0]]), categories=("a", "b"))
    assert names == ("a", "b")
    assert matrix.toarray().tolist() == [[False, True], [True, False]]


def test_stored_zeros_and_duplicates_are_no_labels():
    stored = sparse.coo_array(([1, 1, 0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert indicator(stored).nnz == 1


def test_one_row_is_a_matrix_whatever_holds_it():
    for row in ([0, 1], np.array([0, 1]), sparse.coo_array(np.array([0, 1]))):
        assert indicator(row).toarray().tolist() == [[False, True]]


def test_indicator_leaves_its_argument_alone():
    given_ = sparse.csr_array(np.array([[0.0, 2.0]]))
    indicator(given_)
    assert given_.data.tolist() == [2.0]


def test_a_pandas_missing_value_is_no_label():
    matrix, names = label_matrix(pd.Series(["a", float("nan"), None]))
    assert label_tuples(matrix, names) == [("a",), (), ()]


@pytest.mark.parametrize(
    ("labels", "categories", "message"),
    [
        ([["a", ""]], None, "document 0 has a label that is an empty string"),
        ([["a"], ["b"]], ["a"], "document 1 has labels outside the categories: b"),
        (np.zeros((2, 3)), ["a"], "a label matrix of 3 columns for 1 categories"),
        (np.array([[np.nan]]), None, "NaN"),
    ],
)
def test_bad_labels_are_named(labels, categories, message):
    with pytest.raises(InvalidInput, match=message):
        label_matrix(labels, categories)


@given(st.lists(st.frozensets(st.sampled_from("abcdef")), max_size=30))
def test_sets_survive_the_round_trip(sets):
    matrix, names = label_matrix(sets)
    back = [{names[j] for j in matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]} for i in range(len(sets))]
    assert back == [set(s) for s in sets]
