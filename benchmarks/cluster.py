"""cluster: train, classify and evaluate on this machine's threads, in one thread, and on two local Dask workers.

Each command is a process of its own; the workers have one thread and a memory limit each and run already. Reported are
clock, processor time and peak memory of the command, processor time of the workers, and whether they wrote the same.

- train: newswire stories, 1,000 categories, linear SVMs with C = 1, no folds: blocks of categories are the tasks.
- folds: a tenth of the stories, 100 categories, cuts from five folds: folds and blocks of categories are the tasks.
- classify: stories against the model of `folds`: batches of 8,192 documents are the tasks.
- evaluate: all scores of as many documents and 50 categories; blocks of 20 of the 200 resamples are the tasks.

`python -m benchmarks.cluster [--documents N] [--only NAME …] [--engines NAME …]`: one JSON line per command and engine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth import OPTIONS, ROOT, write_stories

SVMS = ("--classifier", "svm", "--set", "C=1")


def run(arguments: list[Any], target: Path | None) -> tuple[dict[str, float], bytes]:
    """Run a command; return what it took, and what it wrote to a file or to standard output."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        done = subprocess.Popen(
            [sys.executable, "-m", "rubricate", *map(str, arguments)],
            stdout=output,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}"},
        )
        _, status, usage = os.wait4(done.pid, 0)
        if status:
            raise SystemExit(f"rubricate {arguments[0]} failed")
        took = {
            "clock_s": round(time.perf_counter() - start, 1),
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
            "peak_mb": usage.ru_maxrss // 1024,
        }
        output.seek(0)
        return took, output.read() if target is None else target.read_bytes()


def write_scores(folder: Path, documents: int, categories: int) -> None:
    """Write a truth and the scores of every pair, as Parquet."""
    import pyarrow
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    true = rng.random((documents, categories)) < 2 / categories
    scores = (true + 1.2 * rng.random(true.shape)).ravel()
    names = np.tile([f"c{c}" for c in range(categories)], documents)
    ids = np.repeat([f"d{d}" for d in range(documents)], categories)
    table = {"document": ids, "category": names, "score": scores, "decision": scores > 1.0}
    parquet.write_table(pyarrow.table(table), folder / "run.parquet")
    own = {"document": ids[true.ravel()], "category": names[true.ravel()], "decision": np.ones(true.sum(), bool)}
    parquet.write_table(pyarrow.table(own), folder / "truth.parquet")


def command(what: str, folder: Path, documents: int) -> tuple[list[Any], Path | None]:
    """Write the files of a command; return it with the file that it writes."""
    model, answers = folder / "folds.rubric", folder / "answers.parquet"
    if what == "evaluate":
        write_scores(folder, documents, 50)
        return ["evaluate", folder / "truth.parquet", folder / "run.parquet", "--bootstrap", 200, "--json"], None
    if not model.exists():
        write_stories(folder / "some.jsonl", documents // 10, 100)
    folds: list[Any] = ["train", folder / "some.jsonl", "-o", model, *SVMS, "--cut", "scut"]
    if what == "folds":
        return folds, model
    write_stories(folder / "all.jsonl", documents, 1_000)
    if what == "train":
        return ["train", folder / "all.jsonl", "-o", folder / "train.rubric", *OPTIONS], folder / "train.rubric"
    if not model.exists():
        run(folds, model)
    return ["classify", model, folder / "all.jsonl", "-o", answers], answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--only", nargs="+", default=["train", "folds", "classify", "evaluate"])
    parser.add_argument("--engines", nargs="+", default=["threads", "serial", "dask"])
    given = parser.parse_args()
    from distributed import Client, LocalCluster

    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "2GiB"}
    with (
        tempfile.TemporaryDirectory() as name,
        LocalCluster(**options, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        for what in given.only:
            arguments, target = command(what, Path(name), given.documents)
            first = b""
            for engine in given.engines:
                before = sum(client.run(time.process_time).values())
                where = f"dask:{cluster.scheduler_address}" if engine == "dask" else engine
                took, written = run([*arguments, "--engine", where], target)
                took["workers_cpu_s"] = round(sum(client.run(time.process_time).values()) - before, 1)
                first = first or written
                row = {"command": what, "engine": engine, **took, "same": written == first}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
