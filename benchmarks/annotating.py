"""A simulated annotator at the real page and API: labels to 95 % of full micro-F1, and seconds of waiting per label.

python -m benchmarks.annotating reuters|banking77 [--pool N] [--step N] [--rounds N] [--page N] [--json FILE]

Starts `rubricate serve` on an empty workspace, puts in a pool of training documents without labels, and labels what the
queue hands out with the true labels: in the order that teaches most, and at random. After every step the service
trains; the model is judged on test documents through `POST /models/{name}/classify`. The full micro-F1 is that of the
model trained on the whole pool. With --page the first labels are given by keyboard in Chromium, and the time from the
last key of a label to the next document on the screen is measured in the page; the rest goes through the API, where the
waiting is that for the queue and for the label to be acknowledged. Training runs in the background and is not waiting.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._populations import corpus

TEST = 1_000
SHARE = 0.95
NAME = "pool"


class Client:
    """Calls of the service over one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body)
        try:
            answer = self._answer(method, path, content)
        except (http.client.RemoteDisconnected, ConnectionError):  # idle connections are closed after some seconds
            self._connection.close()
            answer = self._answer(method, path, content)
        data = answer.read()
        assert answer.status < 300, (answer.status, data[:300])
        return json.loads(data)

    def _answer(self, method: str, path: str, content: str | None) -> http.client.HTTPResponse:
        self._connection.request(method, path, content, {"content-type": "application/json"})
        return self._connection.getresponse()


@contextmanager
def service(workspace: Path, database: str | None = None) -> Iterator[int]:
    """Serve a workspace; yield the port."""
    command = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", "--port", "0"]
    command += ["--workspace", str(workspace), *(() if database is None else ("--database", database))]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r":(\d+)/", process.stderr.readline())
        assert found is not None
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield int(found[1])
    finally:
        process.terminate()
        process.wait()


def train(call: Client) -> None:
    """Train and wait until the model is in use."""
    job = call("POST", f"/projects/{NAME}/train", {"classifier": "svm"})["id"]
    while (state := call("GET", f"/jobs/{job}"))["state"] in ("waiting", "running"):
        time.sleep(0.2)
    assert state["state"] == "done", state
    number = state["result"]["model"]
    call("POST", f"/projects/{NAME}/models/{number}/use")


def judged(call: Client, texts: Sequence[str], truth: Sequence[set[str]]) -> float:
    """Return micro-F1 on the test documents."""
    answers = call("POST", f"/models/{NAME}/classify", {"documents": [{"text": text} for text in texts]})["documents"]
    decided = [set(answer["labels"]) for answer in answers]
    hits = sum(len(given & true) for given, true in zip(decided, truth, strict=True))
    return 2 * hits / (sum(map(len, decided)) + sum(map(len, truth)))


def label_by_api(call: Client, order: str, truth: dict[str, list[str]], n: int) -> list[float]:
    """Label n documents in an order; return the seconds of waiting for each."""
    waits: list[float] = []
    while len(waits) < n:
        began = time.perf_counter()
        asked = {"order": order, "n": min(10, n - len(waits)), "annotator": "sim", "random_share": 0.1}
        documents = call("POST", f"/projects/{NAME}/queue", asked)["documents"]
        fetched = (time.perf_counter() - began) / len(documents)
        for document in documents:
            began = time.perf_counter()
            body = {"document": document["id"], "labels": truth[document["id"]], "annotator": "sim"}
            call("POST", f"/projects/{NAME}/labels", body)
            waits.append(fetched + time.perf_counter() - began)
    return waits


WATCH = """
window.waits = []; let pressed = null;
document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
new MutationObserver(() => { if (pressed !== null) window.waits.push((performance.now() - pressed) / 1000); })
  .observe(document.getElementById("id"), { childList: true, characterData: true, subtree: true });
"""


