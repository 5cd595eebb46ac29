"""The versions of the corpus and the systems scored on them, each made when first needed and then kept."""

from __future__ import annotations

from typing import Any, TypeAlias

from rubricate.corpora import load
from rubricate.experiments.cells import Value
from rubricate.experiments.figure import Drawing
from rubricate.experiments.reproduction import Reproduction, Say
from rubricate.experiments.reproductions.yang_1999_parts.scored import ScoredSystem, rule_decisions, with_unlabelled
from rubricate.types import Corpus

__all__ = ["VERSIONS", "OurFigures", "VersionStudy"]

VERSIONS = ("v1", "v2", "v2.2", "v3", "v4")
OurFigures: TypeAlias = dict[tuple[str, str], Value]
"""Our figures by row and column."""


class VersionStudy:
    """What the tables share."""

    def __init__(self, reproduction: Reproduction, say: Say) -> None:
        self.reproduction, self.options, self.say = reproduction, reproduction.options, say
        self.drawings: list[Drawing] = []
        self._corpora: dict[str, Corpus] = {}
        self._scored: dict[tuple[object, ...], Any] = {}

    def corpus(self, version: str) -> Corpus:
        """Return a version of the corpus."""
        if version not in self._corpora:
            self._corpora[version] = load(self.reproduction.corpus["name"], split=version)
        return self._corpora[version]

    def scored(self, system: str, version: str, *, unlabelled: bool = False, **changes: Any) -> Any:
        """Return a system on a version; with `unlabelled`, documents without a category have one of their own."""
        key = (system, version, unlabelled, *sorted(changes.items()))
        if key not in self._scored:
            self.say(f"{system}, {version}" + "".join(f", {name} = {value}" for name, value in changes.items()))
            corpus = self.corpus(version)
            chosen = self.reproduction.systems[system].varied(**changes)
            if chosen.get("classifier") == "construe":
                self._scored[key] = rule_decisions(chosen.get("rules"), corpus)
            else:
                self._scored[key] = ScoredSystem(chosen, with_unlabelled(corpus) if unlabelled else corpus)
        return self._scored[key]
