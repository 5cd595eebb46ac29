"""Running a plan: every step once, on all cores, in the store as soon as it is done.

Steps (one training and its scores) are independent tasks for an engine; the kernels let go of the interpreter's lock,
so threads use all cores. The numbers do not depend on the engine, on the order in which steps end, or on which of
them were in the store before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

import numpy as np

from rubricate.corpora import load
from rubricate.engines import Engine, run_tasks
from rubricate.errors import CorpusMissing, InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.criteria import criterion
from rubricate.experiments.plan import CorpusChoice, Plan, TrialChoice
from rubricate.experiments.store import Store
from rubricate.experiments.study import CorpusResult, Study, TrialResult
from rubricate.experiments.trial import Trial
from rubricate.training.material import Material
from rubricate.training.procedure import Step
from rubricate.types import Corpus, Run

__all__ = ["Progress", "compute_steps", "quiet", "run_study"]

Advance: TypeAlias = Callable[[int], None]
Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""`with progress(what, total) as advance`: told by `advance(n)` of n steps more that are done."""


@contextmanager
def quiet(what: str, total: int) -> Iterator[Advance]:
    """Progress that nobody sees."""
    yield lambda steps: None


def run_study(
    plan: Plan, *, store: Store | None = None, engine: Engine | str = "threads", progress: Progress = quiet
) -> Study:
    """Run what the store lacks of a plan, and gather the results.

    Interrupted (Ctrl-C, kill), it goes on where it was when called again with the same store.
    """
    store = Store() if store is None else store
    return Study(plan, tuple(_on(plan, choice, store, engine, progress) for choice in plan.corpora))


def _on(plan: Plan, choice: CorpusChoice, store: Store, engine: Engine | str, progress: Progress) -> CorpusResult:
    corpus, note = _load(choice)
    if not len(corpus.test):
        raise InvalidInput(
            f"corpus {choice.name!r} has no test documents; give it a split column, or test = 0.2 for a share"
        )
    whole, choices = Material(corpus, test=corpus.test), plan.trials()
    trials = [_trial(one, whole, store) for one in choices]
    curves = _curves(plan, choices, whole, store)
    compute_steps([*trials, *(trial for own in curves.values() for _, trial in own)], engine, progress, corpus.name)
    results = [(one, trial, *_run(trial)) for one, trial in zip(choices, trials, strict=True)]
    last = {one.name: run for one, _, run, _ in results}
    measure = criterion(plan.learning.measure)
    learning = {
        name: tuple(
            [(size, measure.value(_run(trial)[0], plan.undefined)) for size, trial in own]
            + [(len(corpus.train), measure.value(last[name], plan.undefined))]
        )
        for name, own in curves.items()
    }
    found = tuple(TrialResult(one, run, seconds, trial) for one, trial, run, seconds in results)
    return CorpusResult(plan, corpus, found, learning, note)


def _load(choice: CorpusChoice) -> tuple[Corpus, str]:
    try:
        return load(choice.name, split=choice.split, folder=choice.folder, **choice.options), ""
    except CorpusMissing:
        if choice.otherwise is None:
            raise
        note = (
            f"{choice.name} is not on this machine, so {choice.otherwise} stands in for it; "
            f"'rubricate corpus fetch {choice.name}' gets it."
        )
        return load(choice.otherwise), note


def _trial(choice: TrialChoice, material: Material, store: Store) -> Trial:
    with _named(choice.name):
        return Trial(choice.name, choice.settings, material, store)


def _run(trial: Trial) -> tuple[Run, dict[str, float]]:
    with _named(trial.name):
        return trial.run()


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Errors of settings within say which trial they are of; those of files speak for themselves."""
    try:
        yield
    except InvalidFile:
        raise
    except (InvalidInput, UnknownName) as error:
        raise InvalidInput(f"trial {name!r}: {error}") from error


def _curves(
    plan: Plan, choices: Sequence[TrialChoice], whole: Material, store: Store
) -> dict[str, list[tuple[int, Trial]]]:
    """Trials on the first documents of one random order, so that each part contains the smaller ones."""
    wanted = [one for one in choices if one.system in plan.learning.systems]
    if not wanted:
        return {}
    order = np.random.default_rng(plan.seed).permutation(len(whole.documents))
    sizes = sorted({max(2, round(share * len(whole.documents))) for share in plan.learning.shares})
    parts = [
        Material(whole.documents.take(np.sort(order[:size])), test=whole.test, taxonomy=whole.taxonomy)
        for size in sizes
    ]
    return {
        one.name: [(size, _trial(one, part, store)) for size, part in zip(sizes, parts, strict=True)] for one in wanted
    }


def compute_steps(
    trials: Sequence[Trial], engine: Engine | str, progress: Progress, what: str, *, test: bool = True
) -> None:
    """Put every step of some trials that the store lacks into it, each once."""
    tasks: dict[str, tuple[Trial, Step]] = {}
    for trial in trials:
        for step in trial.procedure.steps(final=test):
            described = trial.what(step)
            if not trial.store.has(described):
                tasks.setdefault(trial.store.key(described), (trial, step))
    if not tasks:
        return
    with progress(what, len(tasks)) as advance:
        steps = _Steps(_sharing(list(tasks.values())), advance)
        run_tasks(steps, range(len(tasks)), engine=engine)


class _Steps:
    """Computes the steps of trials by number; in another process without showing how far it is."""

    def __init__(self, tasks: Sequence[tuple[Trial, Step]], advance: Callable[[int], object] | None = None) -> None:
        self.tasks, self.advance = tasks, advance

    def __reduce__(self) -> tuple[type[_Steps], tuple[Sequence[tuple[Trial, Step]]]]:
        return _Steps, (self.tasks,)

    def __call__(self, number: int) -> None:
        trial, step = self.tasks[number]
        with _named(trial.name):
            trial.entry(step)
        if self.advance is not None:
            self.advance(1)


def _sharing(tasks: list[tuple[Trial, Step]]) -> list[tuple[Trial, Step]]:
    """The tasks in an order in which those with the same vectors follow each other, so that they are made once."""
    first: dict[tuple[object, ...], int] = {}
    for i, (trial, step) in enumerate(tasks):
        first.setdefault(trial.vectors_key(step), i)
    return sorted(tasks, key=lambda task: first[task[0].vectors_key(task[1])])
