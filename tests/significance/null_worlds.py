"""Worlds in which two systems are equally good, and how often each test says otherwise.

`python -m tests.significance.null_worlds` prints the table of docs/methods/significance.md. The rate of a one-sided
test is half the share of p <= α (α on each side), that of a two-sided one the share of p <= α; both should be near α.

independent   every decision of each system is wrong with the same chance, whatever the others are
single label  one category a document, one decision a system: a wrong label comes with a missed one
hard texts    documents differ in how hard they are; a system's errors on a document come together or not at all
alike         most errors are made by both systems
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rubricate import registry
from rubricate.labels import indicator
from rubricate.significance import System

DOCUMENTS, CATEGORIES = 200, 15
World = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray, np.ndarray]]


def independent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = rng.random((DOCUMENTS, CATEGORIES)) < 0.15
    a, b = (truth ^ (rng.random(truth.shape) < 0.06) for _ in range(2))
    return truth, a, b


def single_label(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    label = rng.integers(0, CATEGORIES, DOCUMENTS)

    def said() -> np.ndarray:
        wrong = rng.random(DOCUMENTS) < 0.3
        return (label + wrong * rng.integers(1, CATEGORIES, DOCUMENTS)) % CATEGORIES

    every = np.eye(CATEGORIES, dtype=bool)
    return every[label], every[said()], every[said()]


def hard_texts(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = rng.random((DOCUMENTS, CATEGORIES)) < 0.15
    hardness = rng.beta(0.3, 3.0, (DOCUMENTS, 1))
    trouble = rng.random((2, DOCUMENTS, 1)) < 0.5
    a, b = (truth ^ ((rng.random(truth.shape) < hardness) & trouble[k]) for k in range(2))
    return truth, a, b


def alike(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = rng.random((DOCUMENTS, CATEGORIES)) < 0.15
    shared = truth ^ (rng.random(truth.shape) < 0.06)
    a, b = (shared ^ (rng.random(truth.shape) < 0.02) for _ in range(2))
    return truth, a, b


WORLDS: dict[str, World] = {
    "independent": independent,
    "single label": single_label,
    "hard texts": hard_texts,
    "alike": alike,
}
TESTS: dict[str, tuple[str, dict]] = {
    "s": ("micro_sign", {}),
    "S": ("macro_sign", {}),
    "T": ("macro_t", {}),
    "T'": ("macro_t_ranks", {}),
    "S, mid-p": ("macro_sign", {"mid_p": True}),
    "T, exact": ("macro_t", {"exact": True}),
    "p recall": ("proportions", {"measure": "recall"}),
    "p precision": ("proportions", {"measure": "precision"}),
    "p error": ("proportions", {"measure": "error"}),
    "mcnemar": ("mcnemar", {}),
    "mcnemar, mid-p": ("mcnemar", {"mid_p": True}),
    "permutation, micro-F1": ("permutation", {"samples": 199}),
    "permutation, macro-F1": ("permutation", {"samples": 199, "measure": "macro_f1"}),
    "bootstrap, micro-F1": ("bootstrap", {"samples": 199}),
    "bootstrap, macro-F1": ("bootstrap", {"samples": 199, "measure": "macro_f1"}),
    "friedman": ("friedman", {}),
}


def rejection_rates(
    world: World, names: Sequence[str], *, runs: int, seed: int = 0, alpha: float = 0.05
) -> dict[str, float]:
    """How often each test rejects, on each side, when there is nothing to find."""
    rng, rejected = np.random.default_rng(seed), np.zeros(len(names))
    for run in range(runs):
        truth, a, b = world(rng)
        true = indicator(truth)
        pair = [System(n, truth=true, decided=indicator(d)) for n, d in (("a", a), ("b", b))]
        for i, name in enumerate(names):
            stem, options = TESTS[name]
            extra = {"seed": run} if "samples" in options else {}
            found = registry.load("significance", stem)(*pair, **options, **extra)
            rejected[i] += (found.p_value <= alpha) / (1 if found.sides == 2 else 2)
    return dict(zip(names, (rejected / runs).tolist(), strict=True))


def main(runs: int = 2000) -> None:
    rates = [rejection_rates(world, list(TESTS), runs=runs) for world in WORLDS.values()]
    print(f"| test | {' | '.join(WORLDS)} |\n| --- |{' ---: |' * len(WORLDS)}")
    for name in TESTS:
        print(f"| {name} | {' | '.join(f'{column[name]:.3f}' for column in rates)} |")


if __name__ == "__main__":
    main()
