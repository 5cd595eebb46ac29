"""The versions of the corpus and the systems scored on them, each made when first needed and then kept."""

from __future__ import annotations

from typing import Any, TypeAlias

from rubricate.corpora import load
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Drawing
from rubricate.experiments.reproduction import Reproduction, Say
from rubricate.experiments.reproductions.yang_1999_parts.scored import (
    ScoredSystem,
    most_common,
    rule_decisions,
    with_unlabelled,
)
from rubricate.training.cache import Once
from rubricate.training.material import Material
from rubricate.types import Corpus

__all__ = ["MANY", "VERSIONS", "OurFigures", "VersionStudy"]

VERSIONS = ("v1", "v2", "v2.2", "v3", "v4")
MANY = 1000
"""Scored systems and break-even points that are kept: all of them."""
OurFigures: TypeAlias = dict[tuple[str, str], Value]
"""Our figures by row and column."""


class VersionStudy:
    """What the tables share."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction, self.options, self.say = reproduction, reproduction.options, say
        self.drawings: list[Drawing] = []
        self._materials, self._scored, self.points = Once(MANY), Once(MANY), Once(MANY)

    def corpus(self, version: str) -> Corpus:
        """Return a version of the corpus."""
        return self.material(version)[0]

    def material(self, version: str, *, unlabelled: bool = False, topics: int | None = None) -> tuple[Corpus, Material]:
        """Return a version and its documents, read once for all systems."""

        def make() -> tuple[Corpus, Material]:
            if unlabelled:
                corpus = with_unlabelled(self.corpus(version))
            elif topics is not None:
                corpus = most_common(self.corpus(version), topics)
            else:
                corpus = load(self.reproduction.corpus["name"], split=version)
            return corpus, Material(corpus, test=corpus.test)

        return self._materials.get((version, unlabelled, topics), make)

    def scored(
        self, system: str, version: str, *, unlabelled: bool = False, topics: int | None = None, **changes: Any
    ) -> Any:
        """Return a system on a version; with `unlabelled`, documents without a category have one of their own.

        With `topics`, on as many of the most common categories only.
        """

        def make() -> Any:
            self.say(f"{system}, {version}" + "".join(f", {name} = {value}" for name, value in changes.items()))
            chosen = self.reproduction.systems[system].varied(**changes)
            if chosen.get("classifier") == "construe":
                return rule_decisions(chosen.get("rules"), self.corpus(version))
            corpus, material = self.material(version, unlabelled=unlabelled, topics=topics)
            return ScoredSystem(chosen, corpus, material=material)

        return self._scored.get((system, version, unlabelled, topics, *sorted(changes.items())), make)
