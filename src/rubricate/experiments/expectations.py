"""What the training documents alone say to expect of the SVMs of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate.classifiers.svm import SVM
from rubricate.classifiers.svm_leave_one_out import has_dual
from rubricate.estimation import Estimate
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.experiments.study import CorpusResult
from rubricate.experiments.trial import Trial
from rubricate.training.cache import Arrays
from rubricate.training.plan import Step
from rubricate.types import Counts

__all__ = ["expected"]

NOTED = ("method", "documents", "bias", "spread", "convention")
CHEAP = 4_000_000
"""Documents × categories up to which estimates are made unasked."""


def expected(result: CorpusResult) -> dict[str, list[Estimate]]:
    """Estimate ξα and, with a linear kernel, leave-one-out for each trial of an SVM, by the name of its run.

    They speak of the SVM at its own cut, score > 0. Trials that differ only in the cut share theirs. Cost: one training
    for each SVM and less than 10-fold cross-validation, unless the store has them; corpora above four million cells
    are left out. What the estimates keep here are their tables.
    """
    made: dict[str, list[Estimate]] = {}
    estimates = {}
    for each in result.trials:
        svm = _svm(each.trial)
        if svm is not None:
            key = repr((each.trial.procedure.options[each.trial.chosen()].representation.key(), svm.get_params()))
            if key not in made:
                made[key] = _remembered(each.trial, svm)
            estimates[each.run.name] = made[key]
    return estimates


def _svm(trial: Trial) -> SVM | None:
    """Return the SVM that a trial settled on; None for other classifiers, and where there is too much."""
    labels = trial.material.labels
    chosen = trial.classifiers[trial.chosen()]
    return chosen if has_dual(chosen) and labels.shape[0] * labels.shape[1] <= CHEAP else None


def _remembered(trial: Trial, svm: SVM) -> list[Estimate]:
    """Return the estimates from the store, or make them."""

    def make() -> tuple[Arrays, Mapping[str, Any]]:
        found = _estimates(trial, svm)
        tables = {
            f"{cell}{k}": getattr(each.table, cell) for k, each in enumerate(found) for cell in ("tp", "fp", "fn", "tn")
        }
        plain = [{name: getattr(each, name) for name in NOTED} | {"categories": [*each.categories]} for each in found]
        return tables, {"estimates": plain}

    entry = trial.remember("estimates", make)
    return [
        Estimate(
            table=Counts(*(entry.arrays[f"{cell}{k}"] for cell in ("tp", "fp", "fn", "tn"))),
            **(noted | {"categories": tuple(noted["categories"])}),
        )
        for k, noted in enumerate(entry.notes["estimates"])
    ]


def _estimates(trial: Trial, svm: SVM) -> list[Estimate]:
    parts = trial.shaped(Step(trial.chosen(), None))
    held = np.bincount(parts.labels.indices, minlength=parts.labels.shape[1])
    shown = np.flatnonzero((held > 0) & (held < parts.labels.shape[0]))
    if not len(shown):
        return []
    labels, categories = parts.labels[:, shown], [trial.material.categories[c] for c in shown]
    fitted = clone(svm).fit(parts.X, labels)
    methods: list[Any] = [xi_alpha, leave_one_out] if svm.kernel == "linear" else [xi_alpha]
    return [method(fitted, parts.X, labels, categories=categories) for method in methods]
