"""growth: `rubricate train` out of core and in memory on growing numbers of newswire stories; a table of its own.

Each training is a process of its own: 1,000 categories, linear SVMs with C = 1, cut at 0, no folds. Told are processor
time (user and system), the clock, peak resident memory, and the peak of what is not backed by a file, which is what the
system cannot drop when memory is short. The exponent is the slope of ln time over ln documents.

`python -m benchmarks.growth [N …] [--categories N] [--memory SIZE] [--inside N] [--figure FOLDER]` prints one JSON
object per number of documents; above --inside documents there is no training in memory beside the one out of core.
`python -m benchmarks.growth --from FILE --figure FOLDER` draws what an earlier run printed.
"""

from __future__ import annotations

import argparse
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

from benchmarks._memory import Watch
from rubricate.corpora.newswire import stream
from rubricate.papers.figures import Figure, Series
from rubricate.reports.figures import write_figure

ROOT = Path(__file__).parents[1]
OPTIONS = ("--classifier", "svm", "--set", "C=1", "--folds", "0", "--cut", "0")


def write_stories(path: Path, documents: int, categories: int) -> None:
    with path.open("w") as file:
        for part in stream(documents, categories):
            names, labels = part.categories, part.labels
            for i, (title, body) in enumerate(zip(part.titles or (), part.bodies, strict=True)):
                own = [names[c] for c in labels.indices[labels.indptr[i] : labels.indptr[i + 1]].tolist()]
                file.write(json.dumps({"id": part.ids[i], "text": f"{title}. {body}", "labels": own}) + "\n")


def train(path: Path, memory: str) -> dict[str, Any]:
    target = path.with_suffix(f".{memory}.rubric")
    command = [sys.executable, "-m", "rubricate", "train", path, "-o", target, *OPTIONS, "--memory", memory, "--json"]
    start = time.perf_counter()
    done = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}"}
    )
    watch = Watch(done.pid, "VmHWM", "RssAnon")
    _, status, usage = os.wait4(done.pid, 0)
    if status:
        raise SystemExit("rubricate train failed")
    return {
        "memory": memory,
        "clock_s": round(time.perf_counter() - start, 1),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(watch.peaks["VmHWM"]),
        "anonymous_mb": round(watch.peaks["RssAnon"]),
        "file": target,
    }


def measured(numbers: list[int], categories: int, memory: str, inside: int) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        for documents in numbers:
            path = Path(folder) / f"{documents}.jsonl"
            write_stories(path, documents, categories)
            outside = train(path, memory)
            model = outside.pop("file").read_bytes()
            row = {"documents": documents, "megabytes": path.stat().st_size >> 20, "out_of_core": outside}
            if documents <= inside:
                row["in_memory"] = own = train(path, "1T")
                row["same_model"] = own.pop("file").read_bytes() == model
            print(json.dumps(row), flush=True)
            path.unlink()
            yield row


def exponents(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the slope of ln time over ln documents: over all rows, and over the last two."""
    x, y = np.log([row["documents"] for row in rows]), np.log([row["out_of_core"]["cpu_s"] for row in rows])
    return {
        "exponent": round(float(np.polyfit(x, y, 1)[0]), 3),
        "last": round(float(np.diff(y)[-1] / np.diff(x)[-1]), 3),
    }


def draw(rows: list[dict[str, Any]], folder: Path) -> None:
    def series(name: str, key: str, field: str) -> Series:
        own = [row for row in rows if key in row]
        return Series(name, [row["documents"] for row in own], [row[key][field] for row in own])

    times = [series("out of core", "out_of_core", "cpu_s"), series("in memory", "in_memory", "cpu_s")]
    first = rows[0]["out_of_core"]["cpu_s"] / rows[0]["documents"]
    times.append(Series("linear", [r["documents"] for r in rows], [first * r["documents"] for r in rows]))
    title = "rubricate train, newswire, 1,000 categories"
    write_figure(
        Figure("growth", title, "documents", "processor seconds", times, log_x=True, log_y=True), folder, forms=("svg",)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*", type=int, default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--categories", type=int, default=1_000)
    parser.add_argument("--memory", default="100K", help="in memory up to this need")
    parser.add_argument("--inside", type=int, default=300_000, help="documents that are also learned in memory")
    parser.add_argument("--figure", type=Path, help="a folder for the figure")
    parser.add_argument("--from", dest="earlier", type=Path, help="what an earlier run printed")
    given = parser.parse_args()
    if given.earlier is None:
        rows = list(measured(given.documents, given.categories, given.memory, given.inside))
    else:
        lines = map(json.loads, given.earlier.read_text().splitlines())
        rows = [row for row in lines if "documents" in row]
    if len(rows) > 1:
        print(json.dumps(exponents(rows)))
    if given.figure is not None:
        draw(rows, given.figure)


if __name__ == "__main__":
    main()
