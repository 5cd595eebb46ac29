"""What trials are chosen by: any measure, with an average where it has one."""

from __future__ import annotations

import itertools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from rubricate import registry
from rubricate.classifiers.svm_leave_one_out import has_dual
from rubricate.engines import Engine, run_counted, run_tasks
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation import MEASURES, estimate
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial, compute_steps
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, micro, of_kind, resolve
from rubricate.measures.evaluation_result import evaluate_run
from rubricate.training.cache import Arrays, canonical
from rubricate.training.candidates import candidates_for
from rubricate.training.config import parse_settings
from rubricate.training.data import TrainingData, take_target, without_unlabelled
from rubricate.types import Corpus, Documents, Edges, Progress, Run, Undefined

__all__ = [
    "WAYS",
    "CandidateGrid",
    "Criterion",
    "Judge",
    "Judging",
    "Tried",
    "Tuned",
    "Way",
    "best_of",
    "criterion_named",
    "known_criteria",
    "search",
    "tune",
    "way_named",
]

AVERAGES = {"micro": micro, "macro": macro}


@dataclass(frozen=True)
class Criterion:
    """A number of a run, and whether more of it is better."""

    name: str
    value: Callable[[Run, Undefined], float]
    greater_is_better: bool = True

    def better(self, a: float, b: float) -> bool:
        """Return whether a is better than b; NaN is worse than any number."""
        if a != a or b != b:
            return a == a
        return a > b if self.greater_is_better else a < b


def _of_counts() -> list[str]:
    """Return the measures that have a micro and a macro average, those with a β among them."""
    return [*of_kind("counts"), *of_kind("counts", parametric=True)]


def known_criteria() -> list[str]:
    """Return every criterion by name, those with a β as `micro_f_beta:2`."""
    flat = [f"{average}_{name}" for name in _of_counts() for average in AVERAGES]
    return sorted([*flat, *of_kind("documents"), *of_kind("ranking")])


def criterion_named(name: str) -> Criterion:
    """Return a criterion: `micro_f1`, `macro_f_beta:0.5`, `micro_error`, `example_f1`, `eleven_point`, ….

    >>> criterion_named("micro_error").greater_is_better
    False
    """
    average, _, rest = name.partition("_")
    if average in AVERAGES and registry.parse(rest)[0] in _of_counts():
        return _average(name, average, rest)
    if name not in known_criteria():
        raise UnknownName("criterion", name, known_criteria())
    measure = resolve(name)
    return Criterion(name, lambda run, undefined: _other(name, run, undefined), measure.greater_is_better)


def _average(name: str, average: str, rest: str) -> Criterion:
    measure, mean = resolve(rest), AVERAGES[average]

    def value(run: Run, undefined: Undefined) -> float:
        if run.truth is None or run.decisions is None:
            raise InvalidInput(f"criterion {name!r} needs decisions and truth")
        return float(mean(measure, counts(run.truth, run.decisions.values), undefined=undefined))

    return Criterion(name, value, measure.greater_is_better)


def _other(name: str, run: Run, undefined: Undefined) -> float:
    evaluation = evaluate_run(run, undefined=undefined)
    values = {**evaluation.examples, **evaluation.ranking}
    if name not in values:
        raise InvalidInput(f"criterion {name!r} needs the scores of every document; choose one of decisions")
    return float(values[name])


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
    def whole(self) -> TrainingData:
        """All documents, to be dealt to folds."""
        return TrainingData(self.documents, taxonomy=self.taxonomy)

    @cached_property
    def parted(self) -> TrainingData:
        """A validation part of about `share`, stratified by category, to be scored by what the rest taught."""
        if not 0 < self.share <= 0.5:
            raise InvalidInput(f"the validation part must be more than 0 and at most half, got {self.share}")
        held = assign_folds(self.documents.labels, max(2, round(1 / self.share)), seed=self.seed) == 0
        rest, part = (self.documents.take(np.flatnonzero(rows)) for rows in (~held, held))
        return TrainingData(rest, test=part, taxonomy=self.taxonomy)

    def trials(self, settings: Sequence[Plain], material: TrainingData) -> list[Trial]:
        """Return a trial of each of some settings."""
        return [self._trial(each, material) for each in settings]

    def values(self, trials: Sequence[Trial], run: Callable[[Trial], Run]) -> list[float]:
        """Return the criterion of what `run` makes of each trial."""
        return run_tasks(lambda trial: self.criterion.value(run(trial), self.undefined), trials, engine=self.engine)

    def _trial(self, settings: Plain, material: TrainingData) -> Trial:
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


