"""The queue `measure`: a stratified sample in turn, and the weighted estimate that its labels give."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubricate.service.workspace import documents
from rubricate.service.workspace.comparisons import measured, with_turns
from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace.models import Prediction
from rubricate.service.workspace.workspace import Workspace

NAMES = ("a", "b", "c")


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from([(), ("a",), ("b",), ("a", "c")]), st.floats(0, 1)), min_size=1), st.data())
def test_every_document_has_one_turn_and_every_beginning_is_a_stratified_sample(rows, data):
    predictions = [Prediction(key, labels, chance, None, 0.1) for key, (labels, chance) in enumerate(rows)]
    places = data.draw(st.permutations(range(len(predictions))))
    done = with_turns([*predictions, Prediction(99, ("a",), 0.5)], [*places, 0], NAMES)
    assert (done[-1].stratum, done[-1].turn) == (None, None)
    drawn = sorted(done[:-1], key=lambda each: each.turn)
    assert [each.turn for each in drawn] == list(range(len(predictions)))
    strata = np.array([each.stratum for each in drawn])
    sizes = np.bincount(strata)
    assert (sizes > 0).all()
    for stratum in range(len(sizes)):  # within a stratum in random order, the largest number first
        own = [places[each.document] for each in drawn if each.stratum == stratum]
        assert own == sorted(own, reverse=True)
    first = np.minimum(sizes, 2).sum()
    for n in range(first, len(predictions) + 1):  # in proportion, but for the two at the front of each
        counts = np.bincount(strata[:n], minlength=len(sizes))
        reach = max((strata == strata[n - 1])[:n].sum() + 0.5, 1) / sizes[strata[n - 1]]
        assert (counts <= np.maximum(2, reach * sizes + 1)).all()


@pytest.fixture
def store(tmp_path, database, monkeypatch):
    """1,000 documents: a model that is right on half of those it calls a and on all it calls b.

    The order of the documents is drawn with a seed: an interval of 95 % misses the truth in one of twenty orders.
    """
    monkeypatch.setattr(documents, "secrets", SimpleNamespace(randbelow=random.Random(1).randrange))
    workspace = Workspace(tmp_path / "w", database)
    project = workspace.projects.create("p", NAMES, kind="multi")
    workspace.documents.add(project, [NewDocument(f"d{i}", f"text {i}") for i in range(1_000)])
    rows, _ = workspace.documents.rows(project, n=2_000)
    truth = {row.name: ("b",) if k >= 300 else ("a",) if k % 2 else ("c",) for k, row in enumerate(rows)}
    predictions = [
        Prediction(row.id, ("a",) if k < 300 else ("b",), (k % 10) / 10, None, 0.0) for k, row in enumerate(rows)
    ]
    summary = {"documents": 10, "per_category": []}
    done = with_turns(predictions, [row.place for row in rows], NAMES)
    workspace.models.add(workspace.models.claim(project), summary=summary, predictions=done)
    assert measured(workspace.database, project) is None
    workspace.models.use(project, 1, who="ann")
    yield workspace, project, truth
    workspace.close()


@pytest.mark.slow
def test_labels_in_turn_give_a_weighted_estimate_and_others_do_not_count(store):
    workspace, project, truth = store

    def label(n):
        for document in workspace.queue.take(project, "measure", n=n, annotator="ann")["documents"]:
            workspace.labels.add(project, document["id"], truth[document["id"]], annotator="ann")

    found = measured(workspace.database, project)
    assert (found["labelled"], found["strata"], found["more"], found["estimates"]) == (0, 4, 8, [])
    uncertain = workspace.queue.take(project, "random", n=5)["documents"]
    for document in uncertain:
        workspace.labels.add(project, document["id"], truth[document["id"]], annotator="bob")
    assert measured(workspace.database, project)["labelled"] <= 1  # one of them may be the first in turn
    label(100)
    label(100)
    found = measured(workspace.database, project)
    assert 200 <= found["labelled"] <= 205
    assert (found["documents"], found["more"]) == (1_000, 0)
    by_name = {each["measure"]: each for each in found["estimates"]}
    right = by_name["micro_f1"]
    assert right["low"] < 0.85 < right["high"]  # 150 of 300 and 700 of 700 documents are right
    assert right["estimate"] == pytest.approx(0.85, abs=0.05)
    assert right["high"] - right["low"] < 0.1


@pytest.mark.slow
def test_the_sample_is_over_http_and_on_the_page(serve, store, tmp_path):
    workspace, _, truth = store
    client = serve(workspace=tmp_path / "w", database=None if workspace.database.sqlite else workspace.database.url)
    assert "about 8 more are needed" in client.get("/p/p/model").text
    queue = client.post("/projects/p/queue", json={"order": "measure", "n": 40, "annotator": "ann"}).json()
    assert queue["order"] == "measure"
    for document in queue["documents"]:
        body = {"document": document["id"], "labels": list(truth[document["id"]]), "annotator": "ann"}
        assert client.post("/projects/p/labels", json=body).status_code == 201
    answer = client.get("/projects/p/estimate").json()
    assert answer["labelled"] == 40
    names = [each["measure"] for each in answer["estimates"]]
    assert names == ["micro_precision", "micro_recall", "micro_f1", "macro_f1"], json.dumps(answer)
    assert "From 40 labels on a sample of the 1,000 documents" in client.get("/p/p/model").text
    client.post("/projects", json={"name": "q", "categories": ["a"]})
    assert client.get("/projects/q/estimate").status_code == 409


def test_a_workspace_of_an_earlier_version_finds_unfinished_words(tmp_path):
    from sqlalchemy import create_engine

    from rubricate.service.workspace.database import database_url, migrate
    from rubricate.service.workspace.documents import DocumentFilter

    engine = create_engine(database_url(tmp_path, None))
    with engine.begin() as connection:
        migrate(connection, "0004")
        connection.exec_driver_sql("INSERT INTO projects VALUES (1, 'p', 'multi', 0)")
        connection.exec_driver_sql("INSERT INTO documents VALUES (1, 1, 'd', NULL, 'harvest of wheat', 1, 0)")
    engine.dispose()
    workspace = Workspace(tmp_path)
    project = workspace.projects.get("p")
    workspace.documents.add(project, [NewDocument("e", "harvesting")])
    for query, names in (("harv", ["d", "e"]), ("wheat ha", ["d"]), ("harvesti", ["e"]), ("x", [])):
        found, _ = workspace.documents.find(project, DocumentFilter(query))
        assert [each["id"] for each in found] == names
    workspace.close()
