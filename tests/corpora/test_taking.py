"""Files of a corpus with several, taken from the user: which one is meant, and nothing under a wrong name."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from rubricate.corpora import fetch, missing
from rubricate.corpora.sources import DataFile, Source
from rubricate.errors import DigestMismatch, InvalidFile

TREE, STORIES, EXTRA = b"a\tb\n", gzip.compress(b"stories", mtime=0), gzip.compress(b"more", mtime=0)
SOURCE = Source(
    "toy",
    "Toy",
    "free",
    ("small", "large"),
    lambda files, split: None,
    files=(
        DataFile("toy/tree", sha256=hashlib.sha256(TREE).hexdigest()),
        DataFile("toy/stories.gz", addresses=("http://127.0.0.1:9/download/published.gz",)),
        DataFile("toy/more.gz", splits=("large",)),
    ),
)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, data in {"tree": TREE, "stories.gz": STORIES}.items():
        (folder / name).write_bytes(data)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_folder_gives_the_files_of_the_split(mine, tmp_path):
    assert len(fetch(SOURCE, origin=mine, folder=tmp_path / "cache")) == 2
    assert names(tmp_path / "cache") == ["toy/stories.gz", "toy/tree"]


def test_a_folder_that_lacks_a_file_gives_none(mine, tmp_path):
    with pytest.raises(InvalidFile, match=r"no toy/more\.gz in this folder.*one by one"):
        fetch(SOURCE, split="large", origin=mine, folder=tmp_path / "cache")
    assert names(tmp_path / "cache") == []


@pytest.mark.parametrize(
    ("name", "data", "target"),
    [
        ("stories.gz", STORIES, "toy/stories.gz"),
        ("published.gz", STORIES, "toy/stories.gz"),
        ("renamed", TREE, "toy/tree"),
    ],
)
def test_a_file_is_known_by_name_address_or_digest_and_taken_once(tmp_path, name, data, target):
    (tmp_path / name).write_bytes(data)
    fetch(SOURCE, origin=tmp_path / name, folder=tmp_path / "cache")
    assert names(tmp_path / "cache") == [target]
    assert target not in missing(SOURCE, "small", tmp_path / "cache")
    assert len(missing(SOURCE, "small", tmp_path / "cache")) == 1


def test_a_file_that_could_be_any_is_refused(tmp_path):
    (tmp_path / "renamed").write_bytes(STORIES)
    with pytest.raises(InvalidFile, match=r"wanted are tree, stories\.gz"):
        fetch(SOURCE, origin=tmp_path / "renamed", folder=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("data", "error", "problem"),
    [(b"<html>moved</html>", DigestMismatch, "expected a gzipped file"), (STORIES[:-4], InvalidFile, "cut short")],
)
def test_without_a_digest_on_record_a_gzipped_file_must_be_whole(tmp_path, data, error, problem):
    (tmp_path / "stories.gz").write_bytes(data)
    with pytest.raises(error, match=problem):
        fetch(SOURCE, origin=tmp_path / "stories.gz", folder=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_written_is_named(mine, tmp_path):
    (tmp_path / "cache").write_bytes(b"a file, no folder")
    with pytest.raises(InvalidFile, match=r"cannot be written.*--folder"):
        fetch(SOURCE, origin=mine, folder=tmp_path / "cache")