CandidateGrid: TypeAlias = Mapping[str, Sequence[Any]]
Judge: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], Sequence[float]]
"""Gives the value of each of some combinations of candidates."""


@dataclass(frozen=True)
class Tried:
    """One combination of the candidates, and its value by the criterion."""

    values: Mapping[str, Any]
    value: float


@dataclass(frozen=True)
class Tuned:
    """The best combination (the first tried among equals) and all that were tried, in order."""

    best: Tried
    tried: tuple[Tried, ...]
    settings: Mapping[str, Any]
    criterion: str
    by: str
    combinations: int

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON has it."""
        rows = [{**trial.values, self.criterion: _number(trial.value)} for trial in self.tried]
        return {
            "best": dict(self.best.values),
            "settings": dict(self.settings),
            "criterion": self.criterion,
            "by": self.by,
            "value": _number(self.best.value),
            "combinations": self.combinations,
            "tried": rows,
        }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def tune(
    documents: Documents | Corpus,
    grid: CandidateGrid,
    *,
    settings: Mapping[str, Any] | None = None,
    criterion: str = "micro_f1",
    greedy: bool = False,
    stop: int | None = None,
    passes: int = 1,
    by: str = "cross_validation",
    folds: int = 5,
    share: float = 0.3,
    seed: int = 0,
    undefined: Undefined = "zero",
    store: Store | None = None,
    engine: Engine | str = "threads",
    progress: Progress | None = None,
) -> Tuned:
    """Choose among candidates for any parameters of a `Categorizer`, using the training documents only.

    Parameters
    ----------
    grid
        Candidates by parameter, named as in plain settings: {"C": [0.5, 1], "select": ["chi2:2000", None]}.
    settings
        Further settings, the same in all trials.
    criterion
        Any measure: micro_f1, macro_f1, micro_f_beta:0.5, micro_error, eleven_point, …
    greedy, stop, passes
        Try one parameter after the other, in the order of the grid, each from its first candidate; leave a parameter
        after `stop` candidates in a row that were not better; make at most `passes` rounds over the parameters, and no
        further round after one that changed nothing.
    by
        "cross_validation" (stratified `folds`), "validation" (a part of `share`), or "xi_alpha" (SVMs, one training).

    Trainings are kept in the store and never repeated, so an interrupted search resumes when called again. The value of
    the best combination is the best of many and so a little optimistic; judge it on other documents.

    >>> import tempfile
    >>> from rubricate.labels import label_matrix
    >>> texts = ["wheat corn", "corn exports", "crude oil", "oil gas", "wheat harvest", "gas pipe"] * 3
    >>> labels, names = label_matrix(["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3)
    >>> documents = Documents([str(i) for i in range(18)], texts, labels, names)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tuned = tune(documents, {"classifier": ["svm", "nb"], "select": [None, "chi2:2"]}, store=Store(folder))
    >>> dict(tuned.best.values), len(tuned.tried)
    ({'classifier': 'svm', 'select': None}, 4)
    """
    _check(grid, stop, passes)
    chosen, (way, judge) = criterion_named(criterion), way_named(by)
    options: dict[str, Any] = {"folds": folds, "share": share, "seed": seed, "undefined": undefined}
    shared = dict(settings or {})
    given = documents.train if isinstance(documents, Corpus) else documents
    if isinstance(given, Documents) and not {"cut", "outside"} & {*shared, *grid}:  # as a training with these would
        given, _ = without_unlabelled(given, take_target(given, None))
    taxonomy = documents.taxonomy if isinstance(documents, Corpus) else None
    judging = Judging(
        given,
        chosen,
        Store() if store is None else store,
        taxonomy=taxonomy,
        engine=engine,
        progress=progress,
        **options,
    )

    def judged(points: Sequence[Mapping[str, Any]]) -> Sequence[float]:
        return judge([{**shared, **point} for point in points], judging)

    tried = search(grid, judged, better=chosen.better, greedy=greedy, stop=stop, passes=passes)
    every = math.prod(len(candidates) for candidates in grid.values())
    return Tuned(best_of(tried, chosen.better), tried, shared, criterion, way, every)


def search(
    grid: CandidateGrid,
    judge: Judge,
    *,
    better: Callable[[float, float], bool] = operator.gt,
    greedy: bool = False,
    stop: int | None = None,
    passes: int = 1,
) -> tuple[Tried, ...]:
    """Return what was tried, in order, each combination once; the options are those of `tune`, the judge any function.

    >>> tried = search({"a": [0, 1, 2], "b": [0, 1]}, lambda points: [p["a"] - p["b"] for p in points], greedy=True)
    >>> [(trial.values["a"], trial.values["b"], trial.value) for trial in tried]
    [(0, 0, 0), (1, 0, 1), (2, 0, 2), (2, 1, 1)]
    """
    _check(grid, stop, passes)
    trials = _CoordinateSearch(judge, better, stop)
    if greedy:
        trials.greedy(grid, passes)
    else:
        trials.values([dict(zip(grid, each, strict=True)) for each in itertools.product(*grid.values())])
    return tuple(trials.tried.values())


def _check(grid: CandidateGrid, stop: int | None, passes: int) -> None:
    if not grid:
        raise InvalidInput("nothing to tune; give candidates, such as C=0.1,1,10")
    for name, candidates in grid.items():
        if isinstance(candidates, str) or not len(candidates):
            raise InvalidInput(f"{name!r} needs a list of candidates, got {candidates!r}")
        if name in ("folds", "seed", "engine"):
            raise InvalidInput(f"{name!r} is no parameter to tune: it is how trials are judged")
    if (stop is not None and stop < 1) or passes < 1:
        raise InvalidInput("stop and passes must be at least 1")


class _CoordinateSearch:
    """Trials that were made, and those to be made, each once."""

    def __init__(self, judge: Judge, better: Callable[[float, float], bool], stop: int | None) -> None:
        self.judge, self.better, self.stop = judge, better, stop
        self.tried: dict[str, Tried] = {}

    def values(self, points: Sequence[Mapping[str, Any]]) -> list[float]:
        """Return the value of each combination; those not yet tried are, together."""
        new = {canonical(point): point for point in points if canonical(point) not in self.tried}
        judged = self.judge(list(new.values())) if new else []
        for (key, point), value in zip(new.items(), judged, strict=True):
            self.tried[key] = Tried(dict(point), value)
        return [self.tried[canonical(point)].value for point in points]

    def greedy(self, grid: CandidateGrid, passes: int) -> None:
        """Try one parameter after the other, the others fixed at the best so far."""
        point = {name: candidates[0] for name, candidates in grid.items()}
        for _ in range(passes):
            before = dict(point)
            for name, candidates in grid.items():
                point[name] = self._best_candidate(point, name, candidates)
            if point == before:
                break

    def _best_candidate(self, point: Mapping[str, Any], name: str, candidates: Sequence[Any]) -> Any:
        """Return the best value of one parameter, the others fixed; a tie keeps the value that the point has."""
        chosen, worse = point[name], 0
        best = self.values([point])[0]
        for some in self._batches(candidates):
            for candidate, value in zip(some, self.values([{**point, name: each} for each in some]), strict=True):
                if self.better(value, best):
                    chosen, best, worse = candidate, value, 0
                elif candidate != point[name]:
                    worse += 1
            if self.stop is not None and worse >= self.stop:
                break
        return chosen

    def _batches(self, candidates: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Return all candidates at once, or one at a time where the search may end early."""
        return iter([candidates]) if self.stop is None else ([each] for each in candidates)


def best_of(tried: Sequence[Tried], better: Callable[[float, float], bool]) -> Tried:
    """Return the best, the first of equals."""
    best = tried[0]
    for trial in tried[1:]:
        best = trial if better(trial.value, best.value) else best
    return best
