"""Break-even points and 11-point averages of classifiers that score every document (sunlim2001, section 3.2).

The paper leaves them out, because a top-down classifier does not rank the documents that it refuses above a category.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.engines import run_tasks
from rubricate.experiments.cells import Value
from rubricate.measures import break_even_point, mean, pooled_sweep, ranks, sweeps
from rubricate.measures.eleven_point import eleven_point
from rubricate.types import Floats, Sparse

__all__ = ["ranked", "rankings"]

DRAWS = 5
"""Draws of documents outside a tree."""
WAYS = ("big_bang", "tolerant", "proximity")
COLUMNS = ("micro BEP", "macro BEP", "11-pt")


def rankings(study: Any) -> dict[tuple[str, str], Value]:
    """Measure the SVM in the ways that score every document, tree by tree; means over the draws."""
    figures: dict[tuple[str, str], Value] = {}
    system = study.reproduction.systems["SVM"]
    for way in WAYS:
        for tree in study.trees.values():
            study.say(f"rankings, {way}, tree {tree.name}")

            def measure(seed: int, tree: Any = tree, way: str = way) -> tuple[float, float, float]:
                fitted, new, test = study.fitted(tree, system, way=way, seed=seed)
                return ranked(fitted.decision_function(new[test]), tree.test[test])

            runs = run_tasks(measure, study.options["seeds"][:DRAWS], engine="threads")
            row = f"SVM, {way.replace('_', '-')}, tree {tree.name}"
            means = np.mean(runs, axis=0)
            figures |= {(row, column): float(value) for column, value in zip(COLUMNS, means, strict=True)}
    return figures


def ranked(scores: Floats, truth: Sparse) -> tuple[float, float, float]:
    """Return micro and macro break-even point and the 11-point average over the categories' rankings of documents.

    The micro one has one threshold for all categories, the macro one is the mean of the categories' own. Categories
    without a test document are left out.
    """
    pooled = break_even_point(pooled_sweep(scores, truth).counts).value
    own = [break_even_point(cuts.counts).value for cuts in sweeps(scores, truth)]
    held = np.asarray(truth.sum(axis=0)).ravel() > 0
    return pooled, float(np.mean(np.array(own)[held])), float(mean(eleven_point(ranks(scores, truth, by="category"))))
