"""Search and paging with very many documents: seconds of every page and call, as JSON.

python -m tools.service_scale [--documents 500000] [--workspace DIR] [--database URL] [--browser] [--json FILE]

Fills a project with made-up documents (30 words each, frequencies by Zipf's law), labels on every fiftieth, and a
model's decisions on all; then asks a running service for pages, searches and queues, each three times, and reports the
median and the longest. With --browser every page is also opened in Chromium, until it is loaded. A workspace that is
there already is filled up; --most N ends after so many new documents.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from benchmarks.annotating import service

from rubricate.service.workspace.comparisons import with_turns
from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace.models import Prediction
from rubricate.service.workspace.projects import Project
from rubricate.service.workspace.workspace import Workspace

NAME = "big"
WORDS, LENGTH, CHUNK = 50_000, 30, 10_000
CATEGORIES = [f"category {number}" for number in range(100)]
EVERY = 50


def texts(start: int, count: int) -> list[str]:
    """Return made-up texts from a place on; word0s is the most frequent word."""
    ranks = np.minimum(np.random.default_rng(start).zipf(1.3, size=(count, LENGTH)) - 1, WORDS - 1)
    return [" ".join(f"word{rank}s" for rank in row) for row in ranks.tolist()]


def fill(workspace: Workspace, n: int, most: int) -> bool:
    """Fill the project up; tell whether it is full."""
    began = time.perf_counter()
    known = [each["name"] for each in workspace.projects.all()]
    project = workspace.projects.get(NAME) if known else workspace.projects.create(NAME, CATEGORIES, kind="multi")
    first = done = workspace.documents.count(project)["documents"]
    while done < min(n, first + most):
        chunk = texts(done, min(CHUNK, n - done))
        labels = np.random.default_rng(done).integers(0, len(CATEGORIES), len(chunk)).tolist()
        documents = [
            NewDocument(f"d{done + i}", text, None, (CATEGORIES[labels[i]],) if (done + i) % EVERY == 0 else None)
            for i, text in enumerate(chunk)
        ]
        workspace.documents.add(project, documents)
        done += len(chunk)
        print(f"{done:,} documents, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    if done == n and not workspace.models.all(project):
        decide(workspace, project, np.random.default_rng(1))
    return done == n


def decide(workspace: Workspace, project: Project, rng: Any) -> None:
    """Let a made-up model decide on every document; it disagrees with a tenth of the labels."""

    said, places = [], []
    after: int | None = 0
    while after is not None:
        rows, after = workspace.documents.rows(project, after=after, n=CHUNK)
        chances, columns = rng.random(len(rows)).tolist(), rng.integers(0, 100, len(rows)).tolist()
        for row, chance, column in zip(rows, chances, columns, strict=True):
            labelled = int(row.name[1:]) % EVERY == 0
            wrong = chance if labelled and column < 10 else None
            said.append(Prediction(row.id, (CATEGORIES[column],), chance, wrong, None if labelled else 1 - chance))
            places.append(row.place)

    interval = {"micro_f1_interval": [0.7, 0.9], "macro_f1_interval": [0.6, 0.8]}
    summary = {"documents": 10, "categories": 100, "micro_f1": 0.8, "macro_f1": 0.7, "per_category": [], **interval}
    workspace.models.add(workspace.models.claim(project), summary=summary, said=with_turns(said, places, CATEGORIES))
    workspace.models.use(project, 1, who="scale")


def addresses(n: int) -> dict[str, str]:
    """Return what is asked for, by name."""
    page, api, queue = f"/p/{NAME}/documents", f"/projects/{NAME}/documents", f"/projects/{NAME}/queue"

    def asked(path: str, **options: Any) -> str:
        return f"{path}?{urlencode(options)}"

    return {
        "first page": page,
        "page in the middle": asked(page, after=n // 2),
        "last page": asked(page, after=n - 60),
        "search: word in most documents": asked(page, query="word0s"),
        "search: word in most documents, last page": asked(page, query="word0s", after=n - 1_000),
        "search: frequent word": asked(page, query="word50s"),
        "search: rare word": asked(page, query="word40000s"),
        "search: two words": asked(page, query="word3s word70s"),
        "search: nothing": asked(page, query="absent"),
        "search: unfinished word in all documents": asked(page, query="wor"),
        "search: unfinished word in all documents, last page": asked(page, query="wor", after=n - 1_000),
        "search: unfinished frequent word": asked(page, query="word1"),
        "search: unfinished rare word": asked(page, query="word4000"),
        "search: word and unfinished word": asked(page, query="word3s word7"),
        "label and unfinished word": asked(page, label="category 7", query="word2"),
        "label": asked(page, label="category 7"),
        "label and word": asked(page, label="category 7", query="word2s"),
        "without labels": asked(page, state="no"),
        "with labels": asked(page, state="yes"),
        "with labels, last page": asked(page, state="yes", after=n - 1_000),
        "model disagrees": asked(page, state="disagreement"),
        "model is unsure": asked(page, state="unsure"),
        "model is unsure, word": asked(page, state="unsure", query="word9s"),
        "API: decided": asked(api, decided="category 7"),
        "API: below": asked(api, below=0.01),
        "queue: random": asked(queue, order="random"),
        "queue: uncertain": asked(queue, order="uncertain"),
        "queue: suspect": asked(queue, order="suspect"),
        "queue: measure": asked(queue, order="measure"),
        "API: estimate": f"/projects/{NAME}/estimate",
        "page Label": f"/p/{NAME}/label",
        "page Model": f"/p/{NAME}/model",
        "page History": f"/p/{NAME}/history",
        "first page of all": "/",
    }


def measure(port: int, n: int) -> dict[str, dict[str, float]]:
    """Ask for everything three times."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    seconds = {}
    for name, address in addresses(n).items():
        times = []
        for _ in range(3):
            began = time.perf_counter()
            connection.request("GET", address)
            answer = connection.getresponse()
            answer.read()
            times.append(time.perf_counter() - began)
            assert answer.status == 200, (address, answer.status)
        seconds[name] = {"median": round(statistics.median(times), 4), "longest": round(max(times), 4)}
    return seconds


def in_browser(port: int, n: int) -> dict[str, dict[str, float]]:
    """Open every page three times in a browser; return the seconds from the click to the loaded page."""
    from tests.reports.browser import browser

    seconds = {}
    with browser() as window:
        window.look()
        for name, address in addresses(n).items():
            if not address.startswith("/p/"):
                continue
            times = []
            for _ in range(3):
                window.get(f"http://127.0.0.1:{port}{address}")
                taken = window.run("return performance.getEntriesByType('navigation')[0].duration")
                times.append(float(taken) / 1000)
            seconds[name] = {"median": round(statistics.median(times), 4), "longest": round(max(times), 4)}
    return seconds


@contextmanager
def folder_for(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "workspace"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--database")
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--most", type=int, default=1 << 62)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with folder_for(options.workspace) as folder:
        workspace = Workspace(folder, options.database)
        full = fill(workspace, options.documents, options.most)
        workspace.close()
        if not full:
            return
        with service(folder, options.database) as port:
            seconds = measure(port, options.documents)
            opened = in_browser(port, options.documents) if options.browser else {}
    longest = max(each["longest"] for each in (*seconds.values(), *opened.values()))
    report = {
        "documents": options.documents,
        "database": "PostgreSQL" if options.database else "SQLite",
        "longest": longest,
        "seconds": seconds,
        "browser": opened,
    }
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.exit(0 if longest < 1 else 1)


if __name__ == "__main__":
    main()
