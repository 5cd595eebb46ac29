"""Decisions checked in the order of expected gain, against lowest confidence: F1 after checking a share of them.

python -m benchmarks.review     a Markdown table on standard output; not a timing
Populations of benchmarks/_populations.py; probabilities from 200 labelled documents (five draws, means).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._populations import population
from rubricate.labelling import LabelledSample, review_order
from rubricate.labelling.population_categories import fit_curve
from rubricate.labelling.predictions import Predictions

SHARES = (0.005, 0.01, 0.02)


def f1(truth: Any, decided: Any, average: str) -> float:
    both, total = (truth & decided).sum(axis=0), truth.sum(axis=0) + decided.sum(axis=0)
    if average == "micro":
        return float(2 * both.sum() / total.sum())
    return float(np.divide(2 * both, total, out=np.zeros(len(both)), where=total > 0).mean())


def main() -> None:
    print("| population | measure | checked | none | expected gain | lowest confidence |")
    print("|---|---|--:|--:|--:|--:|")
    for name in ("reuters", "goemotions"):
        found = population(name)
        run, truth, decided = found.run(), found.truth, found.decided
        rows: dict[tuple[str, float], list[tuple[float, float]]] = {}
        for draw in range(5):
            labelled = np.random.default_rng(draw).choice(len(truth), 200, replace=False)
            sample = LabelledSample(
                labelled, np.zeros(200, np.int64), np.array([len(truth)]), sparse.csr_array(truth[labelled])
            )
            system = Predictions.of(run)
            curve = fit_curve(system.rows(labelled)[0], truth[labelled].astype(float), sample.weights)
            chances = curve(np.asarray(found.scores, float))
            doubt = np.argsort(np.abs(chances - 0.5), axis=None)
            for share in SHARES:
                budget = int(share * truth.size)
                for measure in ("micro_f1", "macro_f1"):
                    order = review_order(run, budget=budget, measure=measure, truth=sample).decisions
                    place = {category: c for c, category in enumerate(run.categories)}
                    picked = ([int(d.document[1:]) for d in order], [place[d.category] for d in order])
                    values = []
                    for row, column in (picked, np.unravel_index(doubt[:budget], truth.shape)):
                        after = decided.copy()
                        after[row, column] = truth[row, column]
                        values.append(f1(truth, after, measure.removesuffix("_f1")))
                    rows.setdefault((measure, share), []).append((values[0], values[1]))
        for (measure, share), values in sorted(rows.items()):
            ours, usual = np.mean(values, axis=0)
            start = f1(truth, decided, measure.removesuffix("_f1"))
            print(f"| {name} | {measure} | {share:.1%} | {start:.4f} | {ours:.4f} | {usual:.4f} |", flush=True)


if __name__ == "__main__":
    main()
