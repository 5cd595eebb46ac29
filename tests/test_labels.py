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

import rubricate as rb
from rubricate.classifiers.base import Scorer
from rubricate.errors import InvalidInput
from rubricate.io.runs import as_run
from rubricate.labels import indicator, label_matrix, label_tuples
from rubricate.significance.systems import gather
from rubricate.training.data import take_target
from rubricate.types import Decisions, Documents

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


CELLS = np.array(EXPECTED)
NAMED = {
    "mixed": [("wheat", "corn"), "corn", None],
    "pandas column": pd.Series(SETS),
    "polars column": pl.Series(SETS),
    "arrow column": pa.chunked_array([SETS]),
    "object array": np.array([frozenset(s) for s in SETS], dtype=object),
    "pandas frame": pd.DataFrame(CELLS[:, ::-1], columns=["wheat", "corn"]),
    "pandas frame of objects": pd.DataFrame(CELLS.astype(object), columns=["corn", "wheat"]),
    "polars frame": pl.DataFrame(CELLS, schema=["corn", "wheat"]),
    "arrow table": pa.table({"corn": CELLS[:, 0], "wheat": CELLS[:, 1]}),
    "decisions": Decisions(indicator(CELLS), ("corn", "wheat"), "xyz"),
    "documents": Documents("xyz", "xyz", indicator(CELLS), ("corn", "wheat")),
}
BARE = {"flags": EXPECTED, "array": CELLS, "floats": CELLS.astype(float), "sparse": sparse.coo_array(CELLS)}


def _through_a_classifier(labels):
    """Return what a classifier learned: the vectors are the labels, so naive Bayes of one-hot rows shows them."""
    seen = []

    class Keeper(Scorer):
        def _learn(self, X, labels, weights):
            seen.append(labels)

        def _score(self, X):
            return np.zeros((X.shape[0], len(self.categories_)))

    fitted = Keeper().fit(np.eye(3), labels)
    return seen[0], fitted.categories_


def _through_a_run(labels):
    run = as_run(labels, labels, categories=("corn", "wheat"))
    assert (run.decisions.values != run.truth).nnz == 0
    return run.truth, run.categories


def _through_a_comparison(labels):
    systems = gather({"a": labels, "b": labels}, truth=labels, categories=("corn", "wheat"))
    return systems[1].decided, systems[1].categories


ENTRANCES = {
    "label_matrix": lambda labels: label_matrix(labels, ("corn", "wheat")),
    "training": lambda labels: (lambda t: (t.labels, t.categories))(take_target(None, labels, ("corn", "wheat"))),
    "classifier": _through_a_classifier,
    "run": _through_a_run,
    "comparison": _through_a_comparison,
}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("form", [*NAMED, *BARE])
def test_every_form_is_taken_everywhere(form, entrance):
    matrix, names = ENTRANCES[entrance]({**NAMED, **BARE}[form])
    if set(names) == {"0", "1"}:  # a matrix without names numbers its columns
        names = ("corn", "wheat")
    order = [names.index(name) for name in ("corn", "wheat")]
    assert matrix.toarray()[:, order].astype(int).tolist() == EXPECTED


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.full((3, 2), "corn"), "a label matrix must hold numbers or booleans"),
        (np.full((3, 2), np.nan), "the label matrix holds NaN or infinity"),
        (sparse.csr_array(np.full((3, 2), np.inf)), "the label matrix holds NaN or infinity"),
        ([["corn"], ["wheat", ""], []], "document 1 has a label that is an empty string"),
        ([["corn"], 1j, []], "Complex data not supported"),
        ([["corn"], object(), []], "document 1 has a label of type object"),
    ],
)
def test_the_messages_are_the_same_everywhere(labels, message, entrance):
    with pytest.raises(InvalidInput, match=message):
        ENTRANCES[entrance](labels)


def test_a_frame_whose_columns_are_only_numbers_is_a_matrix_without_names():
    matrix, names = label_matrix(pd.DataFrame(EXPECTED), ("corn", "wheat"))
    assert (names, matrix.toarray().astype(int).tolist()) == (("corn", "wheat"), EXPECTED)


def test_a_classifier_that_learned_label_sets_knows_their_names_in_later_batches():
    model = rb.NB().partial_fit(np.eye(3), [["corn", "wheat"], ["corn"], []]).partial_fit(np.eye(3)[:1], [["oats"]])
    assert model.categories_ == ("corn", "wheat", "oats")
    assert sparse.issparse(model.predict(np.eye(3)))


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
