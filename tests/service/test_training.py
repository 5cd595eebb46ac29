"""Training in the background: from labels to a model in use, cancelled, and taken up again."""

from __future__ import annotations

import time

import pytest
from tests.service.conftest import LABELS, TEXTS

from rubricate.service.workspace import database as tables
from rubricate.service.workspace.workspace import Workspace

pytestmark = pytest.mark.slow


def _labelled(client, n=18):
    client.post("/projects", json={"name": "news", "categories": ["grain", "fuel"], "kind": "single"})
    rows = list(zip(TEXTS, LABELS, strict=True))
    documents = [{"id": f"d{i}", "text": f"{text} {i}", "labels": [label]} for i, (text, label) in enumerate(rows[:n])]
    documents[0]["labels"] = ["fuel"]  # wrong
    documents += [{"id": "open", "text": "wheat"}, {"id": "other", "text": "gas and oil"}]
    assert client.post("/projects/news/documents", json={"documents": documents}).status_code == 201


def _wait(client, job, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = client.get(f"/jobs/{job}").json()
        if found["state"] not in ("waiting", "running"):
            return found
        time.sleep(0.2)
    raise AssertionError(found)


@pytest.mark.proof
def test_labels_become_a_model_that_is_served_and_orders_the_queue(workspace):
    _labelled(workspace)
    job = workspace.post("/projects/news/train", json={"classifier": "svm"}).json()
    done = _wait(workspace, job["id"])
    assert (done["state"], done["done"]) == ("done", done["total"]), done
    (model,) = workspace.get("/projects/news/models").json()["models"]
    assert (model["number"], model["in_use"], model["summary"]["documents"]) == (1, True, 18)
    low, high = model["summary"]["micro_f1_interval"]
    assert low <= model["summary"]["micro_f1"] <= high
    suspects = workspace.get("/projects/news/queue", params={"order": "suspect"}).json()["documents"]
    assert suspects[0]["id"] == "d0"
    uncertain = workspace.get("/projects/news/queue", params={"order": "uncertain"}).json()
    assert {each["id"]: each["suggested"] for each in uncertain["documents"]} == {"open": ["grain"], "other": ["fuel"]}
    disagreeing = workspace.get("/projects/news/documents", params={"disagreement": True}).json()["documents"]
    assert "d0" in [each["id"] for each in disagreeing]
    body = {"documents": [{"text": "wheat"}]}
    for _ in range(50):
        answer = workspace.post("/models/news/classify", json=body)
        if answer.status_code == 200:
            break
        time.sleep(0.1)
    assert answer.json()["documents"][0]["labels"] == ["grain"]
    again = _wait(workspace, workspace.post("/projects/news/train", json={"classifier": "nb"}).json()["id"])
    assert again["result"]["changes"]["documents"] == 18
    assert workspace.post("/projects/news/models/1/use").json()["models"][1]["in_use"]
    kinds = [event["kind"] for event in workspace.get("/projects/news/history").json()["events"]]
    assert kinds[-4:] == ["use", "train", "use", "use"]


def test_too_few_labels_are_a_clear_word(workspace):
    workspace.post("/projects", json={"name": "news", "categories": ["grain", "fuel"]})
    done = _wait(workspace, workspace.post("/projects/news/train").json()["id"])
    assert (done["state"], "too few" in done["message"]) == ("failed", True)


def test_a_cancelled_job_stops_and_one_without_a_process_starts_again(workspace, tmp_path):
    _labelled(workspace)
    job = workspace.post("/projects/news/train").json()["id"]
    assert workspace.delete(f"/jobs/{job}").status_code == 200
    assert _wait(workspace, job)["state"] == "cancelled"
    assert workspace.get("/projects/news/models").json()["models"] == []
    assert workspace.delete("/jobs/9999").status_code == 404


def test_a_project_has_one_training_at_a_time(workspace, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    from rubricate.service.workspace.jobs import Jobs

    monkeypatch.setattr(Jobs, "start_due", lambda _: [])
    for name in ("news", "mail"):
        workspace.post("/projects", json={"name": name, "categories": ["grain", "fuel"]})
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: workspace.post("/projects/news/train"), range(6)))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 5
    job = next(answer.json()["id"] for answer in answers if answer.status_code == 202)
    refused = [answer for answer in answers if answer.status_code == 409]
    assert {answer.headers["location"] for answer in refused} == {f"/jobs/{job}"}
    assert f"job {job} " in refused[0].json()["detail"]
    assert workspace.post("/projects/mail/train").status_code == 202
    assert workspace.delete(f"/jobs/{job}").status_code == 200
    assert workspace.post("/projects/news/train").status_code == 202


def test_a_model_has_its_number_and_its_file_for_itself(tmp_path, database):
    from concurrent.futures import ThreadPoolExecutor

    workspace = Workspace(tmp_path, database)
    project = workspace.projects.create("p", ["a", "b"], kind="multi")
    with ThreadPoolExecutor(4) as pool:
        claimed = list(pool.map(lambda _: workspace.models.claim(project), range(6)))
    assert sorted(each.number for each in claimed) == [1, 2, 3, 4, 5, 6]
    assert len({each.path for each in claimed}) == 6
    assert workspace.models.all(project) == []  # claimed, not made
    (tmp_path / "models" / f"{project.id}-7.rubric").write_bytes(b"of a workspace that was here before")
    assert workspace.models.claim(project).number == 8
    workspace.close()


def test_a_job_whose_process_died_is_started_again(tmp_path):
    from sqlalchemy import update

    workspace = Workspace(tmp_path)
    project = workspace.projects.create("p", ["a", "b"], kind="multi")
    key = workspace.jobs.create(project, "train", {}, who="ann")
    with workspace.database.write() as connection:
        connection.execute(update(tables.jobs).values(state="running", heartbeat=1.0))
    assert workspace.jobs.start_due() == [key]
    with workspace.database.write() as connection:
        connection.execute(update(tables.jobs).values(heartbeat=1.0))
    assert workspace.jobs.start_due() == []  # its process is slow, but alive
    workspace.close()


def test_a_job_whose_process_dies_again_and_again_has_failed(tmp_path, monkeypatch):
    from sqlalchemy import update

    workspace = Workspace(tmp_path)
    project = workspace.projects.create("p", ["a", "b"], kind="multi")
    key = workspace.jobs.create(project, "train", {}, who="ann")
    monkeypatch.setattr("sys.executable", "/bin/false")
    starts = []
    for _ in range(5):
        starts += workspace.jobs.start_due()
        for process in workspace.jobs._processes.values():
            process.wait()
        with workspace.database.write() as connection:
            connection.execute(update(tables.jobs).values(heartbeat=1.0))
    assert starts == [key] * 3
    assert (workspace.jobs.get(key)["state"], "died 3 times" in workspace.jobs.get(key)["message"]) == ("failed", True)
    workspace.close()
