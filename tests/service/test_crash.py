"""kill -9 in the middle of labelling and training: nothing that was acknowledged is lost, on both databases."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

pytestmark = pytest.mark.proof
PROGRAM = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", "--port", "0"]


class Running:
    """A service in a process of its own."""

    def __init__(self, workspace, database):
        options = [] if database is None else ["--database", database]
        self.process = subprocess.Popen(
            [*PROGRAM, "--workspace", str(workspace), *options], stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        self.address = re.search(r"http://\S+", line).group().rstrip("/")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start(tmp_path, database):
    """Start services on one workspace; none outlives the test."""
    started = []

    def run():
        started.append(Running(tmp_path / "w", database))
        return started[-1]

    yield run
    for service in started:
        service.kill()


def test_what_was_acknowledged_is_there_after_kill_9(start):
    service = start()
    service.call("POST", "/projects", {"name": "p", "categories": ["a", "b"], "kind": "single"})
    rows = [{"id": str(i), "text": f"{'wheat corn' if i % 2 else 'oil gas'} number {i}"} for i in range(400)]
    service.call("POST", "/projects/p/documents", {"documents": rows})
    acknowledged: dict[str, dict[str, str]] = {}
    stop = threading.Event()

    def annotate(name):
        for i in range(400):
            if stop.is_set():
                return
            label = "a" if i % 2 else "b"
            try:
                service.call("POST", "/projects/p/labels", {"document": str(i), "labels": [label], "annotator": name})
            except OSError:
                return
            acknowledged.setdefault(str(i), {})[name] = label

    for round_ in range(2):
        people = [threading.Thread(target=annotate, args=(f"{name}{round_}",)) for name in ("ann", "bob", "eve")]
        for person in people:
            person.start()
        _until(lambda least=12 * (round_ + 1): sum(map(len, list(acknowledged.values()))) >= least)
        job = service.call("POST", "/projects/p/train", {"classifier": "nb"})["id"]
        time.sleep(1.0)
        service.kill()
        stop.set()
        for person in people:
            person.join()
        stop.clear()
        service = start()
        with urllib.request.urlopen(f"{service.address}/projects/p/export", timeout=60) as answer:
            kept = {row["id"]: row for row in map(json.loads, answer.read().splitlines())}
        for document, given in acknowledged.items():
            there = {each["annotator"]: each["labels"] for each in kept[document]["annotations"]}
            assert {name: [label] for name, label in given.items()}.items() <= there.items()
        _until(lambda job=job, own=service: own.call("GET", f"/jobs/{job}")["state"] not in ("waiting", "running"))
        assert service.call("GET", f"/jobs/{job}")["state"] == "done"  # also: the next round may train again
    assert sum(map(len, acknowledged.values())) > 20


def _until(condition, seconds=600):
    """Wait: how long something takes depends on what else the machine does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)
