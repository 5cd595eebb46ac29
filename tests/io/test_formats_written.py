"""Documents written in a format come back as they were."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.io import Record, records
from rubricate.io.writing import document_records, writable_formats, write_documents

NAME = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters=";"), min_size=1, max_size=8)
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t"), max_size=40)
LOSSLESS = sorted(set(writable_formats()) - {"fasttext", "libsvm"})


@st.composite
def documents(draw):
    """Documents with ids of their own, and all or none with titles and splits."""
    ids = draw(st.lists(NAME, min_size=1, max_size=6, unique=True))
    title = TEXT if draw(st.booleans()) else st.none()
    split = st.sampled_from(["train", "test"]) if draw(st.booleans()) else st.none()
    labels = st.lists(NAME, max_size=3, unique=True).map(tuple)
    return [Record(name, draw(TEXT), draw(labels), title=draw(title), split=draw(split)) for name in ids]


def content(record):
    return record.id, record.text, record.labels, record.title, record.split


@pytest.mark.slow
@pytest.mark.parametrize("format", LOSSLESS)
@given(written=documents())
def test_what_is_written_is_read_back(format, written, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "file"
    assert write_documents(written, path, format=format) == len(written)
    titled = "title" if written[0].title is not None else None
    assert [content(r) for r in records(path, format=format, title=titled)] == [content(r) for r in written]


@given(written=documents())
def test_fasttext_keeps_labels_and_words(written, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "file.ft"
    kept = [r for r in written if r.labels and not r.text.lstrip().startswith("__label__") and r.title is None]
    kept = [r for r in kept if not r.text.lstrip(" \t\n").startswith("__label__")]
    write_documents(kept, path)
    back = list(records(path))
    blanks = " \t\v\f\r\n"
    assert [r.labels for r in back] == [r.labels for r in kept]
    assert [_pieces(r.text, blanks) for r in back] == [_pieces(r.text, blanks) for r in kept]


def _pieces(text, blanks):
    for sign in blanks:
        text = text.replace(sign, " ")
    return [word for word in text.split(" ") if word]


def test_fasttext_refuses_what_it_cannot_hold(tmp_path):
    path = tmp_path / "file.ft"
    with pytest.raises(InvalidInput, match="'crude-oil'"):
        write_documents([Record("1", "a", ("crude oil",))], path)
    with pytest.raises(InvalidInput, match="would be read as a label"):
        write_documents([Record("1", "__label__x y", ("a",))], path)
    assert not path.exists()


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_a_label_with_the_separator_is_refused(format, tmp_path):
    with pytest.raises(InvalidInput, match="JSON lines"):
        write_documents([Record("1", "a", ("x;y",))], tmp_path / "file", format=format)
    with pytest.raises(InvalidInput, match="all documents have a title"):
        write_documents([Record("1", "a", title="t"), Record("2", "b")], tmp_path / "file", format=format)
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_keeps_its_split(tmp_path):
    corpus = rb.load("newswire", documents=500, categories=60)
    path = tmp_path / "news.jsonl"
    assert write_documents(corpus, path) == 500
    again = rb.load(path, title="title")
    assert (again.train.ids, again.test.ids) == (list(corpus.train.ids), list(corpus.test.ids))
    assert list(again.train.texts) == list(corpus.train.texts)
    given = [r.labels for r in document_records(corpus)]
    assert [r.labels for r in document_records(again)] == given


def test_a_format_that_is_only_read_says_so(tmp_path):
    with pytest.raises(InvalidInput, match="only read; give one of argilla"):
        write_documents([], tmp_path / "book.xlsx")


def test_label_studio_takes_the_ground_truth_and_ignores_what_was_skipped(tmp_path):
    def annotation(*choices, **more):
        return {"result": [{"type": "choices", "value": {"choices": list(choices)}}], **more}

    tasks = [
        {"id": 7, "data": {"text": "one"}, "annotations": [annotation("a", was_cancelled=True), annotation("b")]},
        {"id": 8, "data": {"text": "two"}, "annotations": [annotation("a"), annotation("c", "d", ground_truth=True)]},
        {"id": 9, "data": {"text": "three"}, "annotations": [], "predictions": [annotation("a")]},
        {"id": 10, "data": {"text": "four"}, "annotations": [{"result": [{"value": {"taxonomy": [["x", "y"]]}}]}]},
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    read = [(r.id, r.text, r.labels) for r in records(path, format="labelstudio")]
    assert read == [("7", "one", ("b",)), ("8", "two", ("c", "d")), ("9", "three", ()), ("10", "four", ("x/y",))]


def test_argilla_takes_the_submitted_response(tmp_path):
    answers = [{"value": "pos", "status": "draft"}, {"value": "neg", "status": "submitted", "user_id": "u"}]
    entries = [
        {"id": "r1", "fields": {"text": "one"}, "responses": {"sentiment": answers}},
        {"id": "r2", "fields": {"text": "two"}, "responses": {}, "suggestions": {"sentiment": {"value": "pos"}}},
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(entries))
    assert [(r.id, r.labels) for r in records(path, format="argilla")] == [("r1", ("neg",)), ("r2", ())]
