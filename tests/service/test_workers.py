"""Two processes of one service: what one knows the other knows, and a stop finishes what is under way."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.service.conftest import LABELS, TEXTS

import rubricate as rb
from rubricate.service.rates import RateLimits, SharedBuckets

SERVE = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", "--port", "0", "--workers", "2"]


def test_processes_count_the_requests_of_a_client_together(tmp_path):
    first, second = (RateLimits(1, burst=3, buckets=SharedBuckets(tmp_path / "rates")) for _ in range(2))
    assert [rates.wait("a", now=10.0) for rates in (first, second, first, second)] == [0, 0, 0, 1]
    assert (first.wait("b", now=10.0), second.wait("a", now=11.0), first.wait("a", now=11.0)) == (0, 0, 1)


class Workers:
    """A service of two processes."""

    def __init__(self, model, workspace):
        command = [*SERVE, str(model), "--workspace", str(workspace)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http://\S+", self.process.stderr.readline()).group().rstrip("/")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.until(lambda: len(self.ids()) == 2 and self.call("GET", "/ready")[0] == 200)

    def ids(self):
        """Return the processes that answer requests; the parent has others, which only look after resources."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        commands = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children.split()}
        return sorted(int(child) for child, command in commands.items() if b"spawn_main" in command)

    @contextmanager
    def only(self, worker):
        """Let one process alone answer."""
        others = [each for each in self.ids() if each != worker]
        time.sleep(0.4)  # one that is stopped while it writes would keep the database to itself
        for other in others:
            os.kill(other, signal.SIGSTOP)
        try:
            yield
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    def each(self, *arguments, **options):
        """Return what both processes answer."""
        answers = []
        for worker in self.ids():
            with self.only(worker):
                answers.append(self.call(*arguments, **options))
        return answers

    def call(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", **{key.replace("_", "-"): v for key, v in headers.items()}}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null"), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read()), error.headers
        except OSError:
            return 0, None, {}

    def until(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)


def _topics(path, names=("grain", "fuel")):
    rb.Categorizer(rb.SVM()).fit(TEXTS, [names[0] if label == "grain" else names[1] for label in LABELS]).save(path)


@pytest.mark.proof
def test_two_processes_are_one_service(tmp_path):
    model = tmp_path / "topics.rubric"
    _topics(model)
    _topics(tmp_path / "other.rubric", ("cereals", "energy"))
    service = Workers(model, tmp_path / "w")
    try:
        body = {"documents": [{"text": "wheat and corn"}]}

        def labels():
            both = service.each("POST", "/models/topics/classify", body)
            return [answer[1]["documents"][0]["labels"] for answer in both]

        assert labels() == [["grain"]] * 2
        # Whichever process is asked, the metrics are those of both.
        for worker in service.ids():
            with service.only(worker), urllib.request.urlopen(service.address + "/metrics", timeout=60) as answer:
                assert 'rubricate_documents_total{model="topics"} 2.0' in answer.read().decode()
        # A project made by one process is there for the other; so are documents and labels.
        made = service.call("POST", "/projects", {"name": "p", "categories": ["grain", "fuel"], "kind": "single"})
        assert made[0] == 201
        rows = [{"id": str(i), "text": f"{text} {i}"} for i, text in enumerate(TEXTS)]
        assert service.call("POST", "/projects/p/documents", {"documents": rows})[0] == 201
        for worker, half in zip(service.ids(), (range(9), range(9, 18)), strict=True):
            with service.only(worker):
                for i in half:
                    label = {"document": str(i), "labels": [LABELS[i]], "annotator": "ann"}
                    assert service.call("POST", "/projects/p/labels", label)[0] == 201
        assert [answer[1]["labelled"] for answer in service.each("GET", "/projects/p")] == [18, 18]
        # One of them starts the job, once; both serve the model.
        job = service.call("POST", "/projects/p/train", {"classifier": "nb"})[1]["id"]
        service.until(lambda: service.call("GET", f"/jobs/{job}")[1]["state"] not in ("waiting", "running"))
        assert service.call("GET", f"/jobs/{job}")[1]["state"] == "done"
        assert len(service.call("GET", "/projects/p/models")[1]["models"]) == 1
        service.until(lambda: [a[0] for a in service.each("POST", "/models/p/classify", body)] == [200, 200])
        # A new file is taken into use by both.
        (tmp_path / "other.rubric").replace(model)
        service.until(lambda: labels() == [["cereals"]] * 2)
        # A session of one process is a session of the other, with its token; so are the limits for logging in.
        account = {"name": "root", "password": "correct horse", "role": "admin"}
        assert service.call("POST", "/accounts", account)[0] == 201
        service.until(lambda: [answer[0] for answer in service.each("GET", "/projects")] == [401, 401])
        login = {"name": "root", "password": "correct horse"}
        status, session, headers = service.call("POST", "/login", login)
        assert status == 200
        cookie = headers["set-cookie"].partition(";")[0]
        assert [a[0] for a in service.each("GET", "/projects", cookie=cookie)] == [200, 200]
        project = {"name": "q", "categories": ["a"]}
        assert [a[0] for a in service.each("POST", "/projects", project, cookie=cookie)] == [403, 403]
        token = {"cookie": cookie, "x_csrf_token": session["csrf"]}
        assert [a[0] for a in service.each("POST", "/projects", project, **token)] == [201, 409]
        wrong = {"name": "root", "password": "wrong"}
        statuses = [a[0] for _ in range(4) for a in service.each("POST", "/login", wrong)]
        assert statuses[:2] == [401, 401]
        assert 429 in statuses
        assert statuses.count(401) <= 5
    finally:
        service.process.kill()
        service.process.wait()


@pytest.mark.proof
def test_a_stop_finishes_what_is_under_way(tmp_path):
    model = tmp_path / "topics.rubric"
    _topics(model)
    service = Workers(model, tmp_path / "w")
    answers = []
    body = {"documents": [{"text": "wheat and corn " * 40}] * 5_000}
    try:
        asking = [
            threading.Thread(target=lambda: answers.append(service.call("POST", "/models/topics/classify", body)))
            for _ in range(3)
        ]
        for each in asking:
            each.start()
        time.sleep(0.5)
        service.process.terminate()
        for each in asking:
            each.join()
        assert service.process.wait(60) == 0
        assert [answer[0] for answer in answers] == [200, 200, 200]
        assert all(len(answer[1]["documents"]) == 5_000 for answer in answers)
    finally:
        service.process.kill()
        service.process.wait()
