"""Formats that are only read: spaCy's DocBin, workbooks, Arrow datasets, databases; and hostile files in each."""

from __future__ import annotations

import base64
import contextlib
import json
import sqlite3
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput
from rubricate.readers import records
from rubricate.readers.message_pack import unpack
from rubricate.readers.spacy_strings import string_number

DOCBIN = (
    "eJzrWl6WWlScmZ+32EDPcGliSUlR8VxHZ08vbx9fP/+As4xHzjIePct4bFlJfnZqXvFR1g3tjAxgUGe/MTV/YvdVBjIBIwH5q+531Ht0N8rDaH"
    "LtIQTqoQ55oyR1yPVr21Ja2TONW2ddwGTuBTCaVvZUqzTXXr/+82trfaWee/v5L7SyZ6eYVHfv2z/KMJpW9jx49ZchVFTrIYymlT3nxHkn1Ep7"
    "s8JoWtlDr3DruVVpu6zkQiWMppU9gj/cDn22yiyD0bSyx8s19WTBlEJBGE0rexYdWuPz5mb9ehhNK3vEp64SemF4n3Oui9jjSF2TAnLNIVSOLi"
    "suSExOLT7Cx8gIVMsIRkCwPCc1L70ko/gIDy+SIcuLS4oy89KL7zAILViosFBnod5CqyUujiGuy90Si3KBFcVi/yD3xYl5KUtSEktSl6dBBJfl"
    "JR5eX5a6JD8vtXhxflH6kuLUnJyl5RmpiSWLD0/LWXx4W86S5MSS4slNS9OLEjPzTtt/gFi3OD8z5zTMoY1gnv2zNDBoWJqWk5hePLlxU0ZicX"
    "xpXnZefnlePMQvh4gXXA2k8+LTi/JLC4onH2GcAEErS4tTi+KBXkgEijVAEAC51PG5"
)
"""Made by spaCy 3.8.18: blank English, three texts with `doc.cats`, DocBin(docs=docs, store_user_data=True)."""


def read(path, **options):
    return [(r.id, r.text, r.labels) for r in records(path, **options)]


def test_docbin_of_spacy(tmp_path):
    path = tmp_path / "docs.spacy"
    path.write_bytes(base64.b64decode(DOCBIN))
    text = "DATE and ORG: Farmers, naïve ones, sell  wheat."
    assert read(path) == [("1", text, ("grain",)), ("2", "Öl", ("oil",)), ("3", "", ())]
    assert read(path, labels=None)[0] == ("1", text, ())


@pytest.mark.parametrize(
    "text, number",
    [("coffee", 3197928453018144401), ("DATE", 391), ("agent", 401), ("", 0), ("_", 456)],
)
def test_strings_have_spacys_numbers(text, number):
    """spaCy 3.8.18: StringStore().add(text)."""
    assert string_number(text) == number


@given(st.binary(max_size=60))
def test_message_pack_never_breaks(data):
    with contextlib.suppress(ValueError):
        unpack(data)


@pytest.mark.parametrize("content", [b"", b"x", b"\xdd\xff\xff\xff\xff", b"\x91" * 200, b"\x81\xc0\x01", b"\x80"])
def test_hostile_docbins(content, tmp_path):
    path = tmp_path / "docs.spacy"
    for raw in (content, zlib.compress(content)):
        path.write_bytes(raw)
        with pytest.raises(InvalidFile, match="not a DocBin"):
            read(path)


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>labels</t></is></c>'
    '<c r="C1" t="str"><v>id</v></c>'
    '</row><row r="2"/><row r="3"><c r="A3" t="s"><v>1</v></c><c r="C3"><v>17</v></c></row>'
    '<row r="4"><c r="A4" t="str"><f>A3</f><v>a_x000D_b</v></c>'
    '<c r="B4" t="s"><v>2</v></c><c r="C4"><v>2.5</v></c></row>'
    "</sheetData></worksheet>"
)
STRINGS = (
    '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>text</t></si>'
    '<si><r><t>good </t></r><r><t>harvest</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si>'
    "<si><t>grain;oil</t></si></sst>"
)
WORKBOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
RELATIONS = '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'


