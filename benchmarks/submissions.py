"""A folder of submissions to a shared task, made up: for the size at which `rubricate report` must still be quick.

python -m benchmarks.submissions DIR [--systems 100] [--documents 50000] [--several]
Writes DIR/truth.csv and DIR/runs/system-000.csv, …: one of 20 classes per document, or with --several sets of 12
labels. Systems are from bad to good in steps that are partly too small to be seen, and share many errors.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

CLASSES, LABELS = 20, 12


def one_of_many(documents: int, systems: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return skewed classes and the answers of systems that are right on 20 to 50 % of the documents."""
    rng = np.random.default_rng(0)
    prior = 1 / np.arange(1, CLASSES + 1)
    truth = rng.choice(CLASSES, documents, p=prior / prior.sum())
    easy = rng.random(documents)
    answers = []
    for quality in np.linspace(0.2, 0.5, systems):
        right = easy + 0.3 * rng.standard_normal(documents) < quality
        answers.append(np.where(right, truth, rng.choice(CLASSES, documents, p=prior / prior.sum())))
    return truth, answers


def label_sets(documents: int, systems: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return label sets (documents × labels) and decisions; hard documents have more errors in every system."""
    rng = np.random.default_rng(0)
    prior = 0.4 / np.arange(1, LABELS + 1)
    truth = rng.random((documents, LABELS)) < prior
    hard = rng.random((documents, 1)) ** 2
    decisions = []
    for quality in np.linspace(0.2, 0.6, systems):
        missed = rng.random(truth.shape) < (1 - quality) * (0.4 + hard) / 1.4
        added = rng.random(truth.shape) < prior * (1 - quality) * hard / 2
        decisions.append((truth & ~missed) | (~truth & added))
    return truth, decisions


def write(folder: Path, *, documents: int, systems: int, several: bool = False) -> tuple[Path, list[Path]]:
    """Write the truth and the runs; return their paths."""
    truth, answers = (label_sets if several else one_of_many)(documents, systems)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    paths = [folder / "truth.csv", *(folder / "runs" / f"system-{k:03}.csv" for k in range(systems))]
    names = np.array([f"class-{c:02}" for c in range(CLASSES)])
    for path, values in zip(paths, [truth, *answers], strict=True):
        sets = (";".join(names[np.flatnonzero(row)]) for row in values) if several else names[values]
        rows = "".join(f"d{row:06},{labels}\n" for row, labels in enumerate(sets))
        path.write_text(f"document,labels\n{rows}", encoding="utf-8")
    return paths[0], paths[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--several", action="store_true", help="several labels per document")
    options = parser.parse_args()
    write(options.folder, documents=options.documents, systems=options.systems, several=options.several)


if __name__ == "__main__":
    main()
