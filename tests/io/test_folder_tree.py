"""A folder per category: labels, splits, order, and folders that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubricate.errors import InvalidFile
from rubricate.io.user_files import read_files


def make_tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_folder_per_category(tmp_path: Path) -> None:
    files = {
        "sport/golf/2.txt": "b",
        "sport/golf/1.txt": "a",
        "sport/3": "c",
        "art/4": "d",
        ".git/x/5": "e",
        "art/.x": "f",
    }
    corpus = read_files(make_tree(tmp_path, files))
    assert corpus.train.ids == ["art/4", "sport/3", "sport/golf/1.txt", "sport/golf/2.txt"]
    assert list(corpus.train.texts) == ["d", "c", "a", "b"]
    assert corpus.categories == ("art", "sport", "sport/golf")
    assert corpus.taxonomy == (("(root)", "art"), ("(root)", "sport"), ("sport", "sport/golf"))
    assert corpus.split == "none"


def test_a_flat_folder_has_no_taxonomy_and_may_hold_splits(tmp_path: Path) -> None:
    corpus = read_files(make_tree(tmp_path, {"train/a/1": "x", "test/a/1": "y", "test/b/2": "z"}))
    assert (corpus.taxonomy, corpus.categories, corpus.split) == (None, ("a", "b"), "column")
    assert (corpus.train.ids, corpus.test.ids) == (["train/a/1"], ["test/a/1", "test/b/2"])
    other = read_files(tmp_path / "train", test=tmp_path / "test")
    assert (other.train.ids, other.test.ids) == (["a/1"], ["test-a/1", "test-b/2"])


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="no documents"):
        read_files(tmp_path)
    make_tree(tmp_path, {"a/1": "x", "loose.txt": "y"})
    with pytest.raises(InvalidFile, match=r"loose\.txt is outside the category folders"):
        read_files(tmp_path)
    assert len(read_files(tmp_path, labels=None).train) == 2
    (tmp_path / "loose.txt").unlink()
    (tmp_path / "a" / "1").write_bytes(b"x\ny\xff\n")
    with pytest.raises(InvalidFile, match="line 2: byte 0xff"):
        read_files(tmp_path)
    assert read_files(tmp_path, labels="", encoding="latin-1").categories == ()
