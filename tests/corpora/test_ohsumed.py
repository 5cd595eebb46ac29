"""OHSUMED: the counts of the archive at hand, and the other splits on small files in the published formats."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from tests.conftest import need_corpora

from rubricate.corpora import load
from rubricate.corpora.ohsumed import main_headings, mesh_trees, references
from rubricate.errors import CorpusMissing, InvalidFile, InvalidInput

# A record in the form of the TREC-9 files; the text is our own.
RECORD = """.I {number}
.U
{ui}
.S
J Example Med {ui:.4}; 4(6):491-5
.M
{mesh}
.T
Title {number}.
.P
JOURNAL ARTICLE.
{abstract}.A
Doe J; Roe R.
"""
TREES = (
    "Heart Diseases;C14.280\n"
    "Ventricular Fibrillation;C14.280.067.922\n"
    "Ventricular Fibrillation;C23.550.073\n"
    "Humans;B01\n"
)


def record(number: int, ui: str, mesh: str, abstract: bool = True) -> str:
    text = f".W\nAbstract of {number}.\n" if abstract else ""
    return RECORD.format(number=number, ui=ui, mesh=mesh, abstract=text)


EIGHTY_SEVEN = record(1, "87049087", "Human; Ventricular Fibrillation/*TH.") + record(2, "87049088", "Human.", False)
NINETY_ONE = "".join(
    record(10 + i, f"9100000{i}", mesh, abstract=i != 1)
    for i, mesh in enumerate(["Human; Heart Diseases/DI/*TH.", "Human.", "Support, U.S. Gov't, P.H.S..", "Human."])
)


def pack(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode("latin-1"))
            archive.addfile(info, io.BytesIO(text.encode("latin-1")))


@pytest.mark.slow
def test_the_single_label_archive() -> None:
    corpus = load("ohsumed", folder=need_corpora("ohsumed_single_23.tar.gz"))
    assert (len(corpus.train), len(corpus.test)) == (3357, 4043)
    assert corpus.categories == tuple(f"C{i:02d}" for i in range(1, 24))
    assert (corpus.train.labels.nnz, corpus.test.labels.nnz) == (3357, 4043)
    position = corpus.test.ids.index("0001011")
    assert corpus.test.titles is not None
    assert corpus.test.titles[position] == "Infection in total joint replacement."
    assert corpus.test.bodies[position].startswith("Although a small number of infections in total joint")


@pytest.fixture
def trec9(tmp_path: Path) -> Path:
    files = {"ohsu-trec/trec9-train/ohsumed.87": EIGHTY_SEVEN, "ohsu-trec/trec9-test/ohsumed.88-91": NINETY_ONE}
    pack(tmp_path / "ohsumed.tar.gz", files | {"ohsu-trec/README": "words"})
    (tmp_path / "mtrees.bin").write_text(TREES)
    return tmp_path


def test_the_full_domain_trains_before_1991_and_wants_abstracts(trec9: Path) -> None:
    corpus = load("ohsumed", split="full", folder=trec9)
    assert (corpus.train.ids, corpus.test.ids) == (["87049087"], ["91000000", "91000002", "91000003"])
    assert corpus.categories == ("Heart Diseases", "Human", "Support, U.S. Gov't, P.H.S.", "Ventricular Fibrillation")
    assert corpus.train.labels.toarray().tolist() == [[False, True, False, True]]
    assert corpus.train.texts[0] == "Title 1.\nAbstract of 1."
    assert corpus.train.fields["number"] == ["1"]
    assert corpus.train.fields["authors"] == ["Doe J; Roe R."]
    assert corpus.train.fields["source"] == ["J Example Med 8704; 4(6):491-5"]


def test_a_folder_of_files_by_year_reads_the_same(trec9: Path, tmp_path: Path) -> None:
    folder = tmp_path / "years" / "ohsumed"
    folder.mkdir(parents=True)
    (folder / "ohsumed.87").write_text(EIGHTY_SEVEN)
    (folder / "ohsumed.91").write_text(NINETY_ONE)
    packed, loose = (load("ohsumed", split="full", folder=where) for where in (trec9, tmp_path / "years"))
    assert (packed.train.ids, packed.test.ids) == (loose.train.ids, loose.test.ids)
    assert packed.categories == loose.categories


def test_the_first_20000_of_1991_have_disease_categories(trec9: Path) -> None:
    corpus = load("ohsumed", split="first20000", folder=trec9)
    assert (corpus.train.ids, len(corpus.test)) == (["91000000", "91000002", "91000003"], 0)
    assert (corpus.categories, corpus.train.labels.sum(axis=1).tolist()) == (("C14",), [1, 0, 0])


@pytest.mark.slow
def test_the_cut_is_after_10000_and_20000(tmp_path: Path) -> None:
    lines = "".join(record(i, f"91{i:06d}", "Ventricular Fibrillation.") for i in range(20_002))
    pack(tmp_path / "ohsumed.tar.gz", {"ohsumed.91": lines})
    (tmp_path / "mtrees.bin").write_text(TREES)
    corpus = load("ohsumed", split="first20000", folder=tmp_path)
    assert (len(corpus.train), len(corpus.test), corpus.test.ids[-1]) == (10_000, 10_000, "91019999")
    assert corpus.categories == ("C14", "C23")


def test_a_document_in_several_folders_has_several_labels(tmp_path: Path) -> None:
    text = "Title\n First sentence.\n Second.\n"
    names = ("training/C01/0000001", "training/C04/0000001", "test/C04/0000002", "test/C14/0000003")
    pack(tmp_path / "ohsumed-first-20000-docs.tar.gz", {f"ohsumed-first-20000-docs/{name}": text for name in names})
    corpus = load("ohsumed", split="diseases23", folder=tmp_path)
    assert corpus.train.labels.toarray().tolist() == [[True, True, False]]
    assert (corpus.test.ids, corpus.categories) == (["0000002", "0000003"], ("C01", "C04", "C14"))
    top = load("ohsumed", split="diseases23", folder=tmp_path, top=1)
    assert (top.categories, top.split) == (("C04",), "diseases23-top-1")
    assert (len(top.train), top.test.labels.sum(axis=1).tolist()) == (1, [1, 0])
    with pytest.raises(InvalidInput, match="top=0"):
        load("ohsumed", split="diseases23", folder=tmp_path, top=0)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("some text\n", 1, "must start with .I"),
        (".I 1\nloose\n", 2, "under no mark"),
        (".I\n.U\n87000001\n", 1, "without its number"),
        (record(1, "87000001", "Human.") + ".I 2\n.T\nTitle\n", 16, "without its number"),
    ],
)
def test_broken_records_name_their_line(content: str, line: int, problem: str) -> None:
    with pytest.raises(InvalidFile, match=problem) as caught:
        list(references(content.encode().splitlines(keepends=True), Path("ohsumed.87")))
    assert caught.value.line == line


def test_fields_over_several_lines_are_joined() -> None:
    (found,) = references(
        [b".I 7\r\n", b".U\r\n", b"90000001\r\n", b".W\r\n", b"One\r\n", b"two.\r\n", b"\r\n"], Path("x")
    )
    assert (found.fields["W"], found.year, found.number, found.line) == ("One two.", 1990, "7", 1)


def test_headings_and_trees() -> None:
    assert main_headings("") == ()
    assert main_headings("Heart/*; Heart/TH.") == ("Heart",)
    assert mesh_trees(TREES.encode().splitlines(), Path("m"))["Ventricular Fibrillation"] == ("C14", "C23")
    with pytest.raises(InvalidFile, match="line 1"):
        mesh_trees([b"no tree number"], Path("m"))


def test_an_archive_without_the_files(tmp_path: Path) -> None:
    pack(tmp_path / "ohsumed.tar.gz", {"README": "words"})
    with pytest.raises(InvalidFile, match=r"no ohsumed\.87"):
        load("ohsumed", split="full", folder=tmp_path)
    with pytest.raises(CorpusMissing, match=r"mtrees\.bin"):
        load("ohsumed", split="first20000", folder=tmp_path)
