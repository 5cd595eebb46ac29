"""Runs from what a program holds: every form gives the same run."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.io.runs import as_run
from rubricate.labels import indicator
from rubricate.types import Decisions, Documents, Scores, Signature

TRUTH, DECIDED = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[0, 1], [1, 0], [1, 0]])
SCORES = np.array([[0.1, 0.9], [0.8, 0.3], [0.6, 0.2]])
SETS = ([{"earn"}, {"acq", "earn"}, set()], [{"earn"}, ["acq"], ("acq",)])
NAMES = ("acq", "earn")


def same(run):
    assert run.categories == NAMES
    assert run.truth.toarray().astype(int).tolist() == TRUTH.tolist()
    assert run.decisions.values.toarray().astype(int).tolist() == DECIDED.tolist()


FORMS = {
    "sets": SETS,
    "arrays": (TRUTH, DECIDED),
    "plain lists": (TRUTH.tolist(), DECIDED.tolist()),
    "sparse": (sparse.csr_matrix(TRUTH), sparse.coo_array(DECIDED)),
    "pandas frames": (pd.DataFrame(TRUTH, columns=NAMES), pd.DataFrame(DECIDED[:, ::-1], columns=NAMES[::-1])),
    "polars frames": (pl.DataFrame(TRUTH, schema=list(NAMES)), pl.DataFrame(DECIDED, schema=list(NAMES))),
    "pandas column": (pd.Series([["earn"], ["acq", "earn"], []]), pd.Series([["earn"], ["acq"], ["acq"]])),
    "polars column": (pl.Series([["earn"], ["acq", "earn"], []]), pl.Series([["earn"], ["acq"], ["acq"]])),
    "mappings": (dict(zip("abc", SETS[0], strict=True)), dict(zip("cab", [["acq"], ["earn"], ["acq"]], strict=True))),
    "long frames": (
        pd.DataFrame({"document": ["a", "b", "b", "c"], "category": ["earn", "acq", "earn", None]}),
        pl.DataFrame({"document": ["b", "c", "a"], "category": ["acq", "acq", "earn"]}),
    ),
    "wide frames": (
        pd.DataFrame({"document": ["a", "b", "c"], "labels": ["earn", "acq;earn", ""]}),
        pd.DataFrame({"document": ["c", "b", "a"], "labels": ["acq", "acq", "earn"]}),
    ),
    "decisions": (TRUTH, Decisions(indicator(DECIDED), NAMES, "abc")),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_run(form):
    truth, decided = FORMS[form]
    bare = form in ("arrays", "plain lists", "sparse")
    same(as_run(truth, decided, categories=NAMES if bare else None))


def test_a_matrix_without_names_numbers_its_categories():
    assert as_run(TRUTH, DECIDED).categories == ("0", "1")


def test_single_labels():
    run = as_run(np.array([0, 2, 1]), [0, 1, 1])
    assert run.categories == ("0", "1", "2")
    assert run.decisions.values.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "scores",
    [
        SCORES,
        SCORES.tolist(),
        pd.DataFrame(SCORES, columns=NAMES),
        pd.DataFrame(SCORES[:, ::-1], columns=NAMES[::-1]),
        Scores(SCORES, NAMES, ("a", "b", "c")),
    ],
    ids=["array", "lists", "frame", "other order", "Scores"],
)
def test_scores_in_every_form(scores):
    run = as_run(SETS[0], scores=scores, categories=NAMES)
    assert np.array_equal(run.scores.values, SCORES)
    assert run.decisions is None


def test_sparse_scores_have_the_floor_zero():
    run = as_run(TRUTH, scores=sparse.csr_array(np.where(SCORES > 0.5, SCORES, 0)))
    assert run.scores.floor == 0.0


def test_scores_and_decisions_by_id():
    scores = pd.DataFrame({"document": ["a", "b", "c"], "category": ["earn", "acq", "acq"], "score": [0.9, 0.8, 0.6]})
    run = as_run(FORMS["wide frames"][0], FORMS["wide frames"][1], scores=scores)
    same(run)
    assert run.scores.values.toarray().tolist() == [[0, 0.9], [0.8, 0], [0.6, 0]]


@pytest.mark.parametrize("counts", [{"earn": 7, "acq": 2}, [2, 7], np.array([[1, 1]] * 2 + [[0, 1]] * 5)])
def test_training_counts(counts):
    assert as_run(*SETS, train_counts=counts).train_counts.tolist() == [2, 7]


def test_name_and_signature_are_kept():
    run = as_run(*SETS, name="svm", signature=Signature(corpus="x"))
    assert (run.name, run.signature.corpus) == ("svm", "x")


def test_errors_say_what_to_do():
    with pytest.raises(InvalidInput, match="neither decisions nor scores"):
        as_run(TRUTH)
    with pytest.raises(InvalidInput, match="name the columns of the matrix"):
        as_run(SETS[0], DECIDED)
    with pytest.raises(InvalidInput, match="different columns, such as acq, corn"):
        as_run(pd.DataFrame(TRUTH, columns=NAMES), pd.DataFrame(DECIDED, columns=("corn", "earn")))
    with pytest.raises(InvalidInput, match="names its documents, the predictions do not"):
        as_run(FORMS["mappings"][0], DECIDED)
    with pytest.raises(InvalidInput, match="expected a matrix of 3 × 2"):
        as_run(TRUTH, DECIDED[:2])
    with pytest.raises(InvalidInput, match="not in the truth"):
        as_run({"a": ["x"]}, {"b": ["x"]})
    with pytest.raises(InvalidInput, match=r"decisions hold 0\.5, which is not a label; give the numbers as scores="):
        as_run(TRUTH, np.asarray(DECIDED) * 0.5)
    with pytest.raises(InvalidInput, match=r"the truth hold 0\.5"):
        as_run(sparse.csr_array(np.asarray(TRUTH) * 0.5), DECIDED)


def test_categories_are_heeded_also_by_id():
    run = as_run({"a": ["x"]}, {"a": ["y"]}, categories=["y", "z"])
    assert run.categories == ("x", "y", "z")
    with pytest.raises(InvalidInput, match="1 categories are not in the truth: y"):
        as_run({"a": ["x"]}, {"a": ["y"]}, categories=["z"])


def test_files_and_labelled_documents(tmp_path):
    run = as_run({"a": ["x"], "b": ["x", "y"]}, {"a": ["x"], "b": ["y"]}, name="svm")
    predictions = rb.write_run(run, tmp_path / "svm.csv")
    truth = tmp_path / "truth.csv"
    truth.write_text("document,labels\na,x\nb,x;y\n")
    documents = Documents(["b", "a"], ["two", "one"], sparse.csr_array([[True, True], [True, False]]), ("x", "y"))
    for known in (truth, str(truth), documents):
        read = as_run(known, predictions)
        assert read.name == "svm"
        assert rb.evaluate(read).micro["f1"] == rb.evaluate(known, predictions).micro["f1"] == pytest.approx(0.8)
    with pytest.raises(InvalidInput, match="a file of predictions goes with"):
        as_run(TRUTH, predictions)
