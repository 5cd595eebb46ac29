"""Classifying over HTTP: the same answers as the library, in three forms."""

from __future__ import annotations

import csv
import json
import shutil
import time

import pytest

import rubricate as rb

pytestmark = pytest.mark.slow

NDJSON = {"content-type": "application/x-ndjson"}
CSV = {"content-type": "text/csv"}
WORDS = ["wheat", "corn", "exports", "crude", "oil", "gas", "harvest", "pipeline", "the", "Ünïcode", "İstanbul"]


def _texts(n):
    return [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(1, 5)) for i in range(n)]


def _ask(client, documents, **options):
    answer = client.post("/models/topics/classify", json={"documents": documents, **options})
    assert answer.status_code == 200, answer.text
    return answer.json()["documents"]


def test_answers_are_those_of_the_library(client, topics):
    texts = _texts(50)
    answers = _ask(client, [{"text": text} for text in texts], top=2)
    expected = rb.Categorizer.open(topics).answers(texts, top=2)
    assert [answer["labels"] for answer in answers] == [list(answer.labels) for answer in expected]
    assert [answer["scores"] for answer in answers] == [dict(answer.scores) for answer in expected]
    assert [answer["confidence"] for answer in answers] == pytest.approx(
        [each.confidence for each in expected], abs=1e-6
    )
    assert [answer["id"] for answer in answers] == [str(i) for i in range(1, 51)]


@pytest.mark.parametrize("options", [{}, {"top": 2}, {"abstain": 0.9}])
def test_a_document_alone_has_the_answer_it_has_among_others(client, options):
    """One short document is scored without matrices, many are not: the same to the last digit."""
    many = [{"id": str(i), "text": text} for i, text in enumerate([*_texts(8), "", "wheat " * 2000])]
    many += [{"id": "t", "title": "Crude oil", "text": "wheat"}, {"id": "n", "text": "\u4e2d 7"}]
    together = {each["id"]: each for each in _ask(client, many, **options)}
    assert [_ask(client, [document], **options)[0] for document in many] == [together[each["id"]] for each in many]


def test_evidence_points_at_the_words(client):
    text = "Exports of WHEAT rose; wheat was dear"
    (answer,) = _ask(client, [{"id": 7, "text": text}], explain=2)
    assert answer["id"] == "7"
    words = {text[each["start"] : each["end"]].lower(): each["weight"] for each in answer["evidence"]}
    assert set(words) == {"exports", "wheat"}
    assert all(weight > 0 for weight in words.values())
    assert {each["category"] for each in answer["evidence"]} == {"grain"}


def test_weights_of_a_term_add_up_to_its_contribution(client, topics):
    text = "wheat and wheat and corn"
    (answer,) = _ask(client, [{"text": text}], explain=5)
    expected = {reason.source: reason.weight for reason in rb.Categorizer.open(topics).explain(text)["grain"]}
    total = sum(each["weight"] for each in answer["evidence"] if text[each["start"] : each["end"]] == "wheat")
    assert total == pytest.approx(expected["wheat"])


def test_titles_have_evidence_of_their_own(client):
    (answer,) = _ask(client, [{"title": "Crude oil", "text": "up"}], explain=2)
    assert {"Crude oil"[each["start"] : each["end"]] for each in answer["title_evidence"]} == {"Crude", "oil"}
    assert answer["evidence"] == []


def test_abstaining_gives_null_labels(client):
    (answer,) = _ask(client, [{"text": "wheat"}], abstain=1)
    assert answer["labels"] is None


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"documents": [{"txt": "a"}]}, "documents.0.text"),
        ({"documents": [{"text": 3}]}, "documents.0.text"),
        ({"documents": "a"}, "documents"),
        ({"documents": [{"text": "a"}], "top": True}, "top"),
        ({"documents": [{"text": "a"}], "top": 1.5}, "top"),
        ({"documents": [{"text": "a"}], "explain": "yes"}, "explain"),
        ({"documents": [{"text": "a"}], "abstain": 2}, "abstain"),
        ({"documents": [{"text": "a"}], "tip": 2}, "tip"),
        ([], "body"),
    ],
)
def test_a_wrong_body_is_422_and_says_where(client, body, where):
    answer = client.post("/models/topics/classify", json=body)
    assert answer.status_code == 422
    assert where in answer.json()["detail"]


def test_an_unknown_model_is_404_and_names_the_known_ones(client):
    answer = client.post("/models/topic/classify", json={"documents": []})
    assert (answer.status_code, "Did you mean 'topics'" in answer.json()["detail"]) == (404, True)


def test_ndjson_in_gives_ndjson_out(client):
    texts = _texts(700)
    body = "".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts))
    answer = client.post("/models/topics/classify?top=1", content=body.encode(), headers=NDJSON)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["id"] for line in lines] == [f"d{i}" for i in range(700)]
    whole = _ask(client, [{"text": text} for text in texts], top=1)
    assert [line["scores"] for line in lines] == [each["scores"] for each in whole]


def test_a_broken_line_at_the_start_is_422_and_later_the_last_line(client):
    broken = client.post("/models/topics/classify", content=b'{"text": 1}\n', headers=NDJSON)
    assert (broken.status_code, broken.json()["detail"][:12]) == (422, "line 1: text")

    def body():
        yield b'{"text": "oil"}\n' * 1000
        yield b"{broken\n"

    late = client.post("/models/topics/classify", content=body(), headers=NDJSON)
    lines = late.text.splitlines()
    assert (late.status_code, len(lines)) == (200, 1001)
    assert "line 1001" in json.loads(lines[-1])["error"]


