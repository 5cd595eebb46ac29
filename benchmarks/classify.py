"""classify: `rubricate classify` on a million short stories against scikit-learn doing the same, two cores.

Ours is the whole command, start included: compressed JSON Lines or Parquet in, answers of the same form out. The peer
is a program in scikit-learn: read 8,192 documents at a time, `TfidfVectorizer.transform`,
`LinearSVC.decision_function`, labels at 0, write; it has been started, and its model fitted, before its time begins.
The same result: the labels in our file are those of `Categorizer.classify` in memory, and their micro-F1 is not below
the peer's.

`python -m benchmarks.classify [--json]`
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import rubricate as rb
from benchmarks._memory import Watch
from benchmarks._timing import Row, publish
from rubricate.corpora.newswire import stream

ROOT = Path(__file__).parents[1]
DOCUMENTS, TRAINING, CATEGORIES, BATCH = 1_000_000, 4_000, 90, 8_192
NAMES = {"jsonl": ("short.jsonl.gz", "answers.jsonl.gz"), "parquet": ("short.parquet", "answers.parquet")}


def stories(documents: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield ids, headlines with the first sentence (24 words on average), and labels."""
    for part in stream(documents, CATEGORIES):
        labels, names = part.labels, part.categories
        for i, (title, body) in enumerate(zip(part.titles or (), part.bodies, strict=True)):
            own = labels.indices[labels.indptr[i] : labels.indptr[i + 1]].tolist()
            yield part.ids[i], f"{title}. {body.split('. ')[0]}", [names[c] for c in own]


def write_files(folder: Path) -> list[list[str]]:
    """Write the stories in both formats; return their labels."""
    ids, texts, labels = map(list, zip(*stories(DOCUMENTS), strict=True))
    parquet.write_table(pyarrow.table({"id": ids, "text": texts}), folder / NAMES["parquet"][0], compression="zstd")
    with gzip.open(folder / NAMES["jsonl"][0], "wt") as file:
        file.writelines(json.dumps({"id": name, "text": text}) + "\n" for name, text in zip(ids, texts, strict=True))
    return labels


def ours(folder: Path, form: str) -> tuple[float, float]:
    """Run the command; return seconds and the peak memory in MB."""
    source, target = NAMES[form]
    command = [sys.executable, "-m", "rubricate", "classify", "m.rubric", source, "-o", target]
    command += ["--json"] if form == "jsonl" else []
    start = time.perf_counter()
    done = subprocess.Popen(command, cwd=folder, env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}"})
    watch = Watch(done.pid, "VmHWM")
    if done.wait():
        raise SystemExit("rubricate classify failed")
    return time.perf_counter() - start, watch.peaks["VmHWM"]


def answered(folder: Path, form: str) -> list[list[str]]:
    path = folder / NAMES[form][1]
    if form == "parquet":
        return parquet.read_table(path)["labels"].to_pylist()
    with gzip.open(path, "rt") as file:
        return [json.loads(line)["labels"] for line in file]


def peer(folder: Path, form: str, fitted: tuple[Any, Any, Any]) -> tuple[float, list[list[str]]]:
    """Read, transform, score and write with scikit-learn; return seconds and labels."""
    vectors, machines, names = fitted
    start, every = time.perf_counter(), []
    with _Answers(folder / f"peer-{NAMES[form][1]}", form) as write:
        for ids, texts in _read(folder / NAMES[form][0], form):
            scores = machines.decision_function(vectors.transform(texts))
            labels = [names[row >= 0].tolist() for row in scores]
            best = [[[c, s] for c, s in zip(own, row[row >= 0].tolist())] for own, row in zip(labels, scores)]  # noqa: B905
            write(ids, labels, best)
            every += labels
    return time.perf_counter() - start, every


def _read(path: Path, form: str) -> Iterator[tuple[list[str], list[str]]]:
    if form == "parquet":
        for part in parquet.ParquetFile(path).iter_batches(BATCH):
            yield part.column("id").to_pylist(), part.column("text").to_pylist()
        return
    with gzip.open(path, "rt") as file:
        while rows := [json.loads(line) for _, line in zip(range(BATCH), file)]:  # noqa: B905
            yield [row["id"] for row in rows], [row["text"] for row in rows]


class _Answers:
    """A file of answers of one form."""

    def __init__(self, path: Path, form: str) -> None:
        schema = pyarrow.schema([("id", pyarrow.string()), ("labels", pyarrow.list_(pyarrow.string()))])
        self.form, self.schema = form, schema
        self.file: Any = parquet.ParquetWriter(path, schema) if form == "parquet" else gzip.open(path, "wt", 6)  # noqa: SIM115

    def __enter__(self) -> Any:
        return self._write

    def __exit__(self, *error: object) -> None:
        self.file.close()

    def _write(self, ids: list[str], labels: list[list[str]], scores: list[Any]) -> None:
        if self.form == "parquet":
            self.file.write_table(pyarrow.table({"id": ids, "labels": labels}, schema=self.schema))
            return
        for name, own, best in zip(ids, labels, scores, strict=True):
            self.file.write(json.dumps({"id": name, "labels": own, "scores": dict(best)}) + "\n")


def fitted(texts: list[str], labels: list[list[str]]) -> tuple[Any, Any, Any]:
    names = np.array(sorted({name for own in labels for name in own}))
    place = {name: i for i, name in enumerate(names)}
    Y = np.zeros((len(labels), len(names)), np.int8)
    for i, own in enumerate(labels):
        Y[i, [place[name] for name in own]] = 1
    vectors = TfidfVectorizer(sublinear_tf=True)
    return vectors, OneVsRestClassifier(LinearSVC()).fit(vectors.fit_transform(texts), Y), names


def f1(truth: list[list[str]], decided: list[list[str]]) -> float:
    hits = sum(len(set(a) & set(b)) for a, b in zip(truth, decided, strict=True))
    return 2 * hits / (sum(map(len, truth)) + sum(map(len, decided)))


def rows() -> list[Row]:
    _, texts, labels = map(list, zip(*stories(TRAINING), strict=True))
    model = rb.Categorizer(rb.SVM(), folds=3).fit(texts, labels)
    theirs = fitted(texts, labels)
    table = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = write_files(folder)
        model.save(folder / "m.rubric")
        expected = [list(own or ()) for own in model.classify([text for _, text, _ in stories(DOCUMENTS)])]
        for form in NAMES:
            ours(folder, form)  # compiled code and files are in the cache
            seconds, memory = ours(folder, form)
            other, labels = peer(folder, form, theirs)
            same = answered(folder, form) == expected and f1(truth, expected) >= f1(truth, labels)
            work = (
                f"{form}: {DOCUMENTS:,} short stories, {CATEGORIES} categories, {DOCUMENTS / seconds:,.0f} a second "
                f"(peer {DOCUMENTS / other:,.0f}), peak {memory:.0f} MB; micro-F1 {f1(truth, expected):.3f} "
                f"(peer {f1(truth, labels):.3f})"
            )
            peer_name = "scikit-learn"
            table.append(Row("classify-stream", work, peer_name, seconds, other, other / seconds, same, 2))
    return table


if __name__ == "__main__":
    publish(rows(), __doc__ or "")
