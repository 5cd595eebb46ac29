"""Loading: by name, by path, from a folder; what is unknown or missing is answered with what to do."""

from __future__ import annotations

import pytest

import rubricate as rb
from rubricate import registry
from rubricate.corpora import load, source
from rubricate.corpora import sources as folders
from rubricate.corpora.sources import DataFile, Source
from rubricate.errors import CorpusMissing, InvalidInput, RubricateError, UnknownName


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'reuters21578'"):
        rb.load("reuters2157")


def test_an_unknown_split_and_option(tmp_path):
    with pytest.raises(UnknownName, match=r"no split of reuters21578 named 'aptmod'\. Did you mean 'aptemod'"):
        load("reuters21578", split="aptmod")
    (tmp_path / "reuters21578").mkdir()
    with pytest.raises(UnknownName, match=r"no option of reuters21578 named 'cesc'\. Did you mean 'csecs'"):
        load("reuters21578", folder=tmp_path, cesc=False)


def test_a_missing_corpus_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_DATA", str(tmp_path))
    monkeypatch.setattr(folders, "cache_folder", lambda: tmp_path / "cache")
    with pytest.raises(CorpusMissing) as caught:
        load("reuters21578")
    for advice in (str(tmp_path), "rubricate corpus fetch reuters21578", "--from PATH", "RUBRICATE_DATA"):
        assert advice in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("newswire", {"documents": 2.5}, "must be a whole number, got 2.5"),
        ("newswire", {"seed": True}, "must be a whole number, got True"),
        ("newswire", {"categories": "many"}, "a whole number or left out, got 'many'"),
        ("newswire", {"seed": -1}, "from 0 to"),
    ],
)
def test_an_option_of_the_wrong_kind(name, options, said):
    with pytest.raises(InvalidInput, match=said):
        load(name, **options)


def test_options_that_change_the_documents_are_in_the_name_of_the_split():
    assert load("newswire", documents=500).split == "chronological-documents-500-categories-105"
    assert load("newswire", documents=500, categories=60, seed=3).split.endswith("categories-60-seed-3")


def test_no_name_at_all():
    with pytest.raises(UnknownName, match="no corpus named ''"):
        load("")


def test_a_path_is_the_users_own_file(tmp_path):
    (tmp_path / "news.csv").write_text("text,labels\nwheat rose,grain\n", encoding="utf-8")
    corpus = load(tmp_path / "news.csv")
    assert (len(corpus.train), corpus.categories) == (1, ("grain",))
    assert len(load("news.csv", folder=tmp_path).train) == 1


def test_an_unknown_option_of_a_users_file(tmp_path):
    (tmp_path / "news.csv").write_text("text,labels\nwheat rose,grain\n", encoding="utf-8")
    with pytest.raises(UnknownName, match="Did you mean 'separator'"):
        load(tmp_path / "news.csv", seperator="|")


def test_a_path_that_is_not_there(tmp_path):
    with pytest.raises(RubricateError, match=r"none\.csv"):
        load(tmp_path / "none.csv")


def test_a_name_wins_over_a_file_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUBRICATE_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr(folders, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "reuters21578").mkdir()
    with pytest.raises(CorpusMissing):
        load("reuters21578")


def test_a_plug_in_must_export_a_source(monkeypatch):
    monkeypatch.setattr(registry, "load", lambda kind, name: 42)
    with pytest.raises(TypeError, match="must export a Source, exports a int"):
        source("reuters21578")


def test_a_split_needs_its_own_files_and_those_of_all():
    files = (DataFile("all"), DataFile("first", splits=("a",)), DataFile("second", splits=("b",)))
    toy = Source("toy", "Toy", "free", ("a", "b"), lambda files, split: None, files=files)
    assert [file.name for file in toy.needs("b")] == ["all", "second"]
    assert toy.choose(None) == "a"
    with pytest.raises(InvalidInput, match="no path given for first"):
        toy.load({"all": None}, "a", {})
