"""LIBSVM files: vectors as documents, from the file to a model and back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from typer.testing import CliRunner

import rubricate as rb
from rubricate.cli import build
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.io import Record, records
from rubricate.io.libsvm import read_xmc, write_xmc
from rubricate.io.writing import write_documents
from rubricate.matrices import SparseRow, stacked

VALUES = st.floats(-1e6, 1e6).filter(lambda value: value != 0)
LABEL = st.text("abc0189._-+", min_size=1, max_size=5)


def points(n: int = 60) -> tuple[sparse.csr_array, list[str]]:
    rng = np.random.default_rng(0)
    classes = np.arange(n) % 3
    return sparse.csr_array(np.eye(6)[classes] + rng.random((n, 6)) * 0.2), [f"class-{c}" for c in classes]


@given(
    rows=st.lists(
        st.tuples(
            st.lists(LABEL, max_size=3, unique=True).map(tuple),
            st.dictionaries(st.integers(0, 10**9), VALUES, max_size=5),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_vectors_come_back_as_they_were(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "points.libsvm"
    rows = [(labels, pairs) for labels, pairs in rows if labels or pairs]
    written = [
        Record(
            str(i), "", labels, fields={"vectors": SparseRow.of(np.array([*pairs], int), np.array([*pairs.values()]))}
        )
        for i, (labels, pairs) in enumerate(rows, 1)
    ]
    write_documents(written, path)
    back = list(records(path))
    assert [record.labels for record in back] == [labels for labels, _ in rows]
    found = [record.fields["vectors"] for record in back]
    assert [dict(zip(r.columns.tolist(), r.values.tolist(), strict=True)) for r in found] == [p for _, p in rows]


def test_the_same_matrix_as_scikit_learn_reads(tmp_path):
    X, labels = points()
    path = tmp_path / "points.svm"
    dump_svmlight_file(sparse.csr_matrix(X), [int(label[-1]) for label in labels], str(path), comment="three\nclasses")
    expected, y = load_svmlight_file(str(path), zero_based=True)
    train = rb.load(path).train
    assert abs(stacked(train.fields["vectors"]) - sparse.csr_array(expected)).max() == 0
    assert [train.categories[c] for c in train.labels.indices] == [str(int(each)) for each in y]


def test_a_file_of_the_repository_is_a_corpus(tmp_path):
    X, labels = points()
    Y = sparse.csr_array(np.eye(3, dtype=bool)[[int(label[-1]) for label in labels]])
    path = tmp_path / "points.xmc"
    write_xmc(path, X, Y)
    train = rb.load(path).train
    matrix, numbers = read_xmc(path)
    assert abs(stacked(train.fields["vectors"]) - matrix).max() == 0
    assert [int(train.categories[c]) for c in train.labels.indices] == numbers.indices.tolist()


@pytest.mark.slow
def test_train_estimate_and_classify_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, labels = points()
    lines = [
        f"{label} " + " ".join(f"{c}:{v}" for c, v in zip(row.indices, row.data, strict=True))
        for label, row in zip(labels, (X[[i]] for i in range(X.shape[0])), strict=True)
    ]
    (tmp_path / "points.libsvm").write_text("\n".join(lines))
    (tmp_path / "new.libsvm").write_text("0:1 77:3\n1:1\n\n 2:1 5:0.1\n")  # column 77 is new
    app, run = build(), CliRunner().invoke
    assert run(app, ["train", "points.libsvm", "-o", "m.rubric"]).exit_code == 0
    answers = run(app, ["classify", "m.rubric", "new.libsvm", "--json"])
    assert [json.loads(line)["labels"] for line in answers.stdout.splitlines()] == [
        ["class-0"],
        ["class-1"],
        ["class-2"],
    ]
    assert "class-1" in run(app, ["estimate", "points.libsvm"]).stdout
    piped = run(app, ["train", "-", "-o", "m2.rubric", "--format", "libsvm"], input="\n".join(lines))
    assert piped.exit_code == 0, piped.output
    kept = run(app, ["train", "points.libsvm", "-o", "m3.rubric", "--keep"])
    assert kept.exit_code != 0
    assert "keeps texts, not vectors" in str(kept.exception)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1:x", "no number after the colon"),
        ("a x:1", "not 'column:value'"),
        ("a -1:1", "not 'column:value'"),
        ("a 1", "not 'column:value'"),
        ("a qid:1 1:2", "not 'column:value'"),
        ("a 1:inf", "not finite"),
        ("a 99999999999:1", "not 'column:value'"),
        ("a 4294967295:1", "column 4294967295 is above"),
        ("2 3 1\n0 3:1\n0 1:1", "column 3 is above 2"),
        ("3 3 1\n0 1:1\n", "1 documents, the first line says 3"),
    ],
)
def test_hostile_files(content, message, tmp_path):
    path = tmp_path / "points.libsvm"
    path.write_text(content)
    with pytest.raises(InvalidFile, match=message):
        rb.load(path)


def test_texts_are_refused_when_written(tmp_path):
    with pytest.raises(InvalidInput, match="cannot hold"):
        write_documents([Record("1", "a text", ("a",))], tmp_path / "points.libsvm")
    row = {"vectors": SparseRow.of(np.array([1]), np.array([2.0]))}
    with pytest.raises(InvalidInput, match="cannot write"):
        write_documents([Record("1", "", ("a b",), fields=row)], tmp_path / "points.libsvm")
    assert list(tmp_path.iterdir()) == []
