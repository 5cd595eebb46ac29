"""Systems of a paper's table: settings with their origin, and the procedure that they stand for.

A setting has a value and an origin:

    paper              printed there; `where` names the section or table
    program            the default of the program that the paper names; `where` names it
    recovered          found by scanning against published figures: `where` says which, `tried` how many values
    cross-validation   chosen on training documents alone
    ours               our own choice, tuned to nothing

The settings are those of `training.config`, and

    held_out      where the cut learns its scores: "none", "folds" (five), "third" (one of three parts), "training"
    vectors_in    "all" (default): vectors and selection come from all training documents, a preprocessing as in the
                  paper; "folds": they are made anew for each fold
    seeds         how often the documents are dealt to folds
    members       of a stack: the names of other systems, each with vectors of its own
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from rubricate.errors import InvalidInput, UnknownName
from rubricate.experiments.numbered import CountedDocuments, NumberedVectors, numbers
from rubricate.text.analyzer import Analyzer
from rubricate.text.representation import AS_GIVEN, Representation
from rubricate.text.vectors import Vectors
from rubricate.thresholds import Threshold, resolve
from rubricate.training.cache import Once
from rubricate.training.candidates import candidates_for
from rubricate.training.choosing import cross_fit
from rubricate.training.config import TrainingConfig, parse_settings
from rubricate.training.data import FoldFeatures, TrainingData
from rubricate.training.plan import HeldOut, Step, TrainingPlan
from rubricate.training.run import TrainingRun
from rubricate.training.scoring import scores_of
from rubricate.types import Corpus, Decisions, Floats, Run, Scores

__all__ = ["ORIGINS", "PaperSystem", "SourcedSetting", "SystemExecution", "weakest"]

ORIGINS = ("recovered", "cross-validation", "ours", "program", "paper")
"""From the weakest claim to the strongest: a system is as good as its weakest setting."""
OWN = ("held_out", "vectors_in", "seeds", "members")
FOLDS: Mapping[str, int] = {"none": 0, "third": 3}
"""Parts by `held_out`, where they are not five."""


@dataclass(frozen=True)
class SourcedSetting:
    """A value and where it comes from.

    `where` is the place: the section of the paper, the program, or the figures that a scan was made against. `tried`
    is how many values (or combinations of values) a scan or a cross-validation compared, 0 where that was not written
    down; `why` says more.
    """

    value: Any
    origin: str
    why: str = ""
    where: str = ""
    tried: int = 0

    def __post_init__(self) -> None:
        if self.origin not in ORIGINS:
            raise UnknownName("origin of a setting", self.origin, ORIGINS)
        if self.origin == "recovered" and not self.where:
            raise InvalidInput(f"the setting {self.value!r} is recovered; say against which figures (where)")

    def in_words(self) -> str:
        """Return origin, place and number of tries in words.

        >>> SourcedSetting(45, "paper", where="section 5.1").in_words()
        'paper, section 5.1'
        >>> SourcedSetting(100.0, "recovered", where="row SVM of table 1", tried=14).in_words()
        'recovered: 14 tried against row SVM of table 1'
        """
        if self.origin == "recovered":
            tried = f"{self.tried} tried" if self.tried else "tried, how many is not on record,"
            return f"recovered: {tried} against {self.where}"
        tried = f": {self.tried} tried" if self.tried else ""
        return f"{self.origin}{tried}" + (f", {self.where}" if self.where else "")


@dataclass(frozen=True)
class PaperSystem:
    """A row of a table as settings."""

    name: str
    sourced: Mapping[str, SourcedSetting]

    def __post_init__(self) -> None:
        if "classifier" not in self.sourced:
            raise InvalidInput(f"system {self.name!r} names no classifier; add a setting 'classifier'")
        if self.held_out not in get_args(HeldOut):
            raise UnknownName("held_out", str(self.held_out), get_args(HeldOut))
        self.settings  # noqa: B018  # a wrong setting is found now, not after an hour

    @property
    def origin(self) -> str:
        """The weakest origin of any setting, in the order of `ORIGINS`."""
        return weakest(setting.origin for setting in self.sourced.values())

    @property
    def held_out(self) -> HeldOut:
        """Where the cut learns its scores."""
        return self.get("held_out", "none")

    @cached_property
    def settings(self) -> TrainingConfig:
        """Settings as objects; titles are read as bodies are, unless a setting says otherwise."""
        plain = {name: setting.value for name, setting in self.sourced.items() if name not in OWN}
        return parse_settings({"analyzer": Analyzer(), **plain})

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a setting."""
        return self.sourced[name].value if name in self.sourced else default

    def varied(self, name: str | None = None, **changes: Any) -> PaperSystem:
        """Return the system with some settings changed; None takes a setting out."""
        changed = {**self.sourced, **{key: SourcedSetting(value, "paper") for key, value in changes.items()}}
        kept = {key: setting for key, setting in changed.items() if setting.value is not None}
        return PaperSystem(name or self.name, kept)

    def classifier(self) -> Any:
        """Return the classifier, unfitted; a new object each time."""
        return clone(candidates_for(self.settings.classifier, tuned=False)[0])

    def vectors(self, documents: CountedDocuments | None = None) -> Vectors:
        """Return the representation as one transformer of texts, or of numbers of documents, unfitted."""
        asked = self.settings
        shape = {"weights": asked.weights, "min_df": asked.min_df, "select": asked.select}
        if documents is not None:
            return NumberedVectors(documents, analyzer=asked.analyzer, **shape)
        return Vectors(asked.analyzer, **shape)

    def cut(self) -> Threshold:
        """Return the threshold, unfitted."""
        return resolve("fixed:0" if self.settings.cut is None else self.settings.cut)

    def procedure(
        self, members: Mapping[str, PaperSystem] | None = None, *, documents: CountedDocuments | None = None
    ) -> TrainingPlan:
        """Return the training that the settings stand for; the classifier is fitted as it is, without `Aligned`.

        A stack takes the systems that its setting `members` names, reads documents through them (or their numbers
        in `documents`), and has out-of-fold scores of its own.
        """
        procedure = TrainingPlan(
            representations=(self.settings.shape(),),
            candidates=(self.classifier(),),
            cut=self.cut(),
            folds=FOLDS.get(self.held_out, 5),
            seed=self.settings.seed,
            seeds=self.get("seeds", 1),
            bare=True,
            vectors_in=self.get("vectors_in", "all"),
            held_out=self.held_out,
        )
        if "members" not in self.sourced:
            return procedure
        known = members or {}
        named = [
            (name, make_pipeline(known[name].vectors(documents), known[name].classifier()))
            for name in self.get("members")
        ]
        stack = self.classifier().set_params(
            members=named, seed=procedure.seed, seeds=procedure.seeds, keep_scores=True
        )
        return replace(
            procedure, representations=(Representation(weights=AS_GIVEN),), candidates=(stack,), folds=5, held_out="own"
        )


