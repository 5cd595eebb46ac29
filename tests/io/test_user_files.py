"""The user's own files: every form gives the same corpus, and what is broken is named by file, line and remedy."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.corpora import load
from rubricate.errors import InvalidFile, InvalidInput, MissingExtra, UnknownName
from rubricate.io.assembly import CompactTexts
from rubricate.io.user_files import read_files, records

pytestmark = pytest.mark.slow

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": 'Wheat, "hard"\nred', "labels": ["wheat", "grain"], "split": "train", "title": "Wheat up"},
    {"id": "b", "text": "", "labels": [], "split": "Train", "title": ""},
    {"id": "c", "text": "naïve “quotes” 🌾", "labels": ["corn"], "split": "validation", "title": "Ü"},
    {"id": "d", "text": "gold", "labels": ["gold"], "split": "TEST", "title": "Gold"},
]


def write_csv(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows({**row, "labels": ";".join(row["labels"])} for row in rows)
    return path


def write_tsv(path: Path, rows: list[dict[str, Any]]) -> Path:
    return write_csv(path, rows, "\t")


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_gzip(path: Path, rows: list[dict[str, Any]]) -> Path:
    plain = write_jsonl(path.with_suffix(".plain"), rows)
    path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


def write_bom(path: Path, rows: list[dict[str, Any]]) -> Path:
    write_csv(path, rows)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path


def write_utf16(path: Path, rows: list[dict[str, Any]]) -> Path:
    write_csv(path, rows)
    path.write_bytes(path.read_bytes().decode().encode("utf-16"))
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import Table

    parquet.write_table(Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize(
    ("name", "write", "options"),
    [
        ("news.csv", write_csv, {}),
        ("news.tsv", write_tsv, {}),
        ("news.jsonl", write_jsonl, {}),
        ("news.ndjson", write_jsonl, {}),
        ("news.json", write_jsonl, {}),
        ("news.jsonl.gz", write_gzip, {}),
        ("NEWS.CSV", write_bom, {}),
        ("news.csv", write_utf16, {"encoding": "utf-16"}),
        ("news.data", write_csv, {"format": "csv"}),
        ("news.parquet", write_parquet, {}),
    ],
)
def test_every_form_gives_the_same_corpus(
    tmp_path: Path, name: str, write: Callable[..., Path], options: dict[str, Any]
) -> None:
    corpus = read_files(write(tmp_path / name, ROWS), title="title", **options)
    assert (corpus.train.ids, corpus.test.ids) == (["a", "b", "c"], ["d"])
    assert list(corpus.train.bodies) == [row["text"] for row in ROWS[:3]]
    assert corpus.train.titles == ["Wheat up", "", "Ü"]
    assert corpus.categories == ("corn", "gold", "grain", "wheat")
    assert corpus.train.labels.toarray().astype(int).tolist() == [[0, 0, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert corpus.test.labels.toarray().tolist() == [[False, True, False, False]]
    assert (corpus.name.lower(), corpus.split, corpus.synthetic) == ("news", "column", False)
    assert (corpus.train.labels.indices.dtype, corpus.train.labels.has_canonical_format) == (np.int32, True)


def test_load_reads_a_path(tmp_path: Path) -> None:
    assert load(write_csv(tmp_path / "news.csv", ROWS)).train.ids == ["a", "b", "c"]


texts = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=20)
names = st.text(
    st.characters(exclude_characters=";\0\r\n", exclude_categories=["Cs", "Zs", "Cc"]), min_size=1, max_size=5
)
row = st.fixed_dictionaries({"text": texts, "labels": st.lists(names.filter(str.strip), max_size=3, unique=True)})


@given(rows=st.lists(row, min_size=1, max_size=8))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    folder = tmp_path_factory.mktemp("files")
    expected = [(row["text"], tuple(dict.fromkeys(name.strip() for name in row["labels"]))) for row in rows]
    for path in (
        write_csv(folder / "n.csv", rows),
        write_tsv(folder / "n.tsv", rows),
        write_jsonl(folder / "n.jsonl", rows),
    ):
        assert [(record.text, record.labels) for record in records(path)] == expected
        assert [record.id for record in records(path)] == [str(i) for i in range(1, len(rows) + 1)]


@given(st.lists(st.text()))
def test_compact_texts_are_the_texts(values: list[str]) -> None:
    held = CompactTexts(values)
    assert (list(held), len(held), held[1:]) == (values, len(values), values[1:])
    assert held == values
    assert held != [*values, ""]


def test_columns_by_other_names_and_by_option(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_text("body,category,key\nx,a|b,7\n")
    (found,) = records(path, separator="|", id="key")
    assert (found.id, found.text, found.labels, found.line) == ("7", "x", ("a", "b"), 2)
    path.write_text("no,Story,Topic\n1,x,a\n")
    (found,) = records(path, text="Story", labels="Topic")
    assert (found.id, found.text, found.labels) == ("1", "x", ("a",))
    (found,) = records(path, text="Story", labels=None)
    assert found.labels == ()


def test_labels_as_numbers_and_null(tmp_path: Path) -> None:
    lines = ['{"text": null, "labels": null}', '{"text": "x", "labels": 3}', '{"text": "x", "labels": [1, "b", 1]}']
    (tmp_path / "n.jsonl").write_text("\n".join(lines) + "\n\n")
    assert [record.labels for record in records(tmp_path / "n.jsonl")] == [(), ("3",), ("1", "b")]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text('{"text": "a\\ud83cb", "labels": ["\\udc00"]}\n')
    (found,) = records(tmp_path / "n.jsonl")
    assert (found.text, found.labels) == ("a�b", ("�",))
    found.text.encode()


def test_splits_without_a_column(tmp_path: Path) -> None:
    rows = [{"text": f"t{i}", "labels": [f"c{i % 3}"]} for i in range(10)]
    path = write_csv(tmp_path / "n.csv", rows)
    plain = read_files(path)
    assert (len(plain.train), len(plain.test), plain.split) == (10, 0, "none")
    drawn = read_files(path, test=0.3)
    assert (len(drawn.train), len(drawn.test), drawn.split) == (7, 3, "random-0.3-seed-0")
    assert sorted([*drawn.train.ids, *drawn.test.ids], key=int) == list(plain.train.ids)
    assert drawn.test.ids == read_files(path, test=0.3).test.ids
    assert drawn.test.ids != read_files(path, test=0.3, seed=1).test.ids
    for number in drawn.test.ids:
        position = drawn.test.ids.index(number)
        assert drawn.test.bodies[position] == f"t{int(number) - 1}"
        assert drawn.categories[drawn.test.labels[[position]].indices[0]] == f"c{(int(number) - 1) % 3}"
    other = read_files(path, test=write_jsonl(tmp_path / "t.jsonl", [{"text": "u", "labels": ["new"]}]))
    assert (other.test.ids, other.split, other.categories) == (["test-1"], "files", ("c0", "c1", "c2", "new"))


def test_a_category_only_in_test_and_one_document(tmp_path: Path) -> None:
    rows = [{"text": "x", "labels": ["a"], "split": "train"}, {"text": "y", "labels": ["b"], "split": "test"}]
    corpus = read_files(write_jsonl(tmp_path / "n.jsonl", rows))
    assert corpus.categories == ("a", "b")
    assert corpus.train.labels.toarray().tolist() == [[True, False]]
    one = read_files(write_jsonl(tmp_path / "one.jsonl", [{"text": "x", "labels": []}]))
    assert (len(one.train), len(one.test), one.categories) == (1, 0, ())
    with pytest.raises(InvalidInput, match="one document"):
        read_files(tmp_path / "one.jsonl", test=0.5)


def test_a_cell_of_fifty_megabytes(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    big = "wheat, " * (50 * 2**20 // 7)
    path = tmp_path / "n.csv"
    path.write_text(f'text,labels\nsmall,a\n"{big}",b\n')
    lengths = [len(record.text) for record in records(path)]
    assert lengths == [5, len(big)]
    assert csv.field_size_limit() == before


def test_two_threads_do_not_share_the_limit_of_a_cell(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "n.csv"
    path.write_text("text,labels\n" + ('"' + "x\n" * 100_000 + '",a\n') * 20)
    failed: list[BaseException] = []

    def read() -> None:
        try:
            assert sum(len(record.text) for record in records(path)) == 20 * 200_000
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (failed, csv.field_size_limit()) == ([], before)


def test_streaming_needs_constant_memory_and_a_corpus_little_more_than_its_text(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    sentence = "“Prices” of wheat and corn rose again in March. " * 20
    with path.open("w", encoding="utf-8") as file:
        for i in range(10_000):
            entry = {"id": f"d{i}", "text": f"{i} {sentence}", "labels": [f"c{i % 50}", f"c{i % 7}"]}
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    tracemalloc.start()
    assert sum(1 for _ in records(path)) == 10_000
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.reset_peak()
    corpus = read_files(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(corpus.train) == 10_000
    assert peak < 1.5 * path.stat().st_size


BROKEN: list[tuple[str, str | bytes, int | None, str]] = [
    ("n.csv", "text,labels\na,b\nc\n", 3, "1 cells, the header has 2"),
    ("n.csv", 'text,labels\n"x\ny",a\nc,d,e\n', 4, "3 cells, the header has 2"),
    ("n.csv", "texts,labels\nx,a\n", 1, "did you mean 'texts'?"),
    ("n.csv", "text,Labels\nx,a\n", 1, "did you mean 'Labels'?"),
    ("n.tsv", "text;labels\nx;a\n", 1, "delimiter=';'"),
    ("n.csv", "text,text,labels\nx,y,a\n", 1, "two columns are named 'text'"),
    ("n.csv", 'text,labels\nx,a\n"y"z,b\n', 3, "not a CSV row"),
    ("n.csv", 'text,labels\nx,a\n"y,b\nz,c\n', 3, "not a CSV row"),
    ("n.csv", "text,labels\nx,a;;b\n", 2, "empty string"),
    ("n.csv", "text,labels\nx,a; \n", 2, "empty string"),
    ("n.csv", "id,text,labels\n,x,a\n", 2, "an id must be"),
    ("n.csv", "id,text,labels\n1,x,a\n2,x,a\n1,y,b\n", 4, "document 3 has the id '1' of document 1"),
    ("n.csv", "text,labels,split\nx,a,tset\n", 2, "the split is 'tset'"),
    ("n.csv", "text,labels\nx,\xe9\n".encode("latin-1"), 2, "encoding='cp1252'"),
    ("n.csv", "text,labels\nx,a\n".encode("utf-16"), 1, "encoding='utf-16'"),
    ("n.csv", b"\x89PNG\r\n\x1a\n\0\0", 1, "a picture, not text"),
    ("n.csv", b"PK\x03\x04\x14\0", 1, "a spreadsheet"),
    ("n.csv", b"text,labels\nx\0,a\n", 2, "NUL"),
    ("n.csv", "text,labels\rx,a\r", 1, "not with a carriage return alone"),
    ("n.csv", "", 1, "empty file"),
    ("n.csv", "text,labels\n", None, "no documents"),
    ("n.csv.gz", gzip.compress(b"text,labels\nx,a\n" * 9999)[:-20], None, "cut short"),
    ("n.jsonl", "", None, "no documents"),
    ("n.jsonl", '{"text": "x", "labels": []}\n' * 9999 + '{"text": "x", "lab\n', 10_000, "broken JSON"),
    ("n.jsonl", '{"text": "x", "labels": [""]}\n', 1, "empty string"),
    ("n.jsonl", '{"text": "x", "labels": [["a"]]}\n', 1, "a label must be"),
    ("n.jsonl", '{"text": "x", "labels": NaN}\n', 1, "a label must be"),
    ("n.jsonl", '{"text": 5, "labels": []}\n', 1, "expected text, got int"),
    ("n.jsonl", '{"text": "x", "labels": []}\n\n{"text": "y"}\n', 3, "no column 'labels'"),
    ("n.jsonl", '{"text": "x", "labels": []}\n{"id": 1, "text": "y", "labels": []}\n', 2, "differ from the first line"),
    ("n.jsonl", '{"id": null, "text": "x", "labels": []}\n', 1, "an id must be"),
    ("n.json", '[{"text": "x", "labels": []}]', 1, "not one list"),
    ("n.json", '[\n{"text": "x", "labels": []}\n]', 1, "not one list"),
    ("n.jsonl", "[" * 200_000 + "\n", 1, "broken JSON"),
    ("n.parquet", "no parquet", None, "not a Parquet file"),
    ("n.txt", "x", None, "format='csv'"),
]


@pytest.mark.parametrize(("name", "content", "line", "problem"), BROKEN)
def test_broken_files_name_file_line_and_remedy(
    tmp_path: Path, name: str, content: str | bytes, line: int | None, problem: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidFile) as caught:
        read_files(path)
    assert problem in str(caught.value)
    assert "Fix:" in str(caught.value)
    assert (caught.value.line, caught.value.path) == (line, path)


def test_options_that_cannot_be(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "n.csv", ROWS)
    with pytest.raises(InvalidFile, match="leave out test="):
        read_files(path, test=0.5)
    assert len(read_files(path, test=0.5, split=None).test) == 2
    assert len(load(path, test=0.5, split="").test) == 2
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        read_files(path, test=1.5, split=None)
    with pytest.raises(InvalidInput, match="separator"):
        read_files(path, separator="")
    for sign in ("ab", "\n", '"'):
        with pytest.raises(InvalidInput, match="one sign stands between cells"):
            read_files(path, delimiter=sign)
    for seed in (-1, 0.5, "x"):
        with pytest.raises(InvalidInput, match="a seed is a whole number"):
            read_files(path, test=0.5, split="", seed=seed)  # type: ignore[arg-type]
    for text in (3, None):
        with pytest.raises(InvalidInput, match="a column is named by a string"):
            read_files(path, text=text)  # type: ignore[arg-type]
    with pytest.raises(InvalidFile, match="no column ''"):
        read_files(path, text="")
    with pytest.raises(InvalidFile, match="not a folder"):
        read_files(path, format="folder")
    with pytest.raises(UnknownName, match="Did you mean 'jsonl'"):
        read_files(path, format="json")  # type: ignore[arg-type]
    with pytest.raises(InvalidFile, match="no column 'key' among id, text"):
        read_files(path, id="key")
    with pytest.raises(InvalidFile, match="no such file"):
        read_files(tmp_path / "absent.csv")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_files(tmp_path / "absent.csv", format="csv")


def test_parquet_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(tmp_path / "n.parquet", ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match=r"rubricate\[frames\]"):
        read_files(path)


def test_taxonomies(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "n.csv", [{"text": "x", "labels": ["a/b", "c"]}])
    assert read_files(path, taxonomy="paths").taxonomy == (("(root)", "a"), ("(root)", "c"), ("a", "a/b"))
    tree = tmp_path / "tree.tsv"
    tree.write_text("top\tc\ntop\ta/b\n")
    assert read_files(path, taxonomy=tree).taxonomy == (("top", "c"), ("top", "a/b"))
    tree.write_text("a\tb\nb\ta\n")
    with pytest.raises(InvalidFile, match=r"tree\.tsv, line 2: .*a → b → a"):
        read_files(path, taxonomy=tree)
    tree.write_text("x\ty\n")
    with pytest.raises(InvalidFile, match="none of the 2 categories"):
        read_files(path, taxonomy=tree)


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_the_delimiter_of_a_spreadsheet_is_seen_in_its_header(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "n.csv"
    path.write_text(f'text{sign}labels\n"corn, and wheat"{sign}"corn;wheat"\ngold{sign}gold\n', encoding="utf-8")
    corpus = read_files(path)
    assert list(corpus.train.bodies) == ["corn, and wheat", "gold"]
    assert corpus.categories == ("corn", "gold", "wheat")


def test_records_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text('{"text": "x", "labels": []}\nbroken\n')
    assert [record.text for record in islice(records(path), 1)] == ["x"]


def test_reading_text_does_not_import_pyarrow(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "n.csv", ROWS)
    program = "import sys, rubricate; rubricate.load(sys.argv[1]); print('pyarrow' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
