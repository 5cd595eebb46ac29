"""Judging many systems: tests of all pairs, bootstrap of all runs, the whole report.

`permutation-pairs`: the permutation test of macro-F1 on all pairs of 48 systems over 50,000 documents of 20 classes,
against the same test in NumPy, which exchanges documents, with the 20,000 swaps per pair that the correction over 1,128
pairs asks for (timed on few swaps of one pair, and multiplied). `bootstrap-runs`: 1,000 resamples of macro-F1 for 48
runs × 50,000 against scikit-learn's `f1_score` on resampled rows (timed on few, and multiplied). `report-48`: the
report on these 48 runs, page, tables and figures written; the peer is ours on a fourth of the systems, for scale.
`report-100`: the command `rubricate report` on 100 files of 50,000 documents (benchmarks/submissions.py), from reading
to the written page; the peer is the limit of two minutes. `--only report-100-sets`: the same with label sets.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.metrics import f1_score

import rubricate as rb
from benchmarks._timing import Row, measure, publish
from benchmarks.submissions import one_of_many, write
from rubricate.measures.evaluation_intervals import joint_draws, run_patterns
from rubricate.significance import holm
from rubricate.significance.permutation_family import SwapFamily
from rubricate.types import Decisions, Run

DOCUMENTS, CLASSES, SYSTEMS = 50_000, 20, 48
SWAPS = 20_000


def labels(classes: np.ndarray) -> sparse.csr_array:
    starts = np.arange(len(classes) + 1)
    return sparse.csr_array((np.ones(len(classes), bool), classes, starts), shape=(len(classes), CLASSES))


def numpy_swaps(truth: np.ndarray, a: np.ndarray, b: np.ndarray, swaps: int) -> np.ndarray:
    """Return the differences of macro-F1 under random exchanges of the documents."""
    rng, found = np.random.default_rng(1), np.empty(swaps)
    true = np.bincount(truth, minlength=CLASSES)
    for k in range(swaps):
        swap = rng.random(len(truth)) < 0.5
        values = []
        for mine, other in ((a, b), (b, a)):
            own = np.where(swap, other, mine)
            hits = np.bincount(truth[own == truth], minlength=CLASSES)
            values.append((2 * hits / (np.bincount(own, minlength=CLASSES) + true)).mean())
        found[k] = values[0] - values[1]
    return found


def permutation_pairs(truth: np.ndarray, made: list[np.ndarray]) -> Row:
    matrices = [labels(each) for each in made]
    pairs = [(i, j) for i in range(len(made)) for j in range(i + 1, len(made))]

    def ours() -> np.ndarray:
        family = SwapFamily(labels(truth), matrices, measure="macro_f1", known=CLASSES)
        return np.array([outcome.p_value for outcome in family.test(pairs)])

    seconds, p_values = measure(ours)
    few = 10
    once, _ = measure(lambda: numpy_swaps(truth, made[10], made[11], few))
    near = int(np.argmin(np.abs(np.log(np.maximum(p_values, 1e-12)) - np.log(0.05))))
    a, b = pairs[near]
    drawn = numpy_swaps(truth, made[a], made[b], 400)
    observed = f1_score(truth, made[a], average="macro") - f1_score(truth, made[b], average="macro")
    plain = float((np.abs(drawn) >= abs(observed)).mean())
    same = bool(abs(plain - p_values[near]) < 4 * np.sqrt(max(plain, 0.01) / 400))
    peer = once / few * SWAPS * len(pairs)
    differ = int((holm(p_values) <= 0.05).sum())
    work = f"{len(pairs):,} pairs × {DOCUMENTS:,} documents, macro-F1; {differ:,} differ by Holm"
    return Row(
        "permutation-pairs", work, f"NumPy, {SWAPS:,} swaps of documents", seconds, peer, peer / seconds, same, 2
    )


def bootstrap_runs(truth: np.ndarray, made: list[np.ndarray]) -> Row:
    runs = [as_run(truth, each, f"s{k}") for k, each in enumerate(made)]
    joint_draws([run_patterns(runs[0])], "macro_f1", draws=2)  # compile
    seconds, (_, drawn) = measure(lambda: joint_draws([run_patterns(run) for run in runs], "macro_f1", draws=1000))
    few, rng = 10, np.random.default_rng(2)

    def peer() -> list[float]:
        values = []
        for _ in range(few):
            rows = rng.integers(0, len(truth), len(truth))
            values.append(f1_score(truth[rows], made[0][rows], average="macro"))
        return values

    once, values = measure(peer)
    same = bool(abs(np.mean(values) - drawn[0].mean()) < 5 * drawn[0].std() / np.sqrt(few))
    whole = once / few * 1000 * len(made)
    work = f"1,000 draws of macro-F1 and its interval, {len(made)} runs × {DOCUMENTS:,}, jointly"
    return Row(
        "bootstrap-runs", work, "scikit-learn f1_score on resampled rows", seconds, whole, whole / seconds, same, 2
    )


def as_run(truth: np.ndarray, each: np.ndarray, name: str) -> Run:
    names, ids = tuple(f"c{i:02}" for i in range(CLASSES)), range(len(truth))
    return Run(name, ids, names, decisions=Decisions(labels(each), names, ids), truth=labels(truth))  # type: ignore[arg-type]


def whole_report(truth: np.ndarray, made: list[np.ndarray]) -> Row:
    runs = [as_run(truth, each, f"s{k}") for k, each in enumerate(made)]
    with tempfile.TemporaryDirectory() as folder:
        few, _ = measure(lambda: rb.report(None, runs[::4], f"{folder}/few"))
        before = time.process_time()
        seconds, judgement = measure(lambda: rb.report(None, runs, f"{folder}/all"))
        spent = time.process_time() - before
    ordered = [system.system for system in judgement.ranking.systems][:1] == [f"s{len(made) - 1}"]
    work = f"report on {len(made)} systems × {DOCUMENTS:,} documents, written; {spent:.1f} CPU seconds"
    return Row(
        f"report-{len(made)}", work, f"ours on {len(runs[::4])} systems", seconds, few, few / seconds, ordered, 2
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report_command(*, several: bool) -> Row:
    """Time the command on a folder of 100 submissions."""
    with tempfile.TemporaryDirectory() as folder:
        truth, runs = write(Path(folder), documents=DOCUMENTS, systems=100, several=several)
        command = [sys.executable, "-m", "rubricate", "report", str(truth), *map(str, runs), "-o", f"{folder}/report"]
        before = _children()
        seconds, done = measure(lambda: subprocess.run([*command, "--json"], capture_output=True, text=True))
        spent = _children() - before
        ranked = json.loads(done.stdout)["systems"] if done.returncode == 0 else [{"system": done.stderr}]
    kind = "label sets" if several else "one class each"
    work = f"`rubricate report` on 100 files × {DOCUMENTS:,} documents, {kind}; {spent:.0f} CPU seconds"
    first = ranked[0]["system"] in {f"system-{k:03}" for k in range(96, 100)}
    return Row(f"report-100{'-sets' if several else ''}", work, "two minutes", seconds, 120.0, 120 / seconds, first, 2)


ROWS: dict[str, Callable[[], Row]] = {
    "permutation-pairs": lambda: permutation_pairs(*one_of_many(DOCUMENTS, SYSTEMS)),
    "bootstrap-runs": lambda: bootstrap_runs(*one_of_many(DOCUMENTS, SYSTEMS)),
    "report-48": lambda: whole_report(*one_of_many(DOCUMENTS, SYSTEMS)),
    "report-100": lambda: report_command(several=False),
    "report-100-sets": lambda: report_command(several=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--only", action="append", choices=list(ROWS), help="these rows alone")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    publish([ROWS[name]() for name in options.only or list(ROWS)[:-1]], __doc__ or "")


if __name__ == "__main__":
    main()
