"""Documents, labels and rows that do not fit the truth: what each policy makes of them."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from rubricate.errors import InvalidFile, UnknownName
from rubricate.io.predictions import read_run, read_runs
from rubricate.measures.evaluation import evaluate
from rubricate.significance import compare
from rubricate.types import Run, Scores

TRUTH = "document,labels\nd1,earn\nd2,acq\nd3,earn\nd4,acq\n"


@pytest.fixture
def save(tmp_path):
    def write(text, name="run.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def truth(save):
    return save(TRUTH, "truth.csv")


def test_a_missing_document_is_wrong(save, truth):
    run = read_run(truth, save("document,labels\nd1,earn\nd2,acq\n"), missing="wrong")
    result = evaluate(run)
    assert run.documents == ("d1", "d2", "d3", "d4")
    assert result.examples["subset_accuracy"] == 0.5
    assert (result.micro["recall"], result.micro["precision"]) == (0.5, 1.0)
    assert "missing:wrong (2 of 4)" in str(result.signature)


def test_a_missing_document_is_dropped_for_all(save, truth):
    part = save("document,labels\nd1,earn\nd2,acq\n", "part.csv")
    whole = save(TRUTH, "whole.csv")
    runs = read_runs(truth, [part, whole], missing="drop")
    assert [run.documents for run in runs] == [("d1", "d2")] * 2
    assert all("missing:drop (2 of 4)" in str(evaluate(run).signature) for run in runs)


def test_a_document_that_the_truth_lacks_is_ignored_under_wrong(save, truth):
    assert read_run(truth, save(TRUTH + "d9,earn\n"), missing="wrong").documents == ("d1", "d2", "d3", "d4")


def test_other_documents_altogether_are_an_error_under_every_policy(save, truth):
    for missing in ("error", "wrong", "drop"):
        with pytest.raises(InvalidFile):
            read_run(truth, save("document,labels\nx1,earn\nx2,acq\n"), missing=missing)


def test_an_unknown_label_is_wrong_without_a_category_of_its_own(save, truth):
    """As scikit-learn says when the unknown label is a class of the predictions and the average is over the known."""
    run = read_run(truth, save("document,labels\nd1,earn\nd2,wheat\nd3,corn\nd4,acq\n"), unknown="wrong")
    result = evaluate(run)
    true, answered = ["earn", "acq", "earn", "acq"], ["earn", "wheat", "corn", "acq"]
    known = f1_score(true, answered, labels=["acq", "earn"], average="macro")
    assert run.categories == ("acq", "earn")
    assert result.macro["f1"] == pytest.approx(known)
    assert result.micro["f1"] == pytest.approx(accuracy_score(true, answered))
    assert result.examples["subset_accuracy"] == 0.5
    assert result.outside == 2
    assert "unknown:wrong" in str(result.signature)


def test_tests_see_unknown_labels_as_wrong(save, truth):
    answers = {"right": TRUTH, "odd": "document,labels\nd1,wheat\nd2,corn\nd3,corn;rye\nd4,acq\n"}
    runs = read_runs(truth, [save(text, f"{name}.csv") for name, text in answers.items()], unknown="wrong")
    by_name = {(r.test, r.measure): r for r in compare(runs, tests="s,permutation,p:precision,mcnemar")}
    assert by_name["s", ""].n == 3 + 4  # three labels missed, four labels that are none
    assert by_name["permutation", "micro_f1"].effect == pytest.approx(1 - 2 / 9)
    assert by_name["permutation", "macro_f1"].effect == pytest.approx(1 - (0 + 2 / 3) / 2)
    assert by_name["mcnemar", "subset accuracy"].n == 3
    assert "unknown:wrong" in compare(runs, tests="s").signature


def test_the_first_of_two_rows_counts(save, truth):
    twice = "document,labels\nd1,earn;earn\nd2,acq\nd2,earn\nd3,earn\nd4,acq\n"
    with pytest.raises(InvalidFile, match=r"--duplicates first|each label once"):
        read_run(truth, save(twice))
    run = read_run(truth, save(twice), duplicates="first")
    assert evaluate(run).micro["f1"] == 1.0
    assert "duplicates:first" in str(evaluate(run).signature)


def test_the_first_of_two_pairs_counts(save, truth):
    rows = "document,category,score\nd1,earn,.9\nd1,earn,.1\nd2,acq,.8\nd3,earn,.7\nd4,acq,.6\n"
    run = read_run(truth, save(rows), duplicates="first")
    assert run.scores.values.toarray()[0].tolist() == [0.0, 0.9]


@pytest.mark.parametrize("layout", ["x,acq,earn\nd1,0,1\nd2,1,0\nd1,1,0\nd3,0,1\nd4,1,0\n"])
def test_the_first_row_of_a_matrix_counts(layout, save, truth):
    assert evaluate(read_run(truth, save(layout), duplicates="first")).micro["f1"] == 1.0


def test_old_names_still_work(save, truth):
    part = save("document,labels\nd1,earn\nd2,wheat\n")
    with pytest.warns(FutureWarning, match="missing='drop'"):
        run = read_run(truth, part, intersection=True, unknown="wrong")
    assert run.documents == ("d1", "d2")
    with pytest.warns(FutureWarning, match="unknown='wrong'"):
        run = read_run(truth, part, missing="drop", new_categories=True)
    assert run.outside.tolist() == [0, 1]


def test_an_unknown_policy_is_an_error(save, truth):
    with pytest.raises(UnknownName, match="policy for missing"):
        read_run(truth, save(TRUTH), missing="ignore")


def test_any_column_can_name_the_documents(save, truth):
    text = "when,tweet,labels\nx,d1,earn\nx,d2,acq\nx,d3,earn\nx,d4,acq\n"
    with pytest.raises(InvalidFile, match="--id NAME"):
        read_run(truth, save(text))
    assert evaluate(read_run(truth, save(text), id_column="Tweet")).micro["f1"] == 1.0


def test_a_matrix_may_have_any_first_column(save, truth):
    run = read_run(truth, save("PMID,acq,earn\nd1,.1,.9\nd2,.8,.2\nd3,.3,.6\nd4,.7,.1\n"))
    assert evaluate(run.cut(0.5)).micro["f1"] == 1.0


def test_a_matrix_without_a_header_is_not_read_as_one(save, truth):
    with pytest.raises(InvalidFile, match="expected columns"):
        read_run(truth, save("d1,0.1,0.9\nd2,0.8,0.2\n"))


def test_cut_of_a_run():
    ids, names = ("d1", "d2"), ("a", "b")
    run = Run("svm", ids, names, scores=Scores(np.array([[0.5, 0.4], [-np.inf, 2.0]]), names, ids))
    assert run.cut(0.5).decisions.values.toarray().tolist() == [[True, False], [False, True]]
    assert run.cut(-np.inf).decisions.values.toarray().tolist() == [[True, True], [False, True]]
    assert run.cut(0.5).signature.cut == "0.5"
    assert len(repr(run)) < 100
