"""The choice of parameters: all combinations, or greedily one parameter after the other.

The greedy search is that of yang1999, section 4.3: parameters have an order, each starts at its first candidate; all
candidates of the first are tried with the others fixed, the best is kept, then the second, to the last. It costs the
sum of the numbers of candidates where the grid costs their product.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.experiments.criteria import criterion as criterion_named
from rubricate.experiments.judging import Judging, way_named
from rubricate.experiments.store import Store
from rubricate.training.fingerprint import canonical
from rubricate.training.targets import take_target, without_strays
from rubricate.types import Corpus, Documents, Progress, Undefined

__all__ = ["CandidateGrid", "Judge", "Tried", "Tuned", "best_of", "search", "tune"]

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
        given, _ = without_strays(given, take_target(given, None))
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