def weakest(origins: Iterable[str]) -> str:
    """Return the weakest of some origins; `paper` where there is none.

    >>> weakest(["paper", "recovered", "program"])
    'recovered'
    """
    return min(origins, key=ORIGINS.index, default="paper")


VALUES = 4
"""More than the values that an execution keeps by name."""


class SystemExecution(TrainingRun):
    """A system of a paper at work on a corpus.

    `material` is that of the corpus, where several systems share it: texts are then read once.
    """

    def __init__(
        self,
        system: PaperSystem,
        corpus: Corpus,
        *,
        members: Mapping[str, PaperSystem] | None = None,
        material: TrainingData | None = None,
    ) -> None:
        self.system, self.corpus = system, corpus
        # Not cached properties: in Python 3.11 threads that compute one of two objects wait for each other.
        self._values = Once(VALUES)
        self._counted = CountedDocuments(corpus.train, corpus.test) if "members" in system.sourced else None
        procedure = system.procedure(members, documents=self._counted)
        super().__init__(procedure, material or TrainingData(corpus, test=corpus.test))

    def shaped(self, step: Step) -> FoldFeatures:
        """Return the vectors of a step; a stack has the numbers of the documents."""
        if self._counted is None:
            return super().shaped(step)
        train, test = len(self.corpus.train), len(self.corpus.test)
        return FoldFeatures(numbers(0, train), self.material.labels, numbers(train, test), None)

    @property
    def scores(self) -> Floats:
        """Scores of the test documents, documents × categories."""
        return self._values.get("scores", lambda: scores_of(self.entry(Step(0, None))))

    def run(self) -> Run:
        """Return scores and decisions on the test documents."""
        test, categories = self.corpus.test, self.corpus.categories
        self.compute(self.procedure.steps())  # folds and the last training side by side
        cut = self.choice().cut
        return Run(
            name=self.system.name,
            documents=test.ids,
            categories=categories,
            scores=Scores(self.scores, categories, test.ids),
            decisions=Decisions(cut.decide(self.scores), categories, test.ids),
            truth=test.labels,
            train_counts=self.material.train_counts.astype(np.int64),
            signature=self.system.settings.signature(
                classifier=self.classifiers[0], cut=self.procedure.cut, origin=self.material.origin
            ),
        )

    def cross_validated(self) -> tuple[float, float]:
        """Return micro-F1 and macro-F1 on the training documents, the mean over all dealings.

        Every fold is decided by cuts from the out-of-fold scores of the other folds.
        """
        from rubricate.measures import counts, macro, micro

        labels, figures = self.material.labels, []
        for seed in range(self.procedure.seed, self.procedure.seed + self.procedure.seeds):
            fold_ids = self.material.fold_ids(self.procedure.folds, seed)
            decided, _ = cross_fit(self.procedure.cut, [self.held_out(0, seed)[0]], labels, folds=fold_ids)
            table = counts(labels, decided)
            figures.append((micro("f1", table), macro("f1", table)))
        both = np.mean(figures, axis=0)
        return float(both[0]), float(both[1])
