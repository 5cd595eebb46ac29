"""WebKB: the published counts, the text of a page, and the pages that only relocate."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from rubricate.corpora import load
from rubricate.corpora.raw_text import html_text
from rubricate.errors import InvalidFile, UnknownName
from rubricate.types import Corpus

pytestmark = pytest.mark.slow

HEADERS = "Date: Monday, 06-Jan-97 19:30:42 GMT\r\nServer: CERN/3.0\r\nContent-Type: text/html\r\n\r\n"
PAGE = "course/cornell/http:^^cs.cornell.edu^Info^Courses^Current^CS415^CS414.html"


@pytest.fixture(scope="module")
def four(data_folder: Path) -> Corpus:
    return load("webkb", folder=data_folder)


def frequencies(corpus: Corpus) -> dict[str, int]:
    sums = corpus.train.labels.sum(axis=0) + corpus.test.labels.sum(axis=0)
    return dict(zip(corpus.categories, map(int, sums), strict=True))


def test_four_classes_count_4183_as_joachims2000_prints(four: Corpus) -> None:
    assert (len(four.train), len(four.test)) == (2092, 2091)
    # 930, 1,124, 504 and 1,641 pages, less 7, 5, 3 and 1 that only relocate
    assert frequencies(four) == {"course": 923, "faculty": 1119, "project": 501, "student": 1640}


def test_all_seven_classes_keep_every_page(data_folder: Path) -> None:
    seven = load("webkb", split="seven", folder=data_folder)
    assert frequencies(seven) == {
        "course": 930, "department": 182, "faculty": 1124, "other": 3764, "project": 504, "staff": 137, "student": 1641,
    }  # fmt: skip
    assert set(seven.train.ids).isdisjoint(seven.test.ids)


def test_pages_are_text_without_headers_and_tags(four: Corpus) -> None:
    part = four.train if PAGE in four.train.ids else four.test
    page = part.take([part.ids.index(PAGE)])
    assert page.titles is not None
    assert page.titles[0] == "CS414 Home Page"
    assert page.bodies[0].startswith("CS414: Systems Programming and Operating Systems")
    assert page.fields["university"] == ["cornell"]
    assert page.fields["url"] == ["http://cs.cornell.edu/Info/Courses/Current/CS415/CS414.html"]
    assert sum("Content-Type: text/html" in text for text in four.train.bodies) == 0


def test_a_university_can_be_held_out(data_folder: Path) -> None:
    texas = load("webkb", folder=data_folder, university="texas")
    assert set(texas.test.fields["university"]) == {"texas"}
    assert (len(texas.test), len(texas.train), texas.split) == (252, 4183 - 252, "four-texas")
    with pytest.raises(UnknownName, match="Did you mean 'texas'"):
        load("webkb", folder=data_folder, university="texs")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    pages = {
        "course/texas/a": HEADERS + "<title>A</title>text &amp; more",
        "course/misc/b": "WWW Alert:  Redirection response from server is not handled by this client\n" + HEADERS + "x",
        "student/misc/c": HEADERS + '<META HTTP-EQUIV="Refresh" CONTENT="1">The pages have moved.',
        "student/misc/d": HEADERS + '<META HTTP-EQUIV="Refresh" CONTENT="1">A home page.',
        "student/misc/e": HEADERS + "My page has moved to http://elsewhere",
        "other/misc/f": "<html>\n\nno headers caf\xe9</html>",
    }
    for name, page in pages.items():
        path = tmp_path / "webkb-data" / "webkb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.encode("latin-1"))
    return tmp_path


def test_only_pages_that_just_relocate_are_removed(unpacked: Path) -> None:
    corpus = load("webkb", folder=unpacked)
    assert sorted([*corpus.train.ids, *corpus.test.ids]) == [
        "course/texas/a", "student/misc/d", "student/misc/e",
    ]  # fmt: skip
    seven = load("webkb", folder=unpacked, split="seven")
    found = dict(zip([*seven.train.ids, *seven.test.ids], [*seven.train.texts, *seven.test.texts], strict=True))
    assert found["course/texas/a"] == "A\ntext & more"
    assert found["other/misc/f"] == "no headers café"
    assert len(found) == 6


def test_halves_follow_the_seed(unpacked: Path) -> None:
    halves = [load("webkb", folder=unpacked, seed=seed) for seed in (0, 0, 1, 2, 3, 4)]
    assert {(len(half.train), len(half.test)) for half in halves} == {(2, 1)}
    assert halves[0].test.ids == halves[1].test.ids
    assert len({half.test.ids[0] for half in halves}) > 1
    assert [half.split for half in halves[1:3]] == ["four", "four-seed-1"]


def test_an_archive_without_pages(tmp_path: Path) -> None:
    (tmp_path / "webkb-data").mkdir()
    with pytest.raises(InvalidFile, match="no documents"):
        load("webkb", folder=tmp_path)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("plain", ("", "plain")),
        ("<TITLE>\n A\n B </TITLE><p>x<p>y", ("A B", "x y")),
        ("a<!-- > <b>hidden</b> -->b", ("", "a b")),
        ("a<!WA0><!WA0><img src=x>b", ("", "a b")),
        ("a<script>if (x < 1) {}</script>b<STYLE>p {}</STYLE >c", ("", "a b c")),
        ("1 < 2 &lt; 3", ("", "1 < 2 < 3")),
        ("a<!-- never closed <b>b</b>", ("", "a<!-- never closed b")),
        ("", ("", "")),
    ],
)
def test_html_as_it_is_written(page: str, expected: tuple[str, str]) -> None:
    assert html_text(page) == expected


@pytest.mark.parametrize("piece", ["<", "<!--", "<script", "<title", "&", "<!-- x --", "</style>"])
def test_hostile_pages_take_linear_time(piece: str) -> None:
    start = time.perf_counter()
    html_text(piece * (1_000_000 // len(piece)))
    assert time.perf_counter() - start < 3


def test_documents_have_one_class_each(four: Corpus) -> None:
    assert Counter(four.train.labels.sum(axis=1).tolist()) == {1: 2092}
