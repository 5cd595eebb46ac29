"""The tables of joachims2000 with C and the form of the words chosen on the training half of each split alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.svm import SVM
from rubricate.engines import run_tasks
from rubricate.estimation import MEASURES
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.cells import Value
from rubricate.folds import deal
from rubricate.measures import counts, macro, resolve
from rubricate.types import Floats, Ints

__all__ = ["chosen_settings", "honest_rows"]


def honest_rows(
    halves: Any, *, short: dict[str, str], over_splits: Callable[[Floats], float]
) -> dict[tuple[str, str], Value]:
    """Return rows such as `earn, ρ=1, honest`: estimate and hold-out figure at settings chosen anew in each split."""
    if "honest" not in halves.known:
        halves.say("honest rows: settings by cross-validation in each training half")
        splits = range(halves.options["splits"])
        parts = run_tasks(lambda split: _split(halves, *halves.dealt(split, halves.half)), splits, engine="threads")
        halves.known["honest"] = {name: 100 * np.array([part[name] for part in parts]) for name in parts[0]}
    measured = halves.known["honest"]
    return {
        (f"{category}, ρ=1, honest", f"{short[measure]}{mark}"): over_splits(measured[kind][:, m, c])
        for c, category in enumerate(halves.names)
        for m, measure in enumerate(MEASURES)
        for kind, mark in (("ρ=1", " ξα"), ("hold-out", ""))
    }


def _split(halves: Any, train: Ints, test: Ints) -> dict[str, list[Any]]:
    """Return estimate and hold-out figures of one split: measures × categories."""
    form, cost = chosen_settings(halves, train)
    X, Z = replace(halves, counts=halves.forms[form]).weighted(train, test)
    labels = halves.labels[train]
    svm = SVM(C=cost).fit(X, labels)
    estimate = xi_alpha(svm, X, labels)
    table = counts(halves.labels[test], sparse.csr_array(svm.decision_function(Z) > 0))
    return {
        "ρ=1": [getattr(estimate, name) for name in MEASURES],
        "hold-out": [resolve(name)(table) for name in MEASURES],
    }


def chosen_settings(halves: Any, train: Ints) -> tuple[str, float]:
    """Return the form of the words and the C with the best macro-F1 over folds of the half; the first of equals."""
    options = halves.options["honest"]
    dealt = deal(halves.labels[train], options["folds"], seed=halves.options["seed"])
    points = list(itertools.product(halves.forms, options["C"]))
    values = dict.fromkeys(points, 0.0)
    for form, fold in itertools.product(halves.forms, range(options["folds"])):
        own = replace(halves, counts=halves.forms[form])
        kept, held = train[dealt != fold], train[dealt == fold]
        X, Z = own.weighted(kept, held)
        for cost, value in zip(options["C"], _along(options["C"], (X, Z), halves, kept=kept, held=held), strict=True):
            values[form, cost] += value
    return max(points, key=lambda point: values[point])


def _along(costs: Sequence[float], vectors: Any, halves: Any, *, kept: Ints, held: Ints) -> list[float]:
    """Return macro-F1 on the held-out documents for each C."""
    X, Z = vectors

    def value(cost: float) -> float:
        scores = SVM(C=cost).fit(X, halves.labels[kept]).decision_function(Z)
        return float(macro(resolve("f1"), counts(halves.labels[held], sparse.csr_array(scores > 0))))

    return [value(cost) for cost in costs]