def workbook(path, **parts):
    content = {
        "xl/workbook.xml": WORKBOOK,
        "xl/_rels/workbook.xml.rels": RELATIONS,
        "xl/worksheets/sheet1.xml": SHEET,
        "xl/sharedStrings.xml": STRINGS,
    } | {f"xl/{name}.xml": text for name, text in parts.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def test_a_workbook(tmp_path):
    path = workbook(tmp_path / "book.xlsx")
    assert read(path) == [("17", "good harvest", ()), ("2.5", "a\rb", ("grain", "oil"))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts, message",
    [
        ({"sharedStrings": '<!DOCTYPE a [<!ENTITY b "c">]><sst>&b;</sst>'}, "document type"),
        ({"sharedStrings": "<sst>"}, "not a workbook"),
        ({"sharedStrings": "<sst/>"}, "not a workbook"),
        ({"workbook": "<workbook/>"}, "not a workbook"),
        ({"worksheets/sheet1": SHEET.replace('r="C4"', 'r="ZZZ4"')}, "beyond a sheet"),
        ({"worksheets/sheet1": "<worksheet/>"}, "empty sheet"),
        ({"sharedStrings": "<sst>" + " " * (65 << 20) + "</sst>"}, "times its size"),
    ],
)
def test_hostile_workbooks(parts, message, tmp_path):
    path = workbook(tmp_path / "book.xlsx", **parts)
    with pytest.raises(InvalidFile, match=message):
        read(path)


def test_not_a_workbook(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InvalidFile, match="save it again"):
        read(path)


def dataset(folder, rows, features):
    pyarrow = pytest.importorskip("pyarrow")
    folder.mkdir(parents=True)
    table = pyarrow.Table.from_pylist(rows)
    file = str(folder / "data-00000-of-00001.arrow")
    with pyarrow.OSFile(file, "wb") as sink, pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))


CLASSES = {"names": ["neg", "pos"], "_type": "ClassLabel"}


def test_a_folder_of_datasets(tmp_path):
    """Laid out as `datasets` 4 writes a DatasetDict by save_to_disk."""
    for split, rows in (("train", [("a", 0), ("b", -1)]), ("test", [("c", 1)])):
        dataset(tmp_path / "set" / split, [{"text": text, "label": label} for text, label in rows], {"label": CLASSES})
    (tmp_path / "set" / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    corpus = rb.load(tmp_path / "set")
    assert (list(corpus.train.bodies), list(corpus.test.bodies), corpus.categories) == (
        ["a", "b"],
        ["c"],
        ("neg", "pos"),
    )
    assert corpus.train.labels.toarray().tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("feature", [{"feature": CLASSES, "_type": "List"}, [CLASSES]])
def test_a_dataset_with_lists_of_classes(feature, tmp_path):
    dataset(tmp_path / "set", [{"text": "a", "labels": [1, 0]}, {"text": "b", "labels": []}], {"labels": feature})
    assert read(tmp_path / "set") == [("1", "a", ("pos", "neg")), ("2", "b", ())]


def test_hostile_datasets(tmp_path):
    dataset(tmp_path / "set", [{"text": "a", "label": 5}], {"label": CLASSES})
    with pytest.raises(InvalidFile, match="class 5 of 2"):
        read(tmp_path / "set")
    (tmp_path / "set" / "state.json").write_text(json.dumps({"_data_files": [{"filename": "../../secret"}]}))
    with pytest.raises(InvalidFile, match="a part named"):
        read(tmp_path / "set")
    (tmp_path / "set" / "state.json").write_text("[")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read(tmp_path / "set")


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "a b.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE tickets (id INTEGER, body TEXT, queue TEXT)")
        connection.executemany("INSERT INTO tickets VALUES (?, ?, ?)", [(5, "no light", "power"), (6, "slow", None)])
    connection.close()
    return path


def test_a_database(database):
    expected = [("5", "no light", ("power",)), ("6", "slow", ())]
    assert read(database, labels="queue") == expected
    query = "SELECT id, body || '' AS text, queue AS labels FROM tickets WHERE id+0 > 5"
    assert read(database, query=query) == expected[1:]
    corpus = rb.load(f"sqlite:///{database}?query={query}")
    assert (corpus.train.ids, corpus.name) == (["6"], "a b")


@pytest.mark.parametrize(
    "query", ["DELETE FROM tickets", "ATTACH 'x.db' AS x", "SELECT 1; SELECT 2", "PRAGMA user_version = 3", "SELEC", ""]
)
def test_a_query_only_reads(query, database):
    before = database.read_bytes()
    with pytest.raises(InvalidFile, match=r"the database says|no column"):
        read(database, query=query or "SELECT 1 AS one")
    assert database.read_bytes() == before


def test_addresses_of_other_databases(tmp_path):
    with pytest.raises(InvalidInput, match="only sqlite:///FILE is read"):
        rb.load("postgresql://host/db")
    with pytest.raises(InvalidFile):
        rb.load(f"sqlite:///{tmp_path}/none.db")
    (tmp_path / "two.db").write_bytes(b"")
    with pytest.raises(InvalidFile, match="0 tables"):
        rb.load(tmp_path / "two.db")
