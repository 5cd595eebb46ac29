"""Clients that go away: what they asked for stops, and half of what they sent is not taken for a whole."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.service.live import live_service

pytestmark = pytest.mark.slow


def _get(site, path):
    with urllib.request.urlopen(site + path, timeout=30) as answer:
        return json.load(answer)


def _raw(site, head, body=b""):
    where = urlsplit(site)
    connection = socket.create_connection((where.hostname, where.port))
    lines = "\r\n".join((*head, f"Host: {where.netloc}", "", ""))
    connection.sendall(lines.encode() + body)
    return connection


def test_half_a_file_is_not_kept(tmp_path):
    with live_service(workspace=tmp_path) as site:
        body = json.dumps({"name": "p", "categories": ["a"]}).encode()
        request = urllib.request.Request(f"{site}/projects", body, {"content-type": "application/json"})
        urllib.request.urlopen(request, timeout=30).close()
        head = ("POST /projects/p/documents HTTP/1.1", "Content-Type: text/csv", "Content-Length: 1000")
        connection = _raw(site, head, b"id,text\na,whole\nb,ha")
        time.sleep(1.0)
        connection.close()
        time.sleep(2.0)
        assert _get(site, "/projects/p")["documents"] == 0


def test_a_comparison_that_nobody_waits_for_stops(topics, monkeypatch, tmp_path):
    """The parser is replaced by a program that would run for an hour; it must be gone when the client is."""
    from rubricate.service import upload_process as process

    marker = tmp_path / "started"
    code = f"import pathlib, os, time; pathlib.Path({str(marker)!r}).write_text(str(os.getpid())); time.sleep(3600)"

    async def start(_, *arguments):
        return await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=-1, stdout=-1)

    monkeypatch.setattr(process.ParserPool, "start", start)
    with live_service(models=(topics,)) as site:
        field = 'Content-Disposition: form-data; name="{0}"; filename="{0}.csv"'
        file = "document,labels\n1,a\n\r\n"
        parts = [f"--x\r\n{field.format(name)}\r\n\r\n{file}" for name in ("truth", "runs")]
        body = ("".join(parts) + "--x--\r\n").encode()
        kind = "Content-Type: multipart/form-data; boundary=x"
        head = ("POST /evaluate HTTP/1.1", kind, f"Content-Length: {len(body)}")
        connection = _raw(site, head, body)
        _until(lambda: marker.exists() and marker.read_text())
        connection.close()
        _until(lambda: not _runs(int(marker.read_text())))


def _runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_full_lane_is_503_with_the_seconds_to_wait(topics):
    with live_service(models=(topics,), max_waiting=1, rate=None) as site:
        where = urlsplit(site)
        statuses, waits = [], []
        body = json.dumps({"documents": [{"text": "wheat"}] * 3000})
        connections = [http.client.HTTPConnection(where.hostname, where.port, timeout=60) for _ in range(6)]
        for connection in connections:
            connection.request("POST", "/models/topics/classify", body, {"content-type": "application/json"})
        for connection in connections:
            answer = connection.getresponse()
            statuses.append(answer.status)
            waits.append(answer.headers.get("Retry-After"))
            answer.read()
        assert set(statuses) == {200, 503}
        assert [wait == "1" for wait in waits] == [status == 503 for status in statuses]


def test_a_client_that_asks_too_often_is_429_with_the_seconds_to_wait(serve, topics):
    client = serve(models=(topics,), rate=1.0)
    answers = [client.get("/models") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert answers[-1].headers["retry-after"] == "1"


def test_behind_a_proxy_a_service_with_a_token_answers_to_any_name(serve, topics):
    """A name that points here is dangerous only where whoever comes is trusted."""
    client = serve(models=(topics,), token="0123456789abcdef")
    headers = {"authorization": "Bearer 0123456789abcdef", "host": "topics.example.org"}
    assert client.get("/models", headers=headers).status_code == 200
    body = {"documents": [{"text": "a"}]}
    own = client.post("/models/topics/classify", json=body, headers=headers | {"origin": "https://topics.example.org"})
    assert own.status_code == 200
    foreign = client.post("/models/topics/classify", json=body, headers=headers | {"origin": "https://evil.example"})
    assert foreign.status_code == 403