def test_csv_in_gives_csv_out(client):
    body = b'id,text\na,"wheat, corn"\nb,oil\n'
    answer = client.post("/models/topics/classify", content=body, headers=CSV)
    assert list(csv.reader(answer.text.splitlines())) == [["id", "labels"], ["a", "grain"], ["b", "fuel"]]
    form = client.post("/models/topics/classify?explain=1&abstain=0", files={"file": ("x.csv", body)})
    assert form.text.splitlines()[0] == "id,labels,confidence,abstained,evidence"
    wrong = client.post("/models/topics/classify", content=b"id,txt\na,b\n", headers=CSV)
    assert (wrong.status_code, "did you mean 'txt'" in wrong.json()["detail"]) == (422, True)


def test_other_content_types_are_415(client):
    answer = client.post("/models/topics/classify", content=b"<a/>", headers={"content-type": "application/xml"})
    assert answer.status_code == 415


def test_limits_on_documents_body_and_lines(serve, topics):
    client = serve(models=(topics,), max_documents=2, max_body=1 << 20, max_line=1 << 20)
    three = client.post("/models/topics/classify", json={"documents": [{"text": "a"}] * 3})
    assert (three.status_code, "a call takes 2" in three.json()["detail"]) == (422, True)
    long = {"documents": [{"text": "a" * (1 << 20)}]}
    assert client.post("/models/topics/classify", json=long).status_code == 413
    chunks = iter([b'{"documents": [{"text": "', b"a" * (1 << 20), b'"}]}'])
    assert client.post("/models/topics/classify", content=chunks).status_code == 413
    line = client.post("/models/topics/classify", content=b"a" * ((1 << 20) + 1), headers=NDJSON)
    assert line.status_code == 413


def test_a_model_without_folds_cannot_abstain(serve, tmp_path):
    path = tmp_path / "bare.rubric"
    rb.Categorizer(rb.SVM(), folds=0).fit(["wheat", "oil"], ["x", "y"]).save(path)
    client = serve(models=(path,))
    answer = client.post("/models/bare/classify", json={"documents": [{"text": "a"}], "abstain": 0.5})
    assert (answer.status_code, "without folds" in answer.json()["detail"]) == (422, True)
    plain = client.post("/models/bare/classify", json={"documents": [{"text": "a"}]}).json()
    assert plain["documents"][0]["confidence"] is None


def test_a_replaced_file_is_taken_into_use_and_a_broken_one_is_not(serve, topics, tmp_path):
    path = tmp_path / "live.rubric"
    shutil.copy(topics, path)
    client = serve(models=(path,))
    rb.Categorizer(rb.SVM(), folds=0).fit(["wheat", "oil"], ["plants", "minerals"]).save(path)
    names = [each["name"] for each in _until(client, lambda found: found["documents"] == 2)["categories"]]
    assert names == ["minerals", "plants"]
    part = tmp_path / "part"
    part.write_bytes(b"not a model")
    part.replace(path)
    time.sleep(1.5)
    assert client.get("/models/live").json()["documents"] == 2


def _until(client, condition):
    for _ in range(100):
        described = client.get("/models/live").json()
        if condition(described):
            return described
        time.sleep(0.1)
    raise AssertionError(described)


def test_models_are_listed_and_described(client):
    assert client.get("/models").json() == {
        "models": [{"name": "topics", "categories": 2, "documents": 18, "single_label": True}]
    }
    described = client.get("/models/topics", params={"terms": 2}).json()
    assert [each["name"] for each in described["categories"]] == ["fuel", "grain"]
    assert described["categories"][1]["top_terms"][0] in ("wheat", "corn", "export", "harvest")
    assert described["figures"]["documents"] == 18
    assert "SVM" in described["settings"]["classifier"]


def test_health_readiness_and_metrics(client):
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").json() == {"status": "ready", "models": 1}
    _ask(client, [{"text": "oil"}] * 3)
    text = client.get("/metrics").text
    assert 'rubricate_documents_total{model="topics"} 3' in text
    assert 'route="/models/{name}/classify",status="200"} 1' in text


def test_pages_of_other_sites_change_nothing(client):
    body = {"documents": []}
    foreign = client.post("/models/topics/classify", json=body, headers={"origin": "https://evil.example"})
    assert foreign.status_code == 403
    rebound = client.get("/models", headers={"host": "evil.example"})
    assert rebound.status_code == 403
    own = client.post("/models/topics/classify", json=body, headers={"origin": "http://testserver"})
    assert own.status_code == 200


def test_a_token_is_asked_for_where_there_is_one(serve, topics):
    client = serve(models=(topics,), token="0123456789abcdef")
    assert client.get("/health").status_code == 200
    refused = client.get("/models")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert client.get("/models", headers={"authorization": "Bearer 0123456789abcdef"}).status_code == 200


def test_two_files_with_one_stem_are_refused(topics, tmp_path):
    from rubricate.errors import InvalidInput
    from rubricate.service.settings import ServiceSettings

    with pytest.raises(InvalidInput, match="topics"):
        ServiceSettings(models=(topics, tmp_path / "topics.rubric"))
