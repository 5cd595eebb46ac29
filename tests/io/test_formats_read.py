"""Formats that are only read: workbooks, Arrow datasets, databases; and hostile files in each."""

from __future__ import annotations

import json
import sqlite3
import sys
import zipfile

import pytest

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput, MissingExtra
from rubricate.io import records


def read(path, **options):
    return [(r.id, r.text, r.labels) for r in records(path, **options)]


@pytest.mark.parametrize("name", ["docs.spacy", "DOCS.SPACY", "docs.spacy.gz"])
def test_a_docbin_is_refused_with_what_converts_it(name, tmp_path):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InvalidFile, match=r"DocBin of spaCy.* Fix: write JSON lines with spaCy, .*doc\.cats"):
        read(tmp_path / name)


HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"
SHEET = (
    f"{HEAD}"
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>labels</t></is></c>'
    '<c r="C1" t="str"><v>id</v></c>'
    '</row><row r="2"/><row r="3"><c r="A3" t="s"><v>1</v></c><c r="C3"><v>17</v></c></row>'
    '<row r="4"><c r="A4" t="str"><f>A3</f><v>a_x000D_b</v></c>'
    '<c r="B4" t="s"><v>2</v></c><c r="C4"><v>2.5</v></c></row>'
    "</sheetData></worksheet>"
)
STRINGS = (
    '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>text</t></si>'
    '<si><r><t xml:space="preserve">good </t></r><r><t>harvest</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si>'
    "<si><t>grain;oil</t></si></sst>"
)
WORKBOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
)


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


STYLES = (
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="3">'
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs></styleSheet>'
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<c><v>17</v></c>", "17"),
        ("<c><v>2.5</v></c>", "2.5"),
        ("<c><v>-5</v></c>", "-5"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="b"><v>0</v></c>', "FALSE"),
        ('<c t="e"><v>#N/A</v></c>', "#N/A"),
        ('<c t="str"><f>A1</f><v> kept </v></c>', " kept "),
        ('<c t="d"><v>2020-01-02T03:04:05</v></c>', "2020-01-02T03:04:05"),
        ('<c s="1"><v>45000</v></c>', "45000"),
        ('<c s="2"><v>45000.520833333336</v></c>', "45000.520833333336"),
        ('<c s="1"><v>60</v></c>', "60"),
        ('<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', "ab"),
        ('<c t="str"><v>x_x000D_y</v></c>', "x\ry"),
        ('<c s="1"/>', ""),
    ],
)
def test_cells_of_a_workbook_are_the_text_that_it_stores(cell, text, tmp_path):
    sheet = f"{HEAD}<row><c t='str'><v>text</v></c><c t='str'><v>id</v></c></row><row>{cell}<c><v>1</v></c></row>{TAIL}"
    path = workbook(tmp_path / "book.xlsx", **{"worksheets/sheet1": sheet, "styles": STYLES})
    assert read(path, labels=None) == [("1", text, ())]


def test_workbooks_need_their_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"rubricate\[frames\]"):
        read(workbook(tmp_path / "book.xlsx"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts, message",
    [
        (
            {"worksheets/sheet1": f'{HEAD}<row><c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c></row>{TAIL}'},
            "apart",
        ),
        ({"worksheets/sheet1": f'{HEAD}<row r="9999999"><c><v>1</v></c></row>{TAIL}'}, "beyond a sheet"),
        ({"sharedStrings": '<!DOCTYPE a [<!ENTITY b "c">]><sst>&b;</sst>'}, "document type"),
        ({"sharedStrings": "<sst>"}, "not a workbook"),
        ({"sharedStrings": "<sst/>"}, "not a workbook"),
        ({"workbook": "<workbook/>"}, "not a workbook"),
        ({"worksheets/sheet1": SHEET.replace('r="C4"', 'r="ZZZ4"')}, "beyond a sheet"),
        ({"worksheets/sheet1": SHEET.replace('r="C4"', 'r="4C"')}, "no cell"),
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
