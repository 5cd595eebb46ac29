"""Prevalence on Reuters samples of 100: the protocol of Moreo, Francisco and Sebastiani (2023), and QuaPy beside us.

python -m benchmarks.prevalence     Markdown tables on standard output
The ten largest categories, SVMs of benchmarks/_populations.py with out-of-fold scores of the training documents.
Natural prevalence: 1,000 uniform samples of 100 test documents. Shift: for each category samples of 100 in which it has
prevalence 0, .1, …, 1 (as far as its test documents reach without replacement), five of each. Error: mean over samples
and categories of |estimate − share in the sample|. Their best: .0090 (natural), .0147 (shift).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._populations import population
from benchmarks._timing import measure
from rubricate.labelling import class_shares
from rubricate.labelling.quantification import (
    METHODS,
    LabelledScores,
    Unlabelled,
    category_curves,
    chances_by,
    quantify,
)


def natural(truth: Any, rng: np.random.Generator) -> list[Any]:
    return [rng.choice(len(truth), 100, replace=False) for _ in range(1000)]


def shifted(truth: Any, rng: np.random.Generator) -> list[Any]:
    samples = []
    for c in range(truth.shape[1]):
        yes, no = np.flatnonzero(truth[:, c]), np.flatnonzero(~truth[:, c])
        for positives in range(0, 101, 10):
            if positives <= len(yes):
                for _ in range(5):
                    parts = (rng.choice(yes, positives, replace=False), rng.choice(no, 100 - positives, replace=False))
                    samples.append(np.concatenate(parts))
    return samples


def errors() -> None:
    found = population("reuters")
    ten = np.argsort(-found.train_truth.sum(axis=0))[:10]
    truth, train = found.truth[:, ten], found.train_truth[:, ten].astype(float)
    held, scores = (np.asarray(part[:, ten], float) for part in (found.train_scores, found.scores))
    curves = category_curves(held, train)
    labelled = LabelledScores((held > 0) * 1.0, chances_by(curves, held), train, np.ones((1, len(held))))
    chances = chances_by(curves, scores)
    print("| protocol | samples | " + " | ".join(METHODS) + " |\n|---|--:|" + "--:|" * len(METHODS))
    for name, draw in (("natural", natural), ("shift", shifted)):
        samples = draw(truth, np.random.default_rng(0))
        cells = []
        for method in METHODS:
            gaps = []
            for rows in samples:
                own = Unlabelled((scores[rows] > 0) * 1.0, chances[rows], np.ones((1, len(rows))))
                gaps.append(np.abs(quantify(own, labelled, method)[0] - truth[rows].mean(axis=0)).mean())
            cells.append(f"{np.mean(gaps):.4f}")
        print(f"| {name} | {len(samples)} | " + " | ".join(cells) + " |")


def beside_quapy() -> None:
    """The same class shares as QuaPy's aggregation functions, and how long both take."""
    from quapy.method.aggregative import ACC, EMQ, PACC

    rng = np.random.default_rng(0)
    raw = rng.dirichlet(np.ones(20), 12_000)
    labels = np.array([rng.choice(20, p=row) for row in raw])
    held, own, known = raw[:6000], raw[6000:], labels[:6000]
    rates = {"pacc": PACC.getPteCondEstim(np.arange(20), known, held)}
    rates["acc"] = ACC.getPteCondEstim(np.arange(20), known, held.argmax(axis=1))
    counts = {"pacc": own.mean(axis=0), "acc": np.bincount(own.argmax(axis=1), minlength=20) / len(own)}
    print("\n| method | largest difference | ours (s) | QuaPy (s) |\n|---|--:|--:|--:|")
    for method in ("acc", "pacc", "em"):
        if method == "em":
            seconds, peer = measure(lambda: EMQ.EM(np.bincount(known, minlength=20) / len(known), own)[0])
        else:
            build = {"acc": lambda: ACC.getPteCondEstim(np.arange(20), known, held.argmax(axis=1)),
                     "pacc": lambda: PACC.getPteCondEstim(np.arange(20), known, held)}[method]  # fmt: skip

            def solve(method: str = method, build: Any = build) -> Any:
                return ACC.solve_adjustment(build(), counts[method], method="inversion", solver="minimize")

            seconds, peer = measure(solve)
        ours_s, ours = measure(
            lambda method=method: class_shares(own, held_chances=held, held_labels=known, method=method)
        )
        print(f"| {method} | {np.abs(ours - peer).max():.1e} | {ours_s:.4f} | {seconds:.4f} |")


if __name__ == "__main__":
    errors()
    beside_quapy()
