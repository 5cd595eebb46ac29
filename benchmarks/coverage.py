"""Simulated coverage of the 95 % intervals of evaluations, on multi-label and single-label documents.

`python -m benchmarks.coverage` draws samples of 200 and 2,000 documents with replacement from a population and counts
how often the interval of the sample holds the value of the population. The populations are made here: label sets with
correlated errors (multi-label, 8 categories of 6 to 40 %), and one of 10 classes per document (single-label).
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from scipy import sparse

from rubricate.measures.intervals import SUMMARIES, centred, summary_interval
from rubricate.measures.resampling import count_patterns

MEASURES = ("micro_precision", "micro_recall", "micro_f1", "macro_precision", "macro_recall", "macro_f1")
POPULATION = 50_000


def multi_label(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return truth and decisions over 8 categories; hard documents have more errors, which come together."""
    prior = np.array([0.40, 0.30, 0.22, 0.16, 0.12, 0.10, 0.08, 0.06])
    truth = rng.random((POPULATION, 8)) < prior
    hard = rng.random((POPULATION, 1)) < 0.25
    missed = rng.random((POPULATION, 8)) < np.where(hard, 0.5, 0.12)
    added = rng.random((POPULATION, 8)) < np.where(hard, 0.10, 0.015)
    return truth, (truth & ~missed) | (~truth & added)


def single_label(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return truth and answers of 10 classes of 4 to 20 %; a wrong answer is a frequent class or a neighbour."""
    prior = np.array([0.20, 0.16, 0.13, 0.11, 0.10, 0.08, 0.07, 0.06, 0.05, 0.04])
    classes = rng.choice(10, POPULATION, p=prior)
    other = np.where(rng.random(POPULATION) < 0.5, rng.choice(10, POPULATION, p=prior), (classes + 1) % 10)
    answers = np.where(rng.random(POPULATION) < 0.35 + 0.03 * classes, other, classes)
    return np.eye(10, dtype=bool)[classes], np.eye(10, dtype=bool)[answers]


def coverage(truth: np.ndarray, decided: np.ndarray, size: int, *, samples: int, draws: int) -> dict[str, list[float]]:
    """Return, by measure, the coverage and mean width of our interval and the coverage of the centred percentile."""
    rng = np.random.default_rng(7)
    whole = count_patterns(sparse.csr_array(truth), sparse.csr_array(decided)).observed()
    true = {name: float(SUMMARIES[name](whole, "zero")[0]) for name in MEASURES}
    counts = {name: np.zeros(3) for name in MEASURES}
    for _ in range(samples):
        rows = rng.integers(0, len(truth), size)
        patterns = count_patterns(sparse.csr_array(truth[rows]), sparse.csr_array(decided[rows]))
        weights, observed = patterns.drawn(draws, rng), patterns.observed()
        for name in MEASURES:
            interval, drawn = summary_interval(patterns, name, weights)
            former = centred(float(SUMMARIES[name](observed, "zero")[0]), drawn)
            inside = [each.low <= true[name] <= each.high for each in (interval, former)]
            counts[name] += [inside[0], interval.high - interval.low, inside[1]]
    return {name: (part / samples).tolist() for name, part in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=999)
    parser.add_argument("--only", help="one part of the table, such as multi-label:2000")
    options = parser.parse_args()
    print("| data | documents | measure | coverage | mean width | centred percentile |")
    print("|---|---:|---|---:|---:|---:|")
    worst = 1.0
    for name, make in (("multi-label", multi_label), ("single-label", single_label)):
        truth, decided = make(np.random.default_rng(1))
        for size in (200, 2000):
            if options.only not in (None, f"{name}:{size}"):
                continue
            found = coverage(truth, decided, size, samples=options.samples, draws=options.draws)
            for measure, (held, wide, former) in found.items():
                print(f"| {name} | {size:,} | {measure} | {held:.3f} | {wide:.3f} | {former:.3f} |", flush=True)
                worst = min(worst, held)
    print(f"\nLowest coverage: {worst:.3f}; {options.samples:,} samples, {options.draws:,} draws each.")
    sys.exit(worst < 0.93)


if __name__ == "__main__":
    main()
