"""How well settings would do, judged from training documents alone: what `tune` chooses by.

An estimate is a function of some settings and a `Judging` that gives one number for each; a further one is added to
`ESTIMATES` under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from rubricate.classifiers.svm.leave_one_out.machines import has_dual
from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation import MEASURES, estimate
from rubricate.experiments.criteria import Criterion
from rubricate.experiments.runner import Progress, compute_steps, quiet
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial
from rubricate.folds import deal
from rubricate.training.candidates import candidates_for
from rubricate.training.material import Material
from rubricate.training.settings import parse_settings
from rubricate.types import Documents, Edges, Run, Undefined

__all__ = ["ESTIMATES", "Estimate", "Judging", "estimate_named"]


@dataclass(frozen=True, eq=False)
class Judging:
    """What settings are judged on and by: documents, criterion, folds or a validation part, where work runs.

    `taxonomy` is for hierarchical classifiers that have none of their own.
    """

    documents: Documents
    criterion: Criterion
    store: Store
    folds: int = 5
    share: float = 0.3
    seed: int = 0
    undefined: Undefined = "zero"
    engine: Engine | str = "threads"
    progress: Progress = field(default=quiet)
    taxonomy: Edges | None = None

    @cached_property
    def whole(self) -> Material:
        """All documents, to be dealt to folds."""
        return Material(self.documents, taxonomy=self.taxonomy)

    @cached_property
    def parted(self) -> Material:
        """A validation part of about `share`, stratified by category, to be scored by those trained on the rest."""
        if not 0 < self.share <= 0.5:
            raise InvalidInput(f"the validation part must be more than 0 and at most half, got {self.share}")
        held = deal(self.documents.labels, max(2, round(1 / self.share)), seed=self.seed) == 0
        rest, part = (self.documents.take(np.flatnonzero(rows)) for rows in (~held, held))
        return Material(rest, test=part, taxonomy=self.taxonomy)

    def trial(self, settings: Mapping[str, Any], material: Material) -> Trial:
        """A trial of these settings."""
        name = ", ".join(f"{key}={value}" for key, value in settings.items()) or "defaults"
        return Trial(name, {**settings, "folds": self.folds, "seed": self.seed}, material, self.store)


Estimate: TypeAlias = Callable[[Sequence[Mapping[str, Any]], Judging], list[float]]


def cross_validation(settings: Sequence[Mapping[str, Any]], judging: Judging) -> list[float]:
    """The criterion over all documents, each decided by classifier and cut that have not seen it (stratified folds).

    Cost: `folds` trainings for each of the settings, less those that are shared: cuts cost none.
    """
    if judging.folds < 2:
        raise InvalidInput(f"cross-validation needs 2 folds or more, got {judging.folds}")
    trials = [judging.trial(each, judging.whole) for each in settings]
    compute_steps(trials, judging.engine, judging.progress, "tuning", test=False)
    return _judged(trials, Trial.cross_validated, judging)


def validation(settings: Sequence[Mapping[str, Any]], judging: Judging) -> list[float]:
    """The criterion on one validation part, as yang1999 (section 4.3) has it; cuts are learned from folds of the rest.

    Cost: `folds` + 1 trainings for each of the settings.
    """
    trials = [judging.trial(each, judging.parted) for each in settings]
    compute_steps(trials, judging.engine, judging.progress, "tuning")
    return _judged(trials, lambda trial: trial.run()[0], judging)


def _judged(trials: Sequence[Trial], run: Callable[[Trial], Run], judging: Judging) -> list[float]:
    def one(trial: Trial) -> float:
        return judging.criterion.value(run(trial), judging.undefined)

    return run_tasks(one, trials, engine=judging.engine)


def xi_alpha(settings: Sequence[Mapping[str, Any]], judging: Judging) -> list[float]:
    """The ξα-estimate of an SVM at its own cut, from one training for each of the settings (joachims2000).

    The criterion is the micro- or macro-average of error, recall, precision or F1. Settings of cuts make no difference.
    Pessimistic, and not always a fair judge between settings: it favours small C (docs/estimation.md). Cost: one
    training for each of the settings; vectors are made once for those that share them.
    """
    average, _, measure = judging.criterion.name.partition("_")
    if average not in ("micro", "macro") or measure not in MEASURES:
        wanted = ", ".join(f"{one}_{name}" for one in ("micro", "macro") for name in MEASURES)
        raise InvalidInput(f"xi-alpha estimates {wanted}, not {judging.criterion.name!r}; choose one of these")

    def make(each: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        settings = parse_settings({"classifier": "svm", **each})
        (svm,) = candidates_for(settings.classifier, tuned=False)
        if not has_dual(svm):
            raise InvalidInput(f"xi_alpha is of SVMs, not of {settings.classifier!r}; choose by cross_validation")
        vectors, labels = judging.whole.shaped(settings.representation(), None).X, judging.documents.labels
        found = replace(estimate(svm, vectors, labels, method="xi_alpha"), convention=judging.undefined)
        return {"value": np.array([getattr(found, average)[measure]], dtype=np.float64)}, {}

    with judging.progress("tuning", len(settings)) as advance:
        values = []
        for each in settings:
            what = {"kind": "xi-alpha", "settings": dict(each), "data": judging.whole.train_digest}
            what |= {"criterion": judging.criterion.name, "undefined": judging.undefined}
            values.append(float(judging.store.remember(what, partial(make, each)).arrays["value"][0]))
            advance(1)
    return values


ESTIMATES: dict[str, Estimate] = {
    "cross-validation": cross_validation,
    "validation": validation,
    "xi-alpha": xi_alpha,
}
"""The estimates by name."""


def estimate_named(name: str) -> Estimate:
    """The estimate of this name."""
    if name not in ESTIMATES:
        raise UnknownName("estimate", name, ESTIMATES)
    return ESTIMATES[name]
