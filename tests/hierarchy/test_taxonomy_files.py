"""Taxonomy files: each form, the two published ones, and files that are broken."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rubricate.errors import InvalidFile, UnknownName
from rubricate.hierarchy import VIRTUAL_ROOT, Hierarchy, path_edges, read_taxonomy

EXPECTED = (("crude", "nat-gas"), ("crude", "ship"), ("grain", "corn"))


def write(folder: Path, text: str | bytes, name: str = "tree.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tree.tsv", "crude\tnat-gas\ncrude\tship\ngrain\tcorn\n"),
        ("tree.tsv", "parent\tchild\r\ncrude\tnat-gas\r\ncrude\tship\r\ngrain\tcorn\r\n"),
        ("tree.taxonomy", "crude\tnat-gas\tship\ngrain\tcorn\nship\n"),
        ("tree.csv", "parent,child\ncrude,nat-gas\ncrude, ship\n\n# remark\ngrain,corn\n"),
        ("tree.txt", "crude\n  nat-gas\n  ship\ngrain\n    corn\n"),
        ("tree.txt", "crude\n\tnat-gas\n        ship\ngrain\n\tcorn\n"),
        ("tree.txt", "\ufeff  crude\n     nat-gas\n     ship\n  grain\n   corn"),
        ("orig", "parent: crude    child: nat-gas child-description: GAS\nparent: crude child: ship\n"
                 "parent: grain child: corn  child-description: No Description\n"),
    ],
)  # fmt: skip
def test_forms_are_recognised(tmp_path: Path, name: str, text: str) -> None:
    assert read_taxonomy(write(tmp_path, text, name)) == EXPECTED


def test_paths_are_names_in_full(tmp_path: Path) -> None:
    found = read_taxonomy(write(tmp_path, "news/sport/golf\nnews/sport\nart/golf\nart/golf\n"))
    assert found == (("news", "news/sport"), ("news/sport", "news/sport/golf"), ("art", "art/golf"))
    assert found == path_edges(["news/sport/golf", "news/sport", "art/golf"])


def test_a_top_without_children_is_kept(tmp_path: Path) -> None:
    expected = ((VIRTUAL_ROOT, "earn"), (VIRTUAL_ROOT, "grain"), ("grain", "corn"))
    assert read_taxonomy(write(tmp_path, "earn\ngrain\n  corn\n")) == expected
    assert read_taxonomy(write(tmp_path, "earn\nacq\n")) == ((VIRTUAL_ROOT, "earn"), (VIRTUAL_ROOT, "acq"))
    assert Hierarchy.from_edges(expected).children(VIRTUAL_ROOT) == ("earn", "grain")


def test_a_name_under_two_parents_is_one_category(tmp_path: Path) -> None:
    graph = Hierarchy.from_edges(read_taxonomy(write(tmp_path, "crude\n  ship\ngrain\n  ship\n")))
    assert graph.parents("ship") == ("crude", "grain")
    assert not graph.is_tree


def test_the_form_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n")
    assert read_taxonomy(path, form="csv") == (("a", "b"),)
    with pytest.raises(UnknownName, match="Did you mean 'paths'"):
        read_taxonomy(path, form="path")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("t.tsv", "a\tb\nb\tc\nx\ty\nc\ta\n", 4, "a → b → c → a"),
        ("t.txt", "a\n  a\n", 2, "a → a"),
        ("t.tsv", "a\tb\n\na\tb\n", 3, "already in line 1"),
        ("t.tsv", "a\tb\nb\t\tc\n", 2, "empty category name"),
        ("t.csv", "a,b\n,c\n", 2, "empty category name"),
        ("t.csv", 'a,b\n"a"b,c\n', 2, "not a CSV row"),
        ("t.txt", "a\n    b\n  c\n", 3, "'c' is indented like no category above it"),
        ("t.txt", "    a\n  b\n", 2, "'b' is indented like no category above it"),
        ("t.txt", "a/b\na//c\n", 2, "empty part"),
        ("t.orig", "parent: None child: Root\nparent: Root\n", 2, "no 'parent: P child: C' line"),
        ("t.tsv", "a\t(root)\n", 1, "reserved for the root"),
        ("t.txt", "a\tb\nc\0\td\n", 2, "NUL"),
        ("t.txt", b"a\tb\nc\t\xe9\n", 2, "byte 0xe9 is not utf-8"),
        ("t.txt", "\n# nothing\n", None, "no categories"),
    ],
)
def test_broken_files_name_the_line(
    tmp_path: Path, name: str, text: str | bytes, line: int | None, problem: str
) -> None:
    with pytest.raises(InvalidFile) as caught:
        read_taxonomy(write(tmp_path, text, name))
    assert problem in str(caught.value)
    assert "Fix:" in str(caught.value)
    assert (caught.value.line, caught.value.path.name) == (line, name)


def test_a_missing_file_and_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_taxonomy(tmp_path / "absent.tsv")
    assert read_taxonomy(write(tmp_path, b"a\t\xe9\n"), encoding="latin-1") == (("a", "é"),)


@pytest.mark.parametrize(
    "content",
    [
        "# a comment\nparent;child\n\na;b\nb;c\n",
        "a|b\nb|c\n",
        '"a",b\r\nb,"c"\r\n',
        gzip.compress(b"\xef\xbb\xbfparent,child\na,b\nb,c\n", mtime=0),
    ],
)
def test_tables_are_read_like_all_others(tmp_path: Path, content: str | bytes) -> None:
    assert read_taxonomy(write(tmp_path, content, "t.csv")) == (("a", "b"), ("b", "c"))
    with pytest.raises(InvalidFile, match=r"line 4: an empty category name"):
        read_taxonomy(write(tmp_path, "# a comment\na,b\n\nb,\n", "t.csv"))
    with pytest.raises(InvalidFile, match=r"line 1: byte 0xe9 .*encoding='cp1252'"):
        read_taxonomy(write(tmp_path, b"a,\xe9\n", "t.csv"))


def test_the_tree_of_rcv1(data_folder: Path) -> None:
    # lewis2004, section 3.2: 103 topics; the file adds Root.
    edges = read_taxonomy(data_folder / "rcv1" / "rcv1.topics.hier.orig")
    tree = Hierarchy.from_edges(edges, root="Root")
    assert (len(edges), len(tree), tree.is_tree, len(tree.leaves)) == (103, 104, True, 82)
    assert tree.children("Root") == ("CCAT", "ECAT", "GCAT", "MCAT")
    assert tree.parents("C151") == ("C15",)
    assert int(tree.depths.max()) == 4


def test_the_tree_of_wikivitals(data_folder: Path) -> None:
    # 1,186 topics in 6 levels below the root.
    tree = Hierarchy.from_edges(read_taxonomy(data_folder / "hwv" / "hwv.taxonomy"), root="Root")
    assert (len(tree) - 1, tree.is_tree, int(tree.depths.max())) == (1186, True, 6)
    assert len(tree.children("Root")) == 11
