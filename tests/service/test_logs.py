"""Logs: one JSON object per line, and no text of documents unless asked."""

from __future__ import annotations

import json
import logging

import pytest

from rubricate.service import logs

SECRET = "the secret harvest of Zanzibar"


@pytest.fixture
def lines(capsys):
    """What was logged, as objects; the loggers are as before when the test ends."""
    loggers = [logging.getLogger(name) for name in ("rubricate.service", "uvicorn.error")]
    before = [(logger, logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    seen = []

    def read():
        seen.extend(json.loads(line) for line in capsys.readouterr().err.splitlines())
        return seen

    yield read
    for logger, handlers, level, propagate in before:
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


def _classify(serve, topics, **settings):
    client = serve(models=(topics,), **settings)
    body = {"documents": [{"id": "d1", "text": SECRET}]}
    assert client.post("/models/topics/classify?x=" + SECRET, json=body).status_code == 200
    assert client.post("/models/topics/classify", json={"documents": [{"text": [SECRET]}]}).status_code == 422


def test_requests_are_logged_without_their_texts(serve, topics, lines):
    logs.log_to_standard_error()
    _classify(serve, topics)
    entries = [entry for entry in lines() if entry["event"] == "request"]
    assert [(entry["method"], entry["path"], entry["status"]) for entry in entries] == [
        ("POST", "/models/topics/classify", 200),
        ("POST", "/models/topics/classify", 422),
    ]
    assert all(entry["milliseconds"] > 0 and entry["time"].endswith("Z") for entry in entries)
    assert "Zanzibar" not in json.dumps(lines())


def test_texts_are_logged_where_that_is_asked_for(serve, topics, lines):
    logs.log_to_standard_error(quote=True)
    _classify(serve, topics, log_text=True)
    (entry,) = [entry for entry in lines() if entry["event"] == "classified"]
    assert (entry["model"], entry["documents"]) == ("topics", [{"id": "d1", "text": SECRET}])


@pytest.mark.parametrize("quote", [False, True])
def test_an_unexpected_error_is_logged_with_its_place_but_without_its_words(serve, topics, lines, quote, monkeypatch):
    logs.log_to_standard_error(quote=quote)
    client = serve(models=(topics,))

    def broken(*_):
        raise ValueError(SECRET)

    monkeypatch.setattr(client.app.state.service.registry.get("topics").writer, "rows", broken)
    answer = client.post("/models/topics/classify", json={"documents": [{"text": "a"}]})
    assert (answer.status_code, "Zanzibar" in answer.text) == (500, False)
    (entry,) = [entry for entry in lines() if entry["event"] == "request failed"]
    assert entry["error"] == "ValueError"
    assert "broken" in str(entry["traceback"])
    assert ("Zanzibar" in json.dumps(lines())) is quote
