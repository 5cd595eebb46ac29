"""five_many: the five classifiers of Yang and Liu on 200,000 documents × 14,000 categories; a table of its own.

Yang (1999, section 2.2) found nothing but kNN that had been run on all 14,321 categories of OHSUMED. `newswire` stories
(synthetic), ltc vectors (naive Bayes: counts), two threads, 10,000 test documents. LLSF uses the 2,000 most frequent
terms, the network 16 hidden units and three passes; the others are at their defaults. Each runs in its own process,
killed after --seconds.

`python -m benchmarks.five_many [--seconds N] [--documents N] [--categories N] [NAME …]` prints one JSON object each:
seconds by the clock and of processor time, peak memory, precision at 1, 3 and 5.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import rubricate as rb
from benchmarks._memory import megabytes
from benchmarks.many import precision
from rubricate.classifiers import KNN, LLSF, NB, SVM, NNet

NAMES = ("NB", "kNN", "LLSF", "NNet", "SVM")
TERMS, TEST = 2_000, 10_000


def classifier(name: str) -> Any:
    if name == "NNet":
        return NNet(hidden=16, epochs=3, refit=False)
    return {"NB": NB, "kNN": KNN, "LLSF": LLSF, "SVM": SVM}[name]()


def write_matrices(folder: Path, documents: int, categories: int) -> None:
    """Write counts, vectors and labels of training and test documents."""
    corpus = rb.load("newswire", documents=documents, categories=categories)
    test = corpus.test.take(range(min(TEST, len(corpus.test))))
    for name, weights in (("counts", "nnn"), ("ltc", "ltc")):
        vectors = rb.text.Vectors(weights=weights)
        for part, given in (("train", corpus.train), ("test", test)):
            matrix = vectors.fit_transform(given) if part == "train" else vectors.transform(given)
            sparse.save_npz(folder / f"{part}-{name}.npz", sparse.csr_matrix(matrix), compressed=False)
    for part, given in (("train", corpus.train), ("test", test)):
        sparse.save_npz(folder / f"{part}-labels.npz", sparse.csr_matrix(given.labels), compressed=False)


def run(name: str, folder: Path) -> dict[str, Any]:
    """Train and rank in this process."""

    def load(what: str) -> sparse.csr_array:
        return sparse.csr_array(sparse.load_npz(folder / f"{what}.npz"))

    weights = "counts" if name == "NB" else "ltc"
    X, Z, Y, truth = load(f"train-{weights}"), load(f"test-{weights}"), load("train-labels"), load("test-labels")
    if name == "LLSF":
        frequent = np.sort(np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")[:TERMS])
        X, Z = sparse.csr_array(X[:, frequent]), sparse.csr_array(Z[:, frequent])
    start, cpu = time.perf_counter(), time.process_time()
    model = classifier(name).fit(X, Y)
    fitted, fitted_cpu = time.perf_counter(), time.process_time()
    best = model.top(Z, 5).ranking(5)
    result = {
        "train_s": fitted - start,
        "train_cpu_s": fitted_cpu - cpu,
        "predict_s": time.perf_counter() - fitted,
        "predict_cpu_s": time.process_time() - fitted_cpu,
    }
    figures = dict(zip(("p1", "p3", "p5"), precision(best.tolist(), truth), strict=True))
    sizes = {"documents": X.shape[0], "terms": X.shape[1], "categories": Y.shape[1]}
    shown = {k: round(v, 4) for k, v in (result | figures).items()}
    return {"name": name, **sizes, **shown, "peak_mb": round(megabytes("VmHWM"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []])
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--categories", type=int, default=14_000)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder is not None:
        print(json.dumps(run(given.names[0], given.folder)), flush=True)
        return
    with tempfile.TemporaryDirectory() as name:
        write_matrices(Path(name), given.documents, given.categories)
        for each in given.names or NAMES:
            command = [sys.executable, "-m", "benchmarks.five_many", each, "--folder", name]
            try:
                subprocess.run(command, check=False, timeout=given.seconds)
            except subprocess.TimeoutExpired:
                print(json.dumps({"name": each, "ended_after_s": given.seconds}), flush=True)


if __name__ == "__main__":
    main()
