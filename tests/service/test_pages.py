"""The pages: there, safe from hostile names and texts, closed to strangers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rubricate.service.page
from rubricate.service.page.layout import STATIC

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def site(serve, topics, tmp_path):
    client = serve(models=(topics,), workspace=tmp_path / "w")
    project = {"name": "news", "categories": ["grain", "</script>", "😀"], "taxonomy": [["grain", "wheat"]]}
    assert client.post("/projects", json=project).status_code == 201
    documents = [{"id": HOSTILE, "title": HOSTILE, "text": HOSTILE, "labels": ["</script>"]}, {"id": "b", "text": ""}]
    assert client.post("/projects/news/documents", json={"documents": documents}).status_code == 201
    return client


PAGES = [
    "/",
    "/try",
    "/try?model=topics",
    "/judge",
    "/login",
    *(f"/p/news/{name}" for name in ("documents", "label", "model", "history")),
]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers_with_its_policy_and_without_foreign_markup(site, path):
    answer = site.get(path)
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert HOSTILE not in answer.text
    assert answer.text.count("</script>") == len(re.findall(r"<script", answer.text))
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", answer.text)


def test_documents_are_searched_and_paged(site):
    rows = [{"id": f"n{i}", "text": f"wheat number {i}"} for i in range(120)]
    site.post("/projects/news/documents", json={"documents": rows})
    first = site.get("/p/news/documents", params={"query": "wheat"}).text
    assert first.count("<tr>") == 51
    further = re.search(r'id="next" href="([^"]+)"|href="([^"]+)" rel="next"', first)
    link = next(part for part in further.groups() if part).replace("&amp;", "&")
    assert "n50" in site.get("/p/news/documents" + link).text
    assert "No document fits" in site.get("/p/news/documents", params={"query": "xyzzy"}).text


def test_static_files_are_those_of_the_package_and_nothing_else(site):
    folder = Path(rubricate.service.page.__file__).parent / "static"
    assert {path.name for path in folder.iterdir()} == set(STATIC)
    for name in STATIC:
        assert site.get(f"/static/{name}").content == (folder / name).read_bytes()
    for name in ("..%2Flayout.py", "../layout.py", "layout.py", "%2Fetc%2Fpasswd"):
        assert site.get(f"/static/{name}").status_code == 404


def test_strangers_are_sent_to_log_in(serve, topics):
    client = serve(models=(topics,), token="0123456789abcdef")
    answer = client.get("/", headers={"accept": "text/html"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert client.get("/login").status_code == 200


def test_a_category_is_explained_with_what_would_change_the_answer(site):
    text = "wheat and oil"
    labels = site.post("/models/topics/classify", json={"documents": [{"text": text}]}).json()["documents"][0]["labels"]
    answer = site.post("/models/topics/explain", json={"text": text, "category": labels[0]}).json()
    words = {text[each["start"] : each["end"]]: each["weight"] for each in answer["evidence"]}
    assert set(words) == {"wheat", "oil"}
    assert sorted(weight > 0 for weight in words.values()) == [False, True]
    (without,) = answer["change"]["without"]
    assert words[without] > 0
    assert answer["change"]["labels"] != labels
    assert site.post("/models/topics/explain", json={"text": "x", "category": "y"}).status_code == 422


def test_a_file_becomes_a_project_to_label(tmp_path):
    from rubricate.errors import InvalidInput
    from rubricate.readers.reading import Reading
    from rubricate.service.labelling import fill_workspace
    from rubricate.service.workspace.workspace import Workspace

    path = tmp_path / "mail.csv"
    path.write_text("id,text,labels\na,wheat,grain\nb,oil,\n", encoding="utf-8")
    options = {"reading": Reading(split=None), "model": None, "categories": [], "single": False}
    assert fill_workspace(path, tmp_path / "w", **options) == "mail"
    assert fill_workspace(path, tmp_path / "w", **options) == "mail"
    workspace = Workspace(tmp_path / "w")
    assert workspace.projects.all() == [{"name": "mail", "kind": "multi", "documents": 2, "labelled": 1}]
    workspace.close()
    path.write_text("text\nwheat\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="--category"):
        fill_workspace(path, tmp_path / "v", **options)
    assert fill_workspace(path, tmp_path / "v", **options | {"categories": ["grain"]}) == "mail"
