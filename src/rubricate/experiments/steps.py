"""The steps of several trials, each computed once, in the store as soon as it is done.

Steps (one training and its scores) are independent tasks for an engine; the kernels let go of the interpreter's lock,
so threads use all cores. The numbers do not depend on the engine, on the order in which steps end, or on which of
them were in the store before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.trial import Trial
from rubricate.training.procedure import Step
from rubricate.types import Progress

__all__ = ["TrialSteps", "compute_steps", "errors_of"]


@contextmanager
def errors_of(trial: str) -> Iterator[None]:
    """Name the trial in errors of settings; those of files speak for themselves."""
    try:
        yield
    except InvalidFile:
        raise
    except (InvalidInput, UnknownName) as error:
        raise InvalidInput(f"trial {trial!r}: {error}") from error


def compute_steps(
    trials: Sequence[Trial],
    *,
    engine: Engine | str = "threads",
    progress: Progress | None = None,
    what: str = "trials",
    final: bool = True,
) -> None:
    """Put every step of some trials that the store lacks into it, each once.

    `final` includes the trainings on all documents, and `what` names the work in a progress bar.
    """
    tasks: dict[str, tuple[Trial, Step]] = {}
    for trial in trials:
        for step in trial.procedure.steps(final=final):
            described = trial.what(step)
            if not trial.store.has(described):
                tasks.setdefault(trial.store.key(described), (trial, step))
    if not tasks:
        return
    if progress is not None:
        progress(total=len(tasks), text=what)
    run_tasks(TrialSteps(_sharing(list(tasks.values())), progress), range(len(tasks)), engine=engine)


class TrialSteps:
    """Computes the steps of trials by number. A copy in another process shows no progress."""

    def __init__(self, tasks: Sequence[tuple[Trial, Step]], progress: Progress | None = None) -> None:
        self.tasks, self.progress = tasks, progress

    def __reduce__(self) -> tuple[type[TrialSteps], tuple[Sequence[tuple[Trial, Step]]]]:
        return TrialSteps, (self.tasks,)

    def __call__(self, number: int) -> None:
        """Compute one step."""
        trial, step = self.tasks[number]
        with errors_of(trial.name):
            trial.entry(step)
        if self.progress is not None:
            self.progress(1)


def _sharing(tasks: list[tuple[Trial, Step]]) -> list[tuple[Trial, Step]]:
    """Sort the tasks so that those with the same vectors follow each other and the vectors are made once."""
    first: dict[tuple[object, ...], int] = {}
    for i, (trial, step) in enumerate(tasks):
        first.setdefault(trial.vectors_key(step), i)
    return sorted(tasks, key=lambda task: first[task[0].vectors_key(task[1])])
