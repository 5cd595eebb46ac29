"""Running a plan: what the store lacks is computed, and the results are gathered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rubricate.corpora import load
from rubricate.engines import Engine
from rubricate.errors import CorpusMissing, InvalidInput
from rubricate.experiments.plan import CorpusChoice, Plan, TrialChoice
from rubricate.experiments.store import Store
from rubricate.experiments.study import CorpusResult, Study, TrialResult
from rubricate.experiments.trial import Trial, compute_steps, errors_of
from rubricate.experiments.tuning import criterion_named as criterion
from rubricate.io.predictions import run_names
from rubricate.training.data import TrainingData
from rubricate.types import Corpus, Progress, Run

__all__ = ["corpus_names", "run_study"]


def run_study(
    plan: Plan, *, store: Store | None = None, engine: Engine | str = "threads", progress: Progress | None = None
) -> Study:
    """Run what the store lacks of a plan, and gather the results.

    Interrupted (Ctrl-C, kill), it goes on where it was when called again with the same store.
    """
    runner = _Runner(plan, Store() if store is None else store, engine, progress)
    names = corpus_names(plan.corpora)
    return Study(plan, tuple(runner.on(choice, name) for choice, name in zip(plan.corpora, names, strict=True)))


def corpus_names(corpora: Sequence[CorpusChoice]) -> list[str | None]:
    """Return names with the folder for files that are called alike, such as two train.csv; None: its own name.

    >>> corpus_names([CorpusChoice("a/train.csv", folder=Path()), CorpusChoice("b/train.csv", folder=Path())])
    ['a/train', 'b/train']
    """
    own = [choice.name for choice in corpora if choice.folder is not None]
    alike = Counter(Path(name).name for name in own)
    told_apart = dict(zip(own, run_names(own), strict=True))
    return [told_apart.get(each.name) if alike[Path(each.name).name] > 1 else None for each in corpora]


@dataclass(frozen=True, eq=False)
class _Runner:
    plan: Plan
    store: Store
    engine: Engine | str
    progress: Progress | None

    def on(self, choice: CorpusChoice, name: str | None = None) -> CorpusResult:
        """Run the plan on one corpus, which is called `name` where that is given."""
        corpus, note = _load(choice)
        corpus = corpus if name is None else replace(corpus, name=name)
        if not len(corpus.test):
            raise InvalidInput(
                f"corpus {choice.name!r} has no test documents; give it a split column, or test = 0.2 for a share"
            )
        whole, choices = TrainingData(corpus, test=corpus.test), self.plan.trials()
        trials = [self._trial(each, whole) for each in choices]
        curves = self._curves(choices, whole)
        every = [*trials, *(trial for own in curves.values() for _, trial in own)]
        compute_steps(every, engine=self.engine, progress=self.progress, what=corpus.name)
        results = tuple(TrialResult(each, *_run(trial), trial) for each, trial in zip(choices, trials, strict=True))
        last = {result.choice.name: result.run for result in results}
        learning = {name: self._curve(own, len(corpus.train), last[name]) for name, own in curves.items()}
        return CorpusResult(self.plan, corpus, results, learning, note)

    def _trial(self, choice: TrialChoice, material: TrainingData) -> Trial:
        with errors_of(choice.name):
            return Trial(choice.name, choice.settings, material, self.store, engine=self.engine)

    def _curves(self, choices: Sequence[TrialChoice], whole: TrainingData) -> dict[str, list[tuple[int, Trial]]]:
        """Return trials on the first documents of one random order, so that each part contains the smaller ones."""
        wanted = [each for each in choices if each.system in self.plan.learning.systems]
        if not wanted:
            return {}
        order = np.random.default_rng(self.plan.seed).permutation(len(whole.documents))
        parts = {}
        for size in sorted({max(2, round(share * len(order))) for share in self.plan.learning.shares}):
            some = whole.documents.take(np.sort(order[:size]))
            parts[size] = TrainingData(some, test=whole.test, taxonomy=whole.taxonomy)
        return {each.name: [(size, self._trial(each, part)) for size, part in parts.items()] for each in wanted}

    def _curve(self, trials: Sequence[tuple[int, Trial]], documents: int, last: Run) -> tuple[tuple[int, float], ...]:
        """Return the measure of the plan at each size, the whole training set last."""
        measure = criterion(self.plan.learning.measure)
        runs = [*((size, _run(trial)[0]) for size, trial in trials), (documents, last)]
        return tuple((size, measure.value(run, self.plan.undefined)) for size, run in runs)


def _load(choice: CorpusChoice) -> tuple[Corpus, str]:
    """Return the corpus, or the one that stands in for it, and a note that says so."""
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


def _run(trial: Trial) -> tuple[Run, dict[str, float]]:
    with errors_of(trial.name):
        return trial.run()
