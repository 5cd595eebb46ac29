"""Batches by column: the same documents and the same errors as one record at a time."""

from __future__ import annotations

import gzip
import json

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from rubricate.errors import InvalidFile
from rubricate.io.batches import as_documents, grouped
from rubricate.io.reader import InputFile
from rubricate.io.reading import Reading
from rubricate.io.user_files import batches, stream

UNLABELLED = Reading(labels=None, split=None)
TEXTS = st.text(max_size=8) | st.none()
CELLS = TEXTS | st.integers() | st.sampled_from(["\ud800", True, 1.5])


def columns(documents):
    return list(documents.ids), list(documents.bodies), documents.titles and list(documents.titles)


def together(parts):
    ids, bodies, titles = [], [], []
    for part in parts:
        ids += part.ids
        bodies += part.bodies
        titles += part.titles or [""] * len(part)
    return ids, bodies, titles if any(titles) else None


def both(path, reading=UNLABELLED, **sizes):
    """By column, and one at a time."""
    results = []
    for read in (
        lambda: together(batches(InputFile(path, reading), **sizes)),
        lambda: columns(as_documents(list(stream(InputFile(path, reading))))),
    ):
        try:
            results.append(read())
        except InvalidFile as error:
            results.append(str(error))
    return results


@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"id": CELLS, "text": CELLS, "body": CELLS, "more": CELLS}), max_size=6
    ),
    st.integers(1, 4),
)
def test_json_lines_by_column(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    a, b = both(path, batch=size)
    assert a == b
    a, b = both(path, Reading(labels=None, split=None, title="more"), batch=size, characters=5)
    assert a == b


def test_an_earlier_wrong_line_is_named_first(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a"}\n{"text": 5}\n{broken\n')
    a, b = both(path)
    assert a == b
    assert "line 2" in a


@given(st.lists(st.tuples(st.text(max_size=8), TEXTS, TEXTS), max_size=6), st.integers(1, 4))
def test_parquet_by_column(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    text = pyarrow.string()
    schema = pyarrow.schema([("id", text), ("text", text), ("head", text)])
    cells = {name: [row[i] for row in rows] for i, name in enumerate(schema.names)}
    parquet.write_table(pyarrow.table(cells, schema=schema), path)
    for reading in (UNLABELLED, Reading(labels=None, split=None, title="head"), Reading(labels=None, id=None)):
        a, b = both(path, reading, batch=size, characters=6)
        assert a == b


def test_batches_end_at_documents_or_characters(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": "x" * n}) + "\n" for n in (1, 1, 1, 9, 1, 1)))
    file = InputFile(path, UNLABELLED)
    assert [len(part) for part in batches(file, batch=2)] == [2, 2, 2]
    assert [len(part) for part in batches(file, batch=100, characters=5)] == [4, 2]
    assert [len(part) for part in grouped(stream(file), batch=100, characters=5)] == [4, 2]
    parquet.write_table(pyarrow.table({"text": ["x" * n for n in (1, 1, 1, 9, 1, 1)]}), tmp_path / "rows.parquet")
    parts = list(batches(InputFile(tmp_path / "rows.parquet", UNLABELLED), batch=100, characters=5))
    assert max(sum(map(len, part.bodies)) for part in parts) == 9
    assert [name for part in parts for name in part.ids] == ["1", "2", "3", "4", "5", "6"]


def test_a_damaged_parquet_file(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(InvalidFile, match="not a Parquet file"):
        next(batches(InputFile(tmp_path / "rows.parquet", UNLABELLED)))
