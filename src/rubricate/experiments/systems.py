"""Systems described by settings: vectors, a classifier, a cut, and where the cut learns its scores.

A setting has a value and an origin: `paper`, `recovered` (found by scanning against published figures) or
`cross-validation` (chosen on training documents). Settings of a system:

    classifier    the name of a plug-in; every setting that it has as a parameter goes to it
    weights, select, by, title, min_df, tokens, stem, stop, min_length, ngrams, window   the vectors
    cut           the name of a threshold; settings that start with `cut_` are its parameters
    held_out      where the cut learns: "none", "folds" (five, stratified), "third" (one of three parts), "training"
    vectors_in    "all" (default): vectors and selection come from all training documents, a preprocessing as in the
                  paper; "folds": they are made anew for each fold
    seed, seeds   of the folds
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from rubricate import registry
from rubricate._version import __version__
from rubricate.errors import InvalidInput, UnknownName
from rubricate.folds import out_of_fold, score_matrix, stratified_folds
from rubricate.text.analyzer import Analyzer
from rubricate.text.select import Select
from rubricate.text.vectors import Vectors
from rubricate.types import Corpus, Decisions, Documents, Floats, Run, Scores, Signature, Sparse

__all__ = ["ORIGINS", "Setting", "System", "run_of", "run_system"]

ORIGINS = ("paper", "recovered", "cross-validation")
ANALYZER = ("tokens", "min_length", "stop", "stem", "ngrams", "window", "title")
VECTORS = ("weights", "min_df", "select", "by", *ANALYZER)
OWN = ("classifier", "cut", "held_out", "vectors_in", "seed", "seeds", "members")
HELD_OUT = ("none", "folds", "third", "training")


@dataclass(frozen=True)
class Setting:
    """A value and where it comes from; `why` says more."""

    value: Any
    origin: str
    why: str = ""

    def __post_init__(self) -> None:
        if self.origin not in ORIGINS:
            raise UnknownName("origin of a setting", self.origin, ORIGINS)


@dataclass(frozen=True)
class System:
    """A row of a table as settings."""

    name: str
    settings: Mapping[str, Setting]

    def __post_init__(self) -> None:
        if "classifier" not in self.settings:
            raise InvalidInput(f"system {self.name!r} names no classifier; add a setting 'classifier'")
        if self.held_out not in HELD_OUT:
            raise UnknownName("held_out", str(self.held_out), HELD_OUT)
        known = {*OWN, *VECTORS, *inspect.signature(self._class).parameters}
        for name in self.settings:
            if name not in known and not name.startswith("cut_"):
                raise UnknownName(f"setting of system {self.name!r}", name, known)

    @property
    def origin(self) -> str:
        """`recovered` when any setting is, else `cross-validation` when any is, else `paper`."""
        origins = {setting.origin for setting in self.settings.values()}
        return next((origin for origin in ("recovered", "cross-validation") if origin in origins), "paper")

    @property
    def held_out(self) -> str:
        """Where the cut learns its scores."""
        return self.get("held_out", "none")

    @property
    def _class(self) -> Any:
        return registry.load("classifiers", self.settings["classifier"].value)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a setting."""
        return self.settings[name].value if name in self.settings else default

    def vectors(self) -> Vectors:
        """The representation, unfitted."""
        options = {name: _given(self.get(name)) for name in ANALYZER if name in self.settings}
        select = self.get("select")
        chosen = Select(select, by=self.get("by")) if isinstance(select, str) else None
        return Vectors(
            Analyzer(**options), weights=self.get("weights", "ltc"), min_df=self.get("min_df", 1), select=chosen
        )

    def classifier(self) -> Any:
        """The classifier, unfitted."""
        taken = set(inspect.signature(self._class).parameters) - set(OWN)
        return self._class(**{name: setting.value for name, setting in self.settings.items() if name in taken})

    def cut(self) -> Any:
        """The threshold, unfitted."""
        name, argument = registry.parse(self.get("cut", "fixed:0"))
        made = registry.load("thresholds", name)
        options = {key[4:]: setting.value for key, setting in self.settings.items() if key.startswith("cut_")}
        if argument is not None:
            parameter, read = made.shorthand
            options[parameter] = read(argument)
        return made(**options)

    def signature(self, corpus: Corpus) -> Signature:
        """What every number of the system depends on."""
        vectors = self.vectors()
        return Signature(
            corpus=corpus.name,
            split=corpus.split,
            terms=_shown(vectors.analyzer),
            weights=str(vectors.weights),
            selection=_shown(vectors.select) if vectors.select is not None else "",
            classifier=_shown(self.classifier()),
            cut=f"{_shown(self.cut())} on {self.held_out}",
            seed=self.get("seed", 0),
            version=__version__,
        )


def _given(value: Any) -> Any:
    """None is written "none" in a TOML file, and a pair is a list there."""
    return None if value == "none" else tuple(value) if isinstance(value, list) else value


def _shown(estimator: Any) -> str:
    return " ".join(str(estimator).split())


def run_system(system: System, corpus: Corpus) -> Run:
    """Train on the training documents, tune the cut on them as the system says, decide on the test documents."""
    train, labels = corpus.train, corpus.train.labels
    if system.get("vectors_in", "all") == "folds":
        model: Any = make_pipeline(system.vectors(), system.classifier())
        fitted = make_pipeline(system.vectors(), system.classifier()).fit(train, labels)
        scores = score_matrix(fitted, corpus.test)
        held = _held_out(system, model, train, labels, None)
    else:
        vectors = system.vectors()
        X = vectors.fit_transform(train, labels)
        fitted = system.classifier().fit(X, labels)
        scores = score_matrix(fitted, vectors.transform(corpus.test))
        held = _held_out(system, system.classifier(), X, labels, fitted)
    cut = system.cut()
    cut.merge([system.cut().fit(*one) for one in held]) if held else cut.fit(None, labels)
    return run_of(system, corpus, scores, cut.decide(scores))


def _held_out(system: System, model: Any, X: Any, labels: Sparse, fitted: Any) -> list[tuple[Floats, Sparse]]:
    """Scores and labels for the cut to learn from, once a seed; nothing for a cut that needs none."""
    seeds = range(system.get("seed", 0), system.get("seed", 0) + system.get("seeds", 1))
    if system.held_out == "folds":
        return [(out_of_fold(model, X, labels, folds=stratified_folds(labels, 5, seed=s)), labels) for s in seeds]
    if system.held_out == "third":
        return [_third(model, X, labels, seed) for seed in seeds]
    return [(score_matrix(fitted, X), labels)] if system.held_out == "training" else []


def _third(model: Any, X: Any, labels: Sparse, seed: int) -> tuple[Floats, Sparse]:
    part = stratified_folds(labels, 3, seed=seed)
    kept, held = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
    return score_matrix(model.fit(X[kept], labels[kept]), X[held]), labels[held]


def run_of(system: System, corpus: Corpus, scores: Floats, decided: Sparse) -> Run:
    """The run of a system on the test documents of a corpus."""
    test: Documents = corpus.test
    return Run(
        name=system.name,
        documents=test.ids,
        categories=corpus.categories,
        scores=Scores(scores, corpus.categories, test.ids),
        decisions=Decisions(decided, corpus.categories, test.ids),
        truth=test.labels,
        train_counts=np.asarray(corpus.train.labels.sum(axis=0)).ravel().astype(np.int64),
        signature=system.signature(corpus),
    )
