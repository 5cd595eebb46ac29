"""Files of the Extreme Classification Repository come back as they were; broken ones are refused with their line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.errors import InvalidFile
from rubricate.io.libsvm import read_xmc, write_xmc


@given(documents=st.integers(0, 6), columns=st.integers(1, 9), categories=st.integers(1, 7), seed=st.integers(0, 99))
def test_there_and_back(documents, columns, categories, seed, tmp_path_factory):
    draw = np.random.default_rng(seed)
    X = sparse.csr_array(draw.normal(size=(documents, columns)) * (draw.random((documents, columns)) < 0.4))
    Y = sparse.csr_array(draw.random((documents, categories)) < 0.3)
    path = tmp_path_factory.mktemp("xmc") / "data.txt"
    write_xmc(path, X, Y)
    A, B = read_xmc(path)
    assert (A.shape, B.shape) == (X.shape, Y.shape)
    assert np.array_equal(A.toarray(), X.toarray())
    assert np.array_equal(B.toarray(), Y.toarray())


@pytest.mark.parametrize(
    "text, line, problem",
    [
        ("", 1, "first line"), ("1 2\n", 1, "first line"), ("1 2 99999999999\n", 1, "first line"),
        ("1 3 2\n2 0:1\n", 2, "label 2 of 2"), ("1 3 2\n0 3:1\n", 2, "column 3 is above 2"),
        ("2 3 2\n0 0:1\n-1 1:1\n", 3, "label -1"), ("1 3 2\n0 0:x\n", 2, "no number after the colon"),
        ("1 3 2\n0 0:nan\n", 2, "not finite"), ("2 3 2\n0 0:1\n", None, "1 documents"),
        ("1 3 2\n0 0:1\n1 1:1\n", 3, "more than the 1"), ("1 3 2\n99999999999 0:1\n", 2, "label 99999999999 of 2"),
        ("1 3 2\nx 0:1\n", 2, "label x of 2"),
    ],
)  # fmt: skip
def test_broken_files(text, line, problem, tmp_path):
    path = tmp_path / "data.txt"
    path.write_text(text)
    with pytest.raises(InvalidFile, match=problem) as caught:
        read_xmc(path)
    assert line is None or f"line {line}" in str(caught.value)


def test_documents_without_labels_or_columns(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("3 2 2\n 0:1.5\n1\n0,1 1:2 1:3\n")
    X, Y = read_xmc(path)
    assert X.toarray().tolist() == [[1.5, 0], [0, 0], [0, 5]]
    assert Y.toarray().tolist() == [[False, False], [False, True], [True, True]]
