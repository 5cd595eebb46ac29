"""One opener: documents and predictions read the same file in the same way."""

from __future__ import annotations

import csv
import gzip
import os
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.test_formats_read import workbook
from typer.testing import CliRunner

from rubricate.cli import build
from rubricate.errors import InvalidFile
from rubricate.io import records
from rubricate.io.libsvm import read_xmc
from rubricate.io.predictions import read_pairs, read_truth
from rubricate.io.tables import delimited_table, open_file, tables

PLAIN = 'id,text,labels\na,"corn, wheat",grain;trade\nb,oil,fuel\n'
LABELS = {"a": {"grain", "trade"}, "b": {"fuel"}}


def both(path: Path, **options: str) -> list[dict[str, set[str]] | tuple[str, int | None]]:
    """Return the labels of each document as the two readers see them, or their errors without the remedies."""
    results: list[dict[str, set[str]] | tuple[str, int | None]] = []
    for read in (_documents, _predictions):
        try:
            results.append(read(path, **options))
        except InvalidFile as error:
            results.append((error.problem if error.remedy else "no remedy", error.line))
    return results


def _documents(path: Path, **options: str) -> dict[str, set[str]]:
    form = None if path.suffix in (".csv", ".jsonl", ".xlsx", ".svm") else "csv"
    return {record.id: set(record.labels) for record in records(path, format=form, **options)}


def _predictions(path: Path, **options: str) -> dict[str, set[str]]:
    truth = read_truth(path, **options)
    return {
        name: {truth.categories[column] for column in truth.values[[row]].indices}
        for row, name in enumerate(truth.documents)
    }


def saved(folder: Path, content: str | bytes, name: str = "n.csv") -> Path:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        "\n\n" + PLAIN,
        "\ufeff" + PLAIN,
        'id;text;labels\na;corn, wheat;"grain;trade"\nb;oil;fuel\n',
        'id;"text, or body";text;labels\na;x;corn, wheat, oats;"grain;trade"\nb;y;oil;fuel\n',
        'id|"text; or, body"|text|labels\na|x|corn, wheat|grain;trade\nb|y|oil|fuel\n',
        'id;text, body, or content;text;labels\na;x;y;"grain;trade"\nb;z, z;oil;fuel\n',
        'id\ttext\tlabels\na\t"two\nlines"\tgrain;trade\nb\toil, gas\tfuel\n',
        'id,text,labels\na,"' + "x" * 200_000 + '",grain;trade\nb,oil,fuel\n',
        'id,text,labels\na,"' + "x\n" * 100_000 + '",grain;trade\nb,oil,fuel\n',
    ],
)
def test_the_same_file_says_the_same_to_documents_and_predictions(content, tmp_path):
    path = saved(tmp_path, content)
    before = csv.field_size_limit()
    assert both(path) == [LABELS, LABELS]
    assert csv.field_size_limit() == before
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert both(path) == [LABELS, LABELS], "packed, whatever the name says"
    assert both(saved(tmp_path, content, "n.csv.gz")) == [LABELS, LABELS], "not packed, whatever the name says"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"])
def test_every_encoding(encoding, tmp_path):
    path = saved(tmp_path, "id,text,labels\né,naïve,ü\n".encode(encoding))
    assert both(path, encoding=encoding) == [{"é": {"ü"}}, {"é": {"ü"}}]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("id,text,labels\na,x\n", 2, "the row has 2 cells, the header has 3"),
        ('id,text,labels\na,x,"y\n', 2, "not a CSV row"),
        ("id,text,labels\ra,x,y\r", 1, "not a CSV row (new-line character"),
        ("id,text,labels\na,x\0,y\n", 2, "a NUL byte: not a text file"),
        (b"\x89PNG\r\n\x1a\n\0\0", 1, "this is a picture, not text"),
        ("id,text,labels\na,x,y\n".encode("utf-16"), 1, "UTF-16 text"),
        ("id,text,labels\na,\u20ac,y\n".encode("cp1252"), 2, "byte 0x80 is not utf-8"),
        (gzip.compress(PLAIN.encode() * 999)[:-20], None, "a gzip file that is damaged or cut short"),
    ],
)
def test_the_same_error_from_documents_and_predictions(content, line, problem, tmp_path):
    path = saved(tmp_path, content)
    first, second = both(path)
    assert first == second
    assert problem in first[0]
    assert first[1] == line


@pytest.mark.parametrize(
    ("content", "problem"),
    [("{broken\n", "broken JSON"), ("[1]\n", "expected an object, got list"), ("3\n", "expected an object, got int")],
)
def test_the_same_error_in_json_lines(content, problem, tmp_path):
    path = saved(tmp_path, '{"id": "a", "text": "", "labels": []}\n\n' + content, "n.jsonl")
    first, second = both(path)
    assert first == second
    assert (problem in first[0], first[1]) == (True, 3)


