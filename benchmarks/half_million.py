"""half_million: a label tree on 1,000,000 short documents and 500,000 categories; a table of its own, no benchmark row.

The matrix is synthetic. A category has nine terms among 200,000: one of its section (500 of them), two of its group (30
categories), and six drawn at random. A document has one to three categories, drawn by Zipf's law with exponent .5, so
that most have one or two documents; of every category each term with probability .6, and three terms by chance.
Weights are ltc. Test documents are drawn the same way; "findable" is the share of their labels that have a training
document.

`python -m benchmarks.half_million [--documents N] [--categories N] [--trees N]` prints one JSON object: seconds of
training and prediction by the clock and of processor time, peak memory, precision at 1, 3, 5. With `--omikuji SECONDS`
a second one says the same of Omikuji 0.5.2 at its defaults (three trees) and two threads, or that it had not ended by
then; its times include reading the file of the matrix.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._environments import peer_python
from benchmarks._memory import megabytes
from rubricate.classifiers import LabelTree
from rubricate.io.libsvm import write_xmc
from rubricate.text.smart import idf, weigh

TERMS, SECTIONS, GROUP, OWN, NOISE, SHARE = 200_000, 500, 30, 6, 3, 0.6


def signatures(categories: int, draw: np.random.Generator) -> Any:
    """Return the terms of each category, categories × 9."""
    number = np.arange(categories)
    sections = draw.integers(TERMS, size=(SECTIONS, 1))
    groups = draw.integers(TERMS, size=(categories // GROUP + 1, 2))
    own = draw.integers(TERMS, size=(categories, OWN))
    return np.hstack([sections[number * SECTIONS // categories], groups[number // GROUP], own])


def documents(count: int, terms: Any, draw: np.random.Generator) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return counts and labels."""
    categories = len(terms)
    chances = np.arange(1, categories + 1) ** -0.5
    places = np.cumsum(chances / chances.sum())
    lengths = draw.choice([1, 2, 3], size=count, p=[0.5, 0.3, 0.2])
    rows = np.repeat(np.arange(count), lengths)
    shuffled = draw.permutation(categories)
    columns = shuffled[np.minimum(np.searchsorted(places, draw.random(len(rows))), categories - 1)]
    labels = sparse.csr_array((np.ones(len(rows), bool), (rows, columns)), shape=(count, categories))
    labels.sum_duplicates()
    kept = draw.random((len(rows), terms.shape[1])) < SHARE
    noise = draw.integers(TERMS, size=(count, NOISE))
    at = np.concatenate([np.repeat(rows, kept.sum(axis=1)), np.repeat(np.arange(count), NOISE)])
    values = np.concatenate([terms[columns][kept], noise.ravel()])
    counts = sparse.csr_array((np.ones(len(at), np.int32), (at, values)), shape=(count, TERMS))
    counts.sum_duplicates()
    return counts, labels


def precision(best: Any, truth: sparse.csr_array) -> list[float]:
    """Return the precision at 1, 3 and 5."""
    rows = np.repeat(np.arange(len(best)), best.shape[1])
    known = best.ravel() >= 0
    hits = np.zeros(best.size, bool)
    hits[known] = np.asarray(truth[rows[known], best.ravel()[known]]).ravel()
    table = hits.reshape(best.shape)
    return [round(float(table[:, :k].mean()), 4) for k in (1, 3, 5)]


def omikuji(matrices: tuple[Any, Any, Any], truth: Any, limit: int) -> dict[str, Any]:
    """Return the figures of the peer, or that it did not end within the limit."""
    python = peer_python("omikuji", "omikuji==0.5.2")
    if python is None:
        raise SystemExit("Omikuji cannot be installed here")
    X, Y, Z = matrices
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_xmc(folder / "train.txt", X, Y)
        write_xmc(folder / "test.txt", Z, truth)
        script = Path(__file__).with_name("_many_peer.py")
        call = [python, script, folder / "train.txt", folder / "test.txt", folder / "result.json", "2"]
        try:
            quiet = subprocess.DEVNULL
            subprocess.run(list(map(str, call)), check=True, timeout=limit, stdout=quiet, stderr=quiet)
        except subprocess.TimeoutExpired:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = round(usage.ru_utime + usage.ru_stime)
            return {"peer": "Omikuji", "ended": False, "cpu_s": spent, "peak_mb": usage.ru_maxrss >> 10}
        told = json.loads((folder / "result.json").read_text())
    best = np.array([(found + [-1] * 5)[:5] for found in told["best"]])
    return {
        "peer": "Omikuji",
        "train_s": round(told["fit"], 1),
        "train_cpu_s": round(told["fit_cpu"], 1),
        "predict_s": round(told["predict"], 2),
        "peak_mb": round(told["memory_mb"]),
        "precision": precision(best, truth),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--categories", type=int, default=500_000)
    parser.add_argument("--trees", type=int, default=1)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--omikuji", type=int, metavar="SECONDS", help="run the peer, for so long at most")
    given = parser.parse_args()
    LabelTree(leaf=2).fit(np.eye(6), sparse.csr_array(np.eye(6, dtype=bool))).top(np.eye(6), 2)  # compiled before
    draw = np.random.default_rng(0)
    terms = signatures(given.categories, draw)
    counts, labels = documents(given.documents + given.test, terms, draw)
    train, held = slice(0, given.documents), slice(given.documents, None)
    own = idf(np.bincount(counts[train].indices, minlength=TERMS), given.documents, "ltc")
    X, Z = weigh(counts[train], "ltc", own), weigh(counts[held], "ltc", own)
    Y, truth = labels[train], labels[held]
    learned = np.bincount(Y.indices, minlength=given.categories)
    before, clock, cpu = round(megabytes("VmHWM")), time.perf_counter(), time.process_time()
    model = LabelTree(given.trees).fit(X, Y)
    fit, fit_cpu, memory = time.perf_counter() - clock, time.process_time() - cpu, round(megabytes("VmHWM"))
    clock, cpu = time.perf_counter(), time.process_time()
    best = model.top(Z, 5).ranking(5)
    predict, predict_cpu = time.perf_counter() - clock, time.process_time() - cpu
    result = {
        "documents": given.documents,
        "categories": given.categories,
        "with_documents": int((learned > 0).sum()),
        "trees": given.trees,
        "train_s": round(fit, 1),
        "train_cpu_s": round(fit_cpu, 1),
        "predict_s": round(predict, 2),
        "predict_cpu_s": round(predict_cpu, 2),
        "peak_mb": memory,
        "matrix_mb": before,
        "precision": precision(np.asarray(best), truth),
        "findable": round(float((learned[truth.indices] > 0).mean()), 4),
        "weights": len(model.weights_),
    }
    print(json.dumps(result), flush=True)
    if given.omikuji is not None:
        del model
        print(json.dumps(omikuji((X, Y, Z), truth, given.omikuji)), flush=True)


if __name__ == "__main__":
    main()
