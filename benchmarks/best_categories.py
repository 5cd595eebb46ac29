"""best_categories: the best categories by linear weights, from lists and from the product; a table, no benchmark row.

One SVM (C = 1) per category of `newswire`, ltc vectors; the weights are taken as learned, and without those below .1.
The product: blocks of 2²² scores, and a stable sort of each row. Both ways must find the same numbers. CPU seconds for
one thread, seconds of the clock for two; memory is what the process gains at its peak.

`python -m benchmarks.best_categories [--categories N] [--documents N] [--test N] [--folder F]` prints JSON lines. A
folder that is given keeps the weights for the next time; each measurement runs in a process of its own.
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

from benchmarks._memory import megabytes

ROWS = 1 << 22
LEAST = 0.1
WAYS = ("product", "lists")


def make(folder: Path, categories: int, documents: int) -> None:
    """Train and write weights, biases and vectors of test documents."""
    import rubricate as rb

    corpus = rb.load("newswire", documents=documents, categories=categories)
    vectors = rb.text.Vectors(weights="ltc")
    svm = rb.SVM().fit(vectors.fit_transform(corpus.train), corpus.train.labels)
    np.save(folder / f"{categories}-b.npy", svm.intercept_)
    tests = vectors.transform(corpus.test.take(range(min(5000, len(corpus.test)))))
    for name, matrix in (("W", svm.coef_), ("Z", tests)):
        sparse.save_npz(folder / f"{categories}-{name}.npz", sparse.csr_matrix(matrix), compressed=False)


def by_product(W: Any, b: Any, Z: Any, k: int) -> tuple[Any, Any]:
    """Return the best categories and their scores from the scores of all."""
    rows, found, values = max(1, ROWS // len(b)), [], []
    for start in range(0, Z.shape[0], rows):
        scores = (Z[start : start + rows] @ W.T).toarray() + b
        order = np.sort(np.argsort(-scores, axis=1, kind="stable")[:, :k], axis=1)
        found.append(order)
        values.append(np.take_along_axis(scores, order, axis=1))
    return np.concatenate(found), np.concatenate(values)


def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one way in this process."""
    from rubricate.classifiers.weight_lists import WeightLists

    head = folder / str(options.categories)
    W, b = sparse.csr_array(sparse.load_npz(f"{head}-W.npz")), np.load(f"{head}-b.npy")
    Z = sparse.csr_array(sparse.load_npz(f"{head}-Z.npz"))[: options.test]
    if options.pruned:
        W.data[np.abs(W.data) < LEAST] = 0.0
        W.eliminate_zeros()
    WeightLists.of(sparse.csr_array(np.eye(300)), np.zeros(300)).best(sparse.csr_array(np.eye(300)), 1)  # compiled
    before, began = megabytes("VmHWM"), time.process_time()
    lists = WeightLists.of(W, b) if options.way == "lists" else None
    made = time.process_time() - began
    clock, cpu = time.perf_counter(), time.process_time()
    if lists is None:
        _, values = by_product(W, b, Z, options.k)
    else:
        best = lists.best(Z, options.k, threads=options.threads)
        values = best.data.reshape(Z.shape[0], -1)
    seconds = (time.process_time() - cpu) if options.threads == 1 else (time.perf_counter() - clock)
    return {
        "way": options.way,
        "pruned": options.pruned,
        "categories": options.categories,
        "weights": W.nnz,
        "k": options.k,
        "threads": options.threads,
        "µs per document": round(1e6 * seconds / Z.shape[0], 1),
        "seconds to make lists": round(made, 2),
        "MB gained": round(megabytes("VmHWM") - before),
        "sum": float(values.sum()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--categories", type=int, default=5000)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--test", type=int, default=2000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pruned", action="store_true")
    options = parser.parse_args()
    if options.way:
        print(json.dumps(run(options.folder, options), ensure_ascii=False))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not (folder / f"{options.categories}-W.npz").exists():
            make(folder, options.categories, options.documents)
        sizes = ["--categories", str(options.categories), "--test", str(options.test), "--folder", str(folder)]
        for pruned in ([], ["--pruned"]):
            for k in (1, 5, 64):
                rows = []
                for way, threads in (("product", 1), ("lists", 1), ("lists", 2)):
                    asked = ["--way", way, "--k", str(k), "--threads", str(threads), *sizes, *pruned]
                    command = [sys.executable, "-m", "benchmarks.best_categories", *asked]
                    rows.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
                    print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
                if len({row["sum"] for row in rows}) != 1:
                    sys.exit("the two ways found different scores")


if __name__ == "__main__":
    main()
