"""Frames of pandas and polars, Arrow tables and mappings as corpora."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput, UnknownName

COLUMNS = {
    "id": ["a", "b", "c", "d"],
    "text": ["wheat and corn", "crude oil", "gas", "corn exports"],
    "labels": ["grain", "fuel", "fuel", "grain;trade"],
}


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["mapping", "pandas", "polars", "arrow"]
)
def test_every_kind_of_frame_is_the_same_corpus(make, tmp_path):
    corpus = rb.load(make(COLUMNS))
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "same.csv", index=False)
    file = rb.load(tmp_path / "same.csv")
    assert corpus.categories == file.categories == ("fuel", "grain", "trade")
    assert list(corpus.train.ids) == list(file.train.ids)
    assert list(corpus.train.texts) == list(file.train.texts)
    assert (corpus.train.labels != file.train.labels).nnz == 0
    assert rb.load(make(COLUMNS), test=make(COLUMNS | {"id": list("wxyz")})).test.ids[0] == "w"


def test_missing_values_lists_and_other_names():
    frame = pd.DataFrame({"body": ["wheat", None, "oil"], "topics": [["grain"], np.array(["x", "y"]), float("nan")]})
    corpus = rb.load(frame)
    assert list(corpus.train.texts) == ["wheat", "", "oil"]
    assert corpus.train.labels.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert rb.load(frame, labels=None).categories == ()


def test_splits_and_shares():
    split = rb.load(COLUMNS | {"split": ["train", "train", "test", "test"]})
    assert (len(split.train), len(split.test), split.split) == (2, 2, "column")
    share = rb.load(COLUMNS, test=0.25, seed=3)
    assert (len(share.train), len(share.test)) == (3, 1)


@pytest.mark.parametrize(
    ("frame", "options", "error"),
    [
        ({"words": ["a"], "labels": ["b"]}, {}, InvalidFile),
        ({"text": ["a", "b"], "labels": ["b"]}, {}, InvalidFile),
        ({"text": [3], "labels": ["b"]}, {}, InvalidFile),
        (COLUMNS | {"id": ["a", "a", "b", "c"]}, {}, InvalidFile),
        (COLUMNS, {"tests": 0.2}, UnknownName),
        (COLUMNS, {"test": "file.csv"}, InvalidInput),
        (COLUMNS | {"split": ["train"] * 4}, {"test": 0.2}, InvalidFile),
        (7, {}, InvalidInput),
    ],
)
def test_what_cannot_be_read_says_why(frame, options, error):
    with pytest.raises(error):
        rb.load(frame, **options)