def test_an_encoding_is_proposed_that_has_the_signs_of_windows(tmp_path):
    path = saved(tmp_path, "id,text,labels\na,“x” – 5 €,y\n".encode("cp1252"))
    for read in (_documents, _predictions):
        with pytest.raises(InvalidFile, match=r"line 2.*Fix: save it as UTF-8, or .*encoding='cp1252'"):
            read(path)
    assert [record.text for record in records(path, encoding="cp1252")] == ["“x” – 5 €"]
    path.write_bytes(b"id,text,labels\na,\x81,y\n")
    with pytest.raises(InvalidFile, match=r"byte 0x81 is not cp1252.*encoding='latin-1'"):
        _documents(path, encoding="cp1252")


def test_evaluate_reads_workbooks_and_other_encodings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    workbook(tmp_path / "truth.xlsx")
    saved(tmp_path, "id,labels\n17,\n2.5,grain;oil\n".encode("utf-16"), "run.csv")
    done = CliRunner().invoke(build(), ["evaluate", "truth.xlsx", "run.csv", "--encoding", "utf-16", "--json"])
    assert done.exit_code == 0, done.output
    assert both(tmp_path / "truth.xlsx") == [{"17": set(), "2.5": {"grain", "oil"}}] * 2
    refused = CliRunner().invoke(build(), ["evaluate", "truth.xlsx", "run.csv"])
    assert "encoding='utf-16'" in str(refused.exception)


def test_a_file_is_opened_once(tmp_path, monkeypatch):
    paths = (saved(tmp_path, PLAIN), saved(tmp_path, '{"id": "a", "labels": []}\n', "n.jsonl"))
    opened = []
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest, **more: opened.append(self) or real(self, *rest, **more))
    for path in paths:
        read_pairs(path)
    assert [path.name for path in opened] == ["n.csv", "n.jsonl"]


def test_a_packed_parquet_file_is_refused_with_what_to_do(tmp_path):
    for magic in (b"PAR1", b"PK\x03\x04"):
        with pytest.raises(InvalidFile, match="unpack it"):
            read_pairs(saved(tmp_path, gzip.compress(magic + b" and more"), "n.gz"))


NAMES = st.text("abc ,;|\t\"'", min_size=1, max_size=4).map(lambda name: f"x{name}x")


@given(
    names=st.lists(NAMES, min_size=2, max_size=4, unique=True),
    sign=st.sampled_from(",;\t|"),
    cells=st.lists(st.text('ab,;|\t\n"', max_size=5), min_size=30, max_size=30),
)
def test_what_a_csv_writer_wrote_is_read_back(names, sign, cells, tmp_path_factory):
    """With every cell quoted, no sign inside one is taken for a delimiter."""
    path = tmp_path_factory.mktemp("tables") / "n.csv"
    rows = [list(islice(cells, start, start + len(names))) for start in range(0, 28, len(names))]
    rows = [row for row in rows if len(row) == len(names)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=sign, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([names, *rows])
    with open_file(path) as content:
        (table,) = tables(content)
        assert (table.names, table.delimiter) == ([name.strip() for name in names], sign)
        assert [list(row) for _, row in table.rows] == rows


def test_lines_are_those_of_the_file():
    lines = ["\n", "a,b\n", '"x\n', 'y",1\n', "\n", "z,2\n"]
    table = delimited_table(iter(lines), Path(os.devnull))
    assert (table.line, [line for line, _ in table.rows]) == (2, [3, 6])


SPARSE = "a,b 0:1 2:0.5 # a comment\n\n 1:2\n\nc\t0:1\n"


def test_vectors_are_numbered_alike_by_documents_and_predictions(tmp_path):
    """Without a first line of numbers, empty lines are no documents; a tab separates as a blank does."""
    path = saved(tmp_path, SPARSE, "n.svm")
    assert both(path) == [{"1": {"a", "b"}, "2": set(), "3": {"c"}}] * 2


def test_one_parser_for_the_three_readers_of_vectors(tmp_path):
    path = saved(tmp_path, "4 3 9\n7,8 0:1 2:0.5 # a comment\n\n 1:2\n3\t0:1\n\n", "n.svm")
    X, Y = read_xmc(path)
    assert X.toarray().tolist() == [[1, 0, 0.5], [0, 0, 0], [0, 2, 0], [1, 0, 0]]
    own = {str(row + 1): set(map(str, Y[[row]].indices.tolist())) for row in range(4)}
    assert both(path) == [own, own]
    assert own == {"1": {"7", "8"}, "2": set(), "3": set(), "4": {"3"}}
    for content, problem in (("2 3 9\n7 0:1\n", "1 documents, the first line"), ("1 3 9\n7 0:1\n8 0:1\n", "more than")):
        first, second = both(saved(tmp_path, content, "n.svm"))
        assert first == second
        assert problem in first[0]
        with pytest.raises(InvalidFile, match=problem):
            read_xmc(path)
    with pytest.raises(InvalidFile, match="a file of scores"):
        _documents(saved(tmp_path, "1 9\n7:0.5\n", "n.svm"))
    with pytest.raises(InvalidFile, match=r"more than 2,147,483,647"):
        _documents(saved(tmp_path, "1 99999999999 9\n7 4294967296:1\n", "n.svm"))
