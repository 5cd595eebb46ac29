"""The pages: there, safe from hostile names and texts, closed to strangers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rubricate.service
from rubricate.service.pages import STATIC
from rubricate.svg import tokens_css

pytestmark = pytest.mark.slow

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
    folder = Path(rubricate.service.__file__).parent / "static"
    assert {path.name for path in folder.iterdir()} == set(STATIC)
    for name in STATIC:
        colours = tokens_css().encode() if name == "page.css" else b""
        assert site.get(f"/static/{name}").content == colours + (folder / name).read_bytes()
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
    from rubricate.io.reading import Reading
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


def test_a_model_that_is_brought_along_suggests(tmp_path, topics):
    from rubricate.errors import InvalidInput
    from rubricate.io.reading import Reading
    from rubricate.service.labelling import fill_workspace
    from rubricate.service.workspace.workspace import Workspace

    path = tmp_path / "mail.csv"
    path.write_text("id,text\na,wheat and corn\nb,crude oil\n", encoding="utf-8")
    options = {"reading": Reading(split=None), "model": topics, "categories": [], "single": False}
    for _ in range(2):
        fill_workspace(path, tmp_path / "w", **options)
    workspace = Workspace(tmp_path / "w")
    project = workspace.projects.get("mail")
    queue = workspace.queue.take(project, "uncertain", annotator="ann")
    assert {each["id"]: each["suggested"] for each in queue["documents"]} == {"a": ["grain"], "b": ["fuel"]}
    assert [model["in_use"] for model in workspace.models.all(project)] == [True]
    other = workspace.projects.create("other", ["news"], kind="multi")
    workspace.close()
    with pytest.raises(InvalidInput, match="categories that the project 'other' does not have, such as 'fuel'"):
        fill_workspace(path.rename(tmp_path / "other.csv"), tmp_path / "w", **options)
    assert other.categories == ("news",)


def test_the_page_of_a_model_says_what_further_labels_promise(serve, tmp_path):
    from rubricate.service.workspace.workspace import Workspace

    workspace = Workspace(tmp_path / "w")
    project = workspace.projects.create("p", ["a", "b"], kind="multi")
    curve = {"measure": "micro-F1", "sizes": [25, 50, 100], "values": [0.5, 0.6, 0.7], "gain": 0.02, "more": 31}
    figures = {"micro_f1": 0.7, "micro_f1_interval": [0.6, 0.8], "macro_f1": None, "per_category": []}
    summary = {"documents": 100, "curve": curve | {"double": [0.75, 0.7, 0.8]}, **figures}
    workspace.models.add(workspace.models.claim(project), summary=summary, predictions=[])
    workspace.models.use(project, 1, who="ann")
    workspace.close()
    text = serve(workspace=tmp_path / "w").get("/p/p/model").text
    assert "About 31 more labels for +0.02 micro-F1." in text
    assert "With 200 labels: micro-F1 about 0.75, 95 % interval 0.70 to 0.80" in text
    assert "0.700 [0.600, 0.800]" in text
    assert 'viewBox="0 0 600 276"' in text
    assert "100 labels 0.700" in text


def test_the_nearest_labelled_documents_come_with_their_similarity(serve, topics, tmp_path):
    from rubricate.service.labelling import bring_model
    from rubricate.service.workspace.documents import NewDocument
    from rubricate.service.workspace.workspace import Workspace

    workspace = Workspace(tmp_path / "w")
    project = workspace.projects.create("news", ["grain", "fuel"], kind="single")
    rows = [("d1", "wheat and corn harvest", ("grain",)), ("d2", "wheat", ("grain",)), ("d3", "wheat harvest", None)]
    workspace.documents.add(project, [NewDocument(name, text, None, labels) for name, text, labels in rows])
    bring_model(workspace, project, topics)
    workspace.close()
    client = serve(workspace=tmp_path / "w")
    answer = client.post("/models/news/explain", json={"text": "wheat corn harvest", "category": "grain"}).json()
    assert [each["id"] for each in answer["nearest"]] == ["d1", "d2"]
    assert answer["nearest"][0]["similarity"] == pytest.approx(1.0)
    other = client.post("/models/news/explain", json={"text": "wheat oil corn", "category": "fuel"}).json()
    assert other["change"] == {"without": other["change"]["without"], "labels": ["fuel"]}
    assert set(other["change"]["without"]) <= {"wheat", "corn"}
