"""A study as a value: corpora × representations × systems × thresholds, and the measures and tests to judge them by.

The fields are the flow. A plan is written as a TOML file (`plan_file`) or made here, in Python; docs/guides/studies.md
describes both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Undefined

__all__ = ["CorpusChoice", "Learning", "Plan", "RepresentationChoice", "SystemChoice", "TrialChoice"]

Threshold: TypeAlias = str | float | None
TESTS = ("s", "S", "T", "T'", "p", "permutation")


@dataclass(frozen=True)
class CorpusChoice:
    """A corpus by name, or the user's documents by path; `otherwise` is taken where it is not on this machine."""

    name: str
    split: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    otherwise: str | None = None
    folder: Path | None = None


@dataclass(frozen=True)
class RepresentationChoice:
    """How documents become vectors: settings of the categorizer such as weights, select, min_df, analyzer__stem."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemChoice:
    """A classifier and its parameters; with `representations` or `thresholds` of its own, only with those."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    representations: tuple[str, ...] = ()
    thresholds: tuple[Threshold, ...] = ()


@dataclass(frozen=True)
class Learning:
    """Learning curves: these systems again, trained on these shares of the training documents."""

    systems: tuple[str, ...] = ()
    shares: tuple[float, ...] = (0.1, 0.25, 0.5)
    measure: str = "micro_f1"


@dataclass(frozen=True)
class TrialChoice:
    """One combination: its name in tables, its parts, and all settings of its categorizer."""

    name: str
    system: str
    representation: str
    threshold: Threshold
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """What to run and how to judge it.

    thresholds   for every system that names none of its own; None stands for the categorizer's default
    measures     beside the five of yangliu1999's table 1, such as "f_beta:0.5"
    tests        of every pair of trials on a corpus, corrected by `adjust`
    folds        of the out-of-fold scores that cuts learn from
    resamples    of the documents, for intervals in the report
    """

    corpora: tuple[CorpusChoice, ...]
    systems: tuple[SystemChoice, ...]
    representations: tuple[RepresentationChoice, ...] = (RepresentationChoice("ltc"),)
    thresholds: tuple[Threshold, ...] = (None,)
    measures: tuple[str, ...] = ()
    tests: tuple[str, ...] = TESTS
    title: str = "A study"
    adjust: str = "holm"
    undefined: Undefined = "zero"
    folds: int = 5
    seed: int = 0
    resamples: int = 1000
    learning: Learning = field(default_factory=Learning)

    def __post_init__(self) -> None:
        if not self.corpora or not self.systems:
            raise InvalidInput("a plan needs at least one corpus and one system; add [[corpora]] and [[systems]]")
        known = [choice.name for choice in self.representations]
        for names in (known, [choice.name for choice in self.systems]):
            if twice := {name for name in names if names.count(name) > 1}:
                raise InvalidInput(f"the name {min(twice)!r} comes twice in the plan; names must differ")
        for system in self.systems:
            for name in system.representations:
                if name not in known:
                    raise UnknownName("representation of this plan", name, known)
        for name in self.learning.systems:
            if name not in [choice.name for choice in self.systems]:
                raise UnknownName("system of this plan", name, [choice.name for choice in self.systems])

    def trials(self) -> list[TrialChoice]:
        """Return every combination on a corpus: systems in their order, representations, then thresholds."""
        return [choice for system in self.systems for choice in self._of(system)]

    def _of(self, system: SystemChoice) -> list[TrialChoice]:
        chosen = [
            choice
            for choice in self.representations
            if not system.representations or choice.name in system.representations
        ]
        thresholds = system.thresholds or self.thresholds
        trials = []
        for choice in chosen:
            for cut in thresholds:
                parts = [system.name, *([choice.name] if len(chosen) > 1 else [])]
                parts += [_cut_name(cut)] if len(thresholds) > 1 else []
                settings = {**choice.settings, **system.settings, "folds": self.folds, "seed": self.seed}
                settings |= {} if cut is None else {"cut": cut}
                trials.append(TrialChoice(" ".join(parts), system.name, choice.name, cut, settings))
        return trials


def _cut_name(cut: Threshold) -> str:
    return "default" if cut is None else str(cut)
