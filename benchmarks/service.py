"""Documents per second and latency of the service beside Annif 1.4.3, both over HTTP, one process each.

python -m benchmarks.service [--json] [--backend tfidf omikuji] [--documents N]

Both learn from the same Reuters training documents and classify the same test documents on this machine. Batch: as
many documents in a call as each allows (ours 1,024; Annif's limit is 32). Single: one document per call, one call after
the other; of five calls for each document, in turns, the fastest counts, so that other work on the machine matters
less. Connections are kept open, to both. `same_result` is true where both answered every document; they are different
systems. The peer lives in an environment of its own, build/peers/annif (or ANNIF_ENVIRONMENT), which is made on first
use: Annif 1.4.3, Omikuji if it installs, and NLTK's punkt_tab for its tokenizer, which the wheel of llama-index-core
carries.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rubricate as rb
from benchmarks._timing import Row

ENVIRONMENT = Path(os.environ.get("ANNIF_ENVIRONMENT", "build/peers/annif")).resolve()
CALL, PEER_CALL, SINGLE, CALLS, TRAIN = 1024, 32, 100, 5, 3000
PORT = 18_763
BACKENDS = {
    "tfidf": "backend=tfidf\nanalyzer=snowball(english)\nlimit=10\nvocab=topics",
    "omikuji": "backend=omikuji\nanalyzer=snowball(english)\nlimit=10\nvocab=topics",
}


_CONNECTIONS: dict[str, http.client.HTTPConnection] = {}


def _post(url: str, body: bytes, kind: str = "application/json") -> Any:
    """Send a request over the connection that is kept open to its host."""
    where = urllib.parse.urlsplit(url)
    connection = _CONNECTIONS.setdefault(where.netloc, http.client.HTTPConnection(where.netloc, timeout=300))
    headers = {"content-type": kind, "accept": "application/json"}
    for attempt in range(2):
        try:
            connection.request("POST", f"{where.path}?{where.query}" if where.query else where.path, body, headers)
            answer = connection.getresponse()
            break
        except (http.client.RemoteDisconnected, ConnectionError):  # idle connections are closed after some seconds
            connection.close()
            if attempt:
                raise
    content = answer.read()
    assert answer.status == 200, (url, answer.status, content[:200])
    return json.loads(content)


@contextmanager
def our_service(model: Path) -> Iterator[str]:
    """Serve a model with the command; yield the address of classify."""
    command = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve", str(model), "--port", "0"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stderr=log, text=True)
        try:
            address = None
            while address is None:
                time.sleep(0.1)
                log.seek(0)
                address = re.search(r"http://\S+", log.read())
                assert process.poll() is None
            yield f"{address.group()}models/{model.stem}/classify"
        finally:
            process.terminate()
            process.wait()


@contextmanager
def annif_service(folder: Path, backend: str, corpus: Any) -> Iterator[str]:
    """Train Annif and serve it; yield the address of the project."""
    program, environment = str(ENVIRONMENT / "bin" / "annif"), _environment()
    (folder / "projects.cfg").write_text(f"[peer]\nname=peer\nlanguage=en\n{BACKENDS[backend]}\n", encoding="utf-8")
    names = {name: f"http://example.org/{i}" for i, name in enumerate(corpus.categories)}
    terms = "".join(f"<{uri}>\t{name}\n" for name, uri in names.items())
    (folder / "topics.tsv").write_text(terms, encoding="utf-8")
    train = corpus.train
    lines = []
    for row, text in enumerate(train.texts[:TRAIN]):
        labels = train.labels.indices[train.labels.indptr[row] : train.labels.indptr[row + 1]]
        uris = " ".join(f"<{names[corpus.categories[column]]}>" for column in labels)
        if uris:
            lines.append(f"{' '.join(text.split())}\t{uris}\n")
    (folder / "train.tsv").write_text("".join(lines), encoding="utf-8")
    for arguments in (["load-vocab", "topics", "topics.tsv", "-L", "en"], ["train", "peer", "train.tsv"]):
        subprocess.run([program, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    process = subprocess.Popen(
        [program, "run", "--port", str(PORT)], cwd=folder, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{PORT}/v1/projects/peer"
        for _ in range(600):
            try:
                urllib.request.urlopen(address, timeout=5).read()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def prepare_peer() -> bool:
    """Make the environment of the peer where it is missing; tell whether it is there."""
    if (ENVIRONMENT / "bin" / "annif").exists():
        return True
    print(f"making {ENVIRONMENT} …", file=sys.stderr)
    pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        for command in (
            [sys.executable, "-m", "venv", str(ENVIRONMENT)],
            [*pip, "install", "annif==1.4.3"],
            [*pip, "download", "--no-deps", "--only-binary", ":all:", "--dest", folder, "llama-index-core"],
        ):
            if subprocess.run(command, check=False).returncode:
                return False
        subprocess.run([*pip, "install", "omikuji"], check=False)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                if "punkt_tab/" in name and not name.endswith("/"):
                    target = ENVIRONMENT / "nltk_data" / "tokenizers" / name[name.index("punkt_tab/") :]
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(name))
    return True


def _environment() -> dict[str, str]:
    return {**os.environ, "NLTK_DATA": str(ENVIRONMENT / "nltk_data"), "PYTHONPATH": ""}


def our_batch(url: str, texts: Sequence[str]) -> int:
    answered = 0
    for start in range(0, len(texts), CALL):
        body = {"documents": [{"text": text} for text in texts[start : start + CALL]], "top": 10}
        answered += len(_post(url, json.dumps(body).encode())["documents"])
    return answered


def peer_batch(url: str, texts: Sequence[str]) -> int:
    answered = 0
    for start in range(0, len(texts), PEER_CALL):
        body = {"documents": [{"text": text} for text in texts[start : start + PEER_CALL]]}
        answered += len(_post(f"{url}/suggest-batch?limit=10", json.dumps(body).encode()))
    return answered


def our_single(url: str, text: str) -> bool:
    return len(_post(url, json.dumps({"documents": [{"text": text}], "top": 10}).encode())["documents"]) == 1


def peer_single(url: str, text: str) -> bool:
    body = urllib.parse.urlencode({"text": text, "limit": 10}).encode()
    return "results" in _post(f"{url}/suggest", body, "application/x-www-form-urlencoded")


def _seconds(call: Any, *arguments: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - began, result


def _percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def rows_for(ours: str, peer: str, texts: Sequence[str], backend: str) -> Iterator[Row]:
    """Measure batch and single, ours and the peer in turns."""
    suffix = "" if backend == "tfidf" else f"-{backend}"
    name = f"Annif 1.4.3, {backend}"
    same = our_batch(ours, texts[:64]) == peer_batch(peer, texts[:64]) == 64
    pairs = [(_seconds(our_batch, ours, texts)[0], _seconds(peer_batch, peer, texts)[0]) for _ in range(3)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    rates = f"{len(texts) / mine:,.0f} and {len(texts) / theirs:,.0f} documents per second"
    work = f"{len(texts)} Reuters documents over HTTP, {CALL} and {PEER_CALL} in a call; {rates}"
    yield Row(f"service-batch{suffix}", work, name, mine, theirs, theirs / mine, same, 1)
    every: tuple[list[float], list[float]] = ([], [])
    best: tuple[list[float], list[float]] = ([], [])
    good = True
    for text in texts[:SINGLE]:
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(CALLS):
            for place, (call, url) in enumerate(((our_single, ours), (peer_single, peer))):
                taken, answered = _seconds(call, url, text)
                times[place].append(taken)
                good = good and answered
        for place in range(2):
            every[place].extend(times[place])
            best[place].append(min(times[place]))
    mine, theirs = (statistics.median(each) for each in best)
    tails = " and ".join(f"{1000 * _percentile(each, 0.99):.1f}" for each in every)
    work = f"one document per call, best of {CALLS} calls, median of {SINGLE} documents; p99 of all calls {tails} ms"
    yield Row(f"service-single{suffix}", work, name, mine, theirs, theirs / mine, good, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--backend", nargs="*", default=["tfidf"], choices=list(BACKENDS))
    parser.add_argument("--documents", type=int, default=CALL)
    options = parser.parse_args()
    if not prepare_peer():
        print(f"no Annif in {ENVIRONMENT}: not measured", file=sys.stderr)
        print("[]" if options.json else "")
        return
    corpus = rb.load("reuters21578", split="aptemod")
    texts = list(corpus.test.texts[: options.documents])
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "topics.rubric"
        rb.Categorizer(rb.SVM()).fit(corpus.train.take(range(TRAIN))).save(model)
        with our_service(model) as ours:
            for backend in options.backend:
                folder = Path(name) / backend
                folder.mkdir()
                with annif_service(folder, backend, corpus) as peer:
                    rows += rows_for(ours, peer, texts, backend)
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    for row in rows:
        print(f"{row.id:>22}  ours {row.ours_s:.4f} s  peer {row.peer_s:.4f} s  ratio {row.ratio:.1f}  {row.work}")


if __name__ == "__main__":
    main()