def label_by_page(port: int, order: str, truth: dict[str, list[str]], *, n: int, single: bool) -> list[float]:
    """Label n documents by keyboard in a browser; return the seconds from the last key to the next document."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from tests.reports.browser import browser

    with browser() as window:
        window.look()
        window.get(f"http://127.0.0.1:{port}/p/{NAME}/label")
        window.run("document.getElementById('order').value = arguments[0]", order)
        field = window.find_element(By.ID, "annotator")
        field.send_keys("sim", Keys.TAB)
        window.run("document.activeElement.blur()")
        while not window.find_element(By.ID, "work").is_displayed():
            time.sleep(0.05)
        window.run(WATCH)
        for _ in range(n):
            document = window.find_element(By.ID, "id").text
            for label in truth[document]:
                window.press("/")
                window.press(label)
                window.press(Keys.ENTER)
            if not single:
                window.press(Keys.ENTER)
            while window.find_element(By.ID, "id").text == document:
                time.sleep(0.01)
        while "Saved" not in window.find_element(By.ID, "saved").text:
            time.sleep(0.05)
        waits: list[float] = window.run("return window.waits")
        return waits


def curve(data: Any, order: str, options: argparse.Namespace) -> dict[str, Any]:
    """Label in one order; return the micro-F1 after every step, and the waiting."""
    rows, categories, (texts, truths), kind = data
    truth = {row["id"]: row["labels"] for row in rows}
    points: list[tuple[int, float]] = []
    waits: list[float] = []
    page: list[float] = []
    with tempfile.TemporaryDirectory() as folder, service(Path(folder) / "w") as port:
        call = Client(port)
        call("POST", "/projects", {"name": NAME, "categories": categories, "kind": kind})
        call("POST", f"/projects/{NAME}/documents", {"documents": [{"id": r["id"], "text": r["text"]} for r in rows]})
        for round_ in range(options.rounds):
            first = options.page if round_ == 0 and order != "random" else 0
            if first:
                page = label_by_page(port, order, truth, n=first, single=kind == "single")
            waits += label_by_api(call, order, truth, options.step - first)
            train(call)
            points.append(((round_ + 1) * options.step, judged(call, texts, truths)))
            print(f"{order}: {points[-1]}", file=sys.stderr, flush=True)
            if options.stop and points[-1][1] >= options.stop:
                break
    return {"order": order, "points": points, "waiting": _waiting(waits), "page_waiting": _waiting(page)}


def _waiting(seconds: Sequence[float]) -> dict[str, float] | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return {"labels": len(seconds), "median": round(statistics.median(seconds), 4), "p99": round(p99, 4)}


def full(data: Any) -> float:
    """Return micro-F1 with the labels of the whole pool."""
    rows, categories, (texts, truths), kind = data
    with tempfile.TemporaryDirectory() as folder, service(Path(folder) / "w") as port:
        call = Client(port)
        call("POST", "/projects", {"name": NAME, "categories": categories, "kind": kind})
        call("POST", f"/projects/{NAME}/documents", {"documents": rows})
        train(call)
        return judged(call, texts, truths)


def pool_of(name: str, size: int) -> Any:
    """Return a random pool of training documents with labels, the categories, test documents, and the kind."""
    (texts, labels), (test, truth), categories = corpus(name)
    rng = np.random.default_rng(0)

    def named(matrix: Any, row: int) -> list[str]:
        return [categories[column] for column in matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]]

    chosen = rng.permutation(len(texts))[:size].tolist()
    rows = [{"id": str(row), "text": texts[row], "labels": named(labels, row)} for row in chosen]
    judged_on = rng.permutation(len(test))[:TEST].tolist()
    single = bool((np.diff(labels.indptr) == 1).all())
    asked = [test[row] for row in judged_on], [set(named(truth, row)) for row in judged_on]
    return [row for row in rows if row["labels"]], list(categories), asked, "single" if single else "multi"


def reached(points: Sequence[tuple[int, float]], goal: float) -> int | None:
    """Return the labels after which the goal is reached; None where it is not."""
    return next((labels for labels, value in points if value >= goal), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", choices=["reuters", "banking77"])
    parser.add_argument("--pool", type=int, default=2_000)
    parser.add_argument("--step", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--page", type=int, default=40, help="labels by keyboard in a browser; 0 for none")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    data = pool_of(options.corpus, options.pool)
    whole = full(data)
    options.stop = SHARE * whole
    curves = [curve(data, order, options) for order in ("uncertain", "random")]
    report = {
        "corpus": options.corpus,
        "pool": len(data[0]),
        "full_micro_f1": round(whole, 4),
        "goal": round(options.stop, 4),
        "labels_to_goal": {each["order"]: reached(each["points"], options.stop) for each in curves},
        "curves": curves,
    }
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
