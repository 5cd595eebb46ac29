"""Fitted estimators are tried before a model counts as opened: sizes, axes, shapes of scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io.container import read_container
from rubricate.io.libsvm import read_xmc
from rubricate.io.reader import Record
from rubricate.io.writing import document_records, write_documents
from rubricate.training.model_values import check_parts, try_out

X = sparse.csr_array(np.eye(4))
LABELS = sparse.csr_array(np.eye(4, dtype=bool))


class Fitted:
    """What an estimator from elsewhere may look like after fitting."""

    n_features_in_ = 3
    classes_ = ("a", "b", "c")

    def __init__(self, scores):
        self.scores = scores

    def decision_function(self, X):
        return self.scores


@pytest.mark.parametrize("shape", [(2, 3), (2, 1)])
def test_scores_of_the_right_shape_pass(shape):
    try_out(Fitted(np.zeros(shape)))


@pytest.mark.parametrize("shape", [(2,), (2, 2), (3, 3), (2, 3, 1)])
def test_scores_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match="scores of shape"):
        try_out(Fitted(np.zeros(shape)))


def test_what_only_transforms_is_tried_too():
    scaler = StandardScaler(with_mean=False).fit(np.eye(3))
    try_out(scaler)
    scaler.scale_ = np.ones(2)
    with pytest.raises(AssertionError):  # scikit-learn's own; whoever opens a file makes it InvalidFile
        try_out(scaler)


def test_arrays_of_unequal_sizes_are_refused():
    nb = rb.NB().fit(X, LABELS)
    check_parts(nb)
    nb.coef_ = np.zeros((4, 7))
    with pytest.raises(ValueError, match=r"other parts have|axes|columns"):
        check_parts(nb)
    nb.coef_ = np.zeros(4)
    with pytest.raises(ValueError, match="has 1 axes, not 2"):
        check_parts(nb)


def test_a_format_that_is_only_read_is_not_written(tmp_path):
    with pytest.raises(InvalidInput, match="is only read; give one of"):
        write_documents([Record("1", "text", ("a",))], tmp_path / "x", format="xlsx")


def test_records_of_a_corpus_of_documents_and_of_records_are_the_same():
    corpus = rb.load("newswire", documents=500)
    plain = [*document_records(corpus.train)]
    split = [*document_records(corpus)]
    assert [record.id for record in split[: len(plain)]] == [record.id for record in plain]
    assert {record.split for record in plain} == {None}
    assert [record.split for record in split] == ["train"] * len(corpus.train) + ["test"] * len(corpus.test)
    assert [*document_records(iter(plain))] == plain


@pytest.mark.parametrize("head", ["1 2", "1 2 x", "99999999999 1 1", "-1 2 3", ""])
def test_the_first_line_of_an_xmc_file_holds_three_numbers(tmp_path, head):
    path = tmp_path / "x.txt"
    path.write_text(f"{head}\n0 1:1\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match="first line"):
        read_xmc(path)


def test_blank_lines_at_the_end_and_documents_without_labels(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("2 3 2\n0:1.5 2:2\n1 1:1\n\n\n", encoding="utf-8")
    vectors, labels = read_xmc(path)
    assert vectors.toarray().tolist() == [[1.5, 0, 2], [0, 1, 0]]
    assert labels.toarray().tolist() == [[False, False], [False, True]]


def test_a_disk_that_does_not_answer_is_not_damage(tmp_path, monkeypatch):
    import errno
    import zipfile

    saved = rb.save(rb.NB().fit(X, LABELS), tmp_path / "nb.rubric")

    def fail(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(zipfile.ZipFile, "open", fail)
    with pytest.raises(rb.errors.UnreadableFile, match="cannot be read now"):
        read_container(saved)
