"""The results of a study: the runs of every trial on every corpus, their evaluations and the tests between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rubricate.experiments.plan import Plan, TrialChoice
from rubricate.experiments.trial import Trial
from rubricate.measures import Evaluation
from rubricate.measures.evaluation import evaluate
from rubricate.significance import Comparison, compare
from rubricate.significance.definition import parse_tests
from rubricate.types import Corpus, Run

__all__ = ["CorpusResult", "Study", "TrialResult"]


@dataclass(frozen=True, eq=False)
class TrialResult:
    """One trial: what was asked, what came out, and the seconds of each kind of work when it was computed."""

    choice: TrialChoice
    run: Run
    seconds: Mapping[str, float]
    trial: Trial


@dataclass(frozen=True, eq=False)
class CorpusResult:
    """All trials on one corpus; `learning` has (documents, value) for each system with a learning curve."""

    plan: Plan
    corpus: Corpus
    trials: tuple[TrialResult, ...]
    learning: Mapping[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    note: str = ""

    @property
    def runs(self) -> list[Run]:
        """Runs, in the order of the plan."""
        return [trial.run for trial in self.trials]

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Each run measured by the measures of the plan."""
        options: dict[str, Any] = {"measures": self.plan.measures, "undefined": self.plan.undefined}
        return tuple(evaluate(run, **options) for run in self.runs)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Tests of the plan on every pair; None where there is one trial. Hierarchical ones go by the corpus."""
        if len(self.trials) < 2 or not self.plan.tests:
            return None
        options: dict[str, Any] = {"adjust": self.plan.adjust, "undefined": self.plan.undefined}
        if any(choice.test.needs_hierarchy for choice in parse_tests(self.plan.tests)):
            options["hierarchy"] = self.corpus.taxonomy
        return compare(self.runs, tests=self.plan.tests, seed=self.plan.seed, **options)

    def row(self, number: int) -> dict[str, float]:
        """Return the numbers of a trial in the table: miR miP miF1 maF1 error, and the plan's further measures."""
        evaluation = self.evaluations[number]
        more = {
            f"{short}{name}": getattr(evaluation, average)[name]
            for name in self.plan.measures
            for average, short in _SHORT
        }
        return evaluation.row() | more

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""
        return {
            "corpus": self.corpus.name,
            "split": self.corpus.split,
            "synthetic": self.corpus.synthetic,
            "documents": {"train": len(self.corpus.train), "test": len(self.corpus.test)},
            "categories": len(self.corpus.categories),
            "note": self.note,
            "trials": [self._trial(i) for i in range(len(self.trials))],
            "learning": {name: [list(point) for point in points] for name, points in self.learning.items()},
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
        }

    def _trial(self, number: int) -> dict[str, Any]:
        trial, evaluation = self.trials[number], self.evaluations[number]
        return {
            "name": trial.choice.name,
            "settings": dict(trial.choice.settings),
            "row": {name: None if value != value else value for name, value in self.row(number).items()},
            "seconds": {name: round(value, 3) for name, value in trial.seconds.items()},
            "signature": str(evaluation.signature),
        }


_SHORT = (("micro", "mi "), ("macro", "ma "))


@dataclass(frozen=True, eq=False)
class Study:
    """A plan and what came of it, one result per corpus."""

    plan: Plan
    results: tuple[CorpusResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON has them."""
        return {"title": self.plan.title, "corpora": [result.to_dict() for result in self.results]}
