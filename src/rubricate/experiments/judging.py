"""How well settings would do, judged from training documents alone: what `tune` chooses by.

A way of judging is a function of some settings and a `Judging` that gives one number for each; to add one, enter it in
`WAYS` under its name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from rubricate.classifiers.svm.solvers.leave_one_out import has_dual
from rubricate.engines import Engine, run_counted, run_tasks
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation import MEASURES, estimate
from rubricate.experiments.criteria import Criterion
from rubricate.experiments.steps import compute_steps
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial
from rubricate.folds import deal
from rubricate.training.cache import Arrays
from rubricate.training.candidates import candidates_for
from rubricate.training.material import Material
from rubricate.training.settings import parse_settings
from rubricate.types import Documents, Edges, Progress, Run, Undefined

__all__ = ["WAYS", "Judging", "Way", "way_named"]

Plain: TypeAlias = Mapping[str, Any]
"""Settings as `parse_settings` takes them."""


@dataclass(frozen=True, eq=False)
class Judging:
    """What settings are judged on, and by which criterion.

    Parameters
    ----------
    documents, taxonomy
        The training documents; the taxonomy is for hierarchical classifiers that have none of their own.
    criterion, undefined
        The number that counts, and what 0/0 is in it.
    store, engine, progress
        Where results are kept, where work runs, and how progress is shown.
    folds, share, seed
        Number of folds in cross-validation; size of the validation part; seed of the folds.
    """

    documents: Documents
    criterion: Criterion
    store: Store
    folds: int = 5
    share: float = 0.3
    seed: int = 0
    undefined: Undefined = "zero"
    engine: Engine | str = "threads"
    progress: Progress | None = None
    taxonomy: Edges | None = None

    @cached_property
    def whole(self) -> Material:
        """All documents, to be dealt to folds."""
        return Material(self.documents, taxonomy=self.taxonomy)

    @cached_property
    def parted(self) -> Material:
        """A validation part of about `share`, stratified by category, to be scored by what the rest taught."""
        if not 0 < self.share <= 0.5:
            raise InvalidInput(f"the validation part must be more than 0 and at most half, got {self.share}")
        held = deal(self.documents.labels, max(2, round(1 / self.share)), seed=self.seed) == 0
        rest, part = (self.documents.take(np.flatnonzero(rows)) for rows in (~held, held))
        return Material(rest, test=part, taxonomy=self.taxonomy)

    def trials(self, settings: Sequence[Plain], material: Material) -> list[Trial]:
        """Return a trial of each of some settings."""
        return [self._trial(each, material) for each in settings]

    def values(self, trials: Sequence[Trial], run: Callable[[Trial], Run]) -> list[float]:
        """Return the criterion of what `run` makes of each trial."""
        return run_tasks(lambda trial: self.criterion.value(run(trial), self.undefined), trials, engine=self.engine)

    def _trial(self, settings: Plain, material: Material) -> Trial:
        name = ", ".join(f"{key}={value}" for key, value in settings.items()) or "defaults"
        asked = {**settings, "folds": self.folds, "seed": self.seed}
        return Trial(name, asked, material, self.store, engine=self.engine)


Way: TypeAlias = Callable[[Sequence[Plain], Judging], list[float]]


def cross_validation(settings: Sequence[Plain], judging: Judging) -> list[float]:
    """Return the criterion over all documents, each decided by a classifier and cut that have not seen it.

    Cost: `folds` trainings for each of the settings, less those that are shared: cuts cost none.
    """
    if judging.folds < 2:
        raise InvalidInput(f"cross-validation needs 2 folds or more, got {judging.folds}")
    trials = judging.trials(settings, judging.whole)
    compute_steps(trials, engine=judging.engine, progress=judging.progress, what="tuning", final=False)
    return judging.values(trials, Trial.cross_validated)


def validation(settings: Sequence[Plain], judging: Judging) -> list[float]:
    """Return the criterion on one validation part, as in yang1999 (section 4.3); cuts learn from folds of the rest.

    Cost: `folds` + 1 trainings for each of the settings.
    """
    trials = judging.trials(settings, judging.parted)
    compute_steps(trials, engine=judging.engine, progress=judging.progress, what="tuning")
    return judging.values(trials, lambda trial: trial.run()[0])


def xi_alpha(settings: Sequence[Plain], judging: Judging) -> list[float]:
    """Return the ξα-estimate of an SVM at its own cut, from one training for each of the settings (joachims2000).

    The criterion is the micro- or macro-average of error, recall, precision or F1. Settings of cuts make no difference.
    Pessimistic, and not always a fair judge between settings: it favours small C (docs/methods/estimation.md). Cost:
    one training for each of the settings; vectors are made once for those that share them.
    """
    average, _, measure = judging.criterion.name.partition("_")
    if average not in ("micro", "macro") or measure not in MEASURES:
        wanted = ", ".join(f"{each}_{name}" for each in ("micro", "macro") for name in MEASURES)
        raise InvalidInput(f"xi_alpha estimates {wanted}, not {judging.criterion.name!r}; choose one of these")

    def make(plain: Plain) -> tuple[Arrays, Mapping[str, Any]]:
        settings = parse_settings({"classifier": "svm", **plain})
        (svm,) = candidates_for(settings.classifier, tuned=False)
        if not has_dual(svm):
            raise InvalidInput(f"xi_alpha is of SVMs, not of {settings.classifier!r}; choose by cross_validation")
        vectors, labels = judging.whole.shaped(settings.shape(), None).X, judging.documents.labels
        result = replace(estimate(svm, vectors, labels, method="xi_alpha"), convention=judging.undefined)
        return {"value": np.array([getattr(result, average)[measure]], dtype=np.float64)}, {}

    def value(plain: Plain) -> float:
        what = {"kind": "xi-alpha", "settings": dict(plain), "data": judging.whole.train_digest}
        what |= {"criterion": judging.criterion.name, "undefined": judging.undefined}
        return float(judging.store.remember(what, partial(make, plain)).arrays["value"][0])

    return run_counted(value, settings, progress=judging.progress, text="tuning")


WAYS: dict[str, Way] = {
    "cross_validation": cross_validation,
    "validation": validation,
    "xi_alpha": xi_alpha,
}
"""The ways of judging by name."""


def way_named(name: str) -> tuple[str, Way]:
    """Return the name of a way with underscores, and the way; a name with hyphens is deprecated."""
    known = name.replace("-", "_")
    if known not in WAYS:
        raise UnknownName("way of judging", name, WAYS)
    if known != name:
        message = f"{name!r} is now {known!r}; the spelling with a hyphen goes with the next release"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
    return known, WAYS[known]
