"""One trial: settings of a categorizer on some documents, computed step by step, every step in the store.

A step is the training of one classifier, for a fold or for all training documents, with the scores that it gives to
the documents it has not seen. Trials that differ only in the cut share all of them. What comes out is what
`Categorizer(...).fit(train).run(test)` gives, to the last digit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate import registry
from rubricate.categorizer.settings import configured
from rubricate.experiments.material import Fold, Material
from rubricate.experiments.store import Entry, Store
from rubricate.text.representation import Representation
from rubricate.training import learning as _learning
from rubricate.training import scoring as _scoring
from rubricate.training.choosing import _decide_fold, choose, fit_cut
from rubricate.training.explaining import explain_rows
from rubricate.training.naming import links_digest, shown
from rubricate.training.targets import take_target
from rubricate.types import Decisions, Evidence, Run, Scores, Signature, Sparse

__all__ = ["Step", "Trial"]

NOT_SCORES = ("cut", "folds", "seed", "engine")
"""Settings that the scores of a given training part do not depend on."""


@dataclass(frozen=True)
class Step:
    """The training of one candidate on all documents outside a fold, or (None) on all."""

    candidate: int
    fold: Fold | None


class Trial:
    """A categorizer's settings, as `configured` takes them, over one material and store."""

    def __init__(self, name: str, settings: Mapping[str, Any], material: Material, store: Store) -> None:
        self.name, self.settings, self.material, self.store = name, dict(settings), material, store
        model = configured(self.settings)
        model._check_target(take_target(material.train, None), len(material.train))
        model.single_label_ = bool(np.all(np.diff(material.labels.indptr) == 1))
        model.categories_ = material.train.categories
        model._taxonomy = material.taxonomy
        self.model = model
        if _goes_by_names(model.classifier):
            model.representation_ = material.reading(self._representation())
        self.cut = _learning._cut(model)
        self.folds = _learning._folds(model, self.cut, len(material.train))
        self.candidates = _learning._candidates(model, material.labels, tuned=self.folds > 0)
        self._fitted: Any = None
        self.limit = _scoring.LIMIT if material.labels.shape[0] * material.labels.shape[1] > _scoring.LARGE else None

    # -- steps

    def fold_steps(self, candidate: int, seed: int) -> list[Step]:
        """The steps whose scores together are the out-of-fold scores of a candidate."""
        return [Step(candidate, Fold(self.folds, seed, number)) for number in range(self.folds)]

    def steps(self, *, test: bool) -> list[Step]:
        """The steps that are known to be needed before anything is computed; with `test` also the one on all.

        Where one of several candidates is to be chosen, its further seeds and last training come later.
        """
        seeds = [self.model.seed + more for more in range(self._seeds if len(self.candidates) == 1 else 1)]
        found = [step for seed in seeds for c in range(len(self.candidates)) for step in self.fold_steps(c, seed)]
        return found + ([Step(0, None)] if test and len(self.candidates) == 1 else [])

    @property
    def _seeds(self) -> int:
        return self.cut.seeds if self.folds and self.cut.needs_scores else 1

    def what(self, step: Step) -> dict[str, Any]:
        """Everything that determines the scores of a step."""
        chosen = self.candidates[step.candidate].classifier
        return {
            "kind": "scores",
            "settings": {name: value for name, value in self.settings.items() if name not in NOT_SCORES},
            "classifier": " ".join(repr(chosen).split()),
            "data": self.material.train_digest,
            "test": "" if step.fold is not None else self.material.test_digest,
            "fold": None if step.fold is None else asdict(step.fold),
            **({"content": chosen.content()} if hasattr(chosen, "content") else {}),
            **self._above(),
        }

    def _above(self) -> dict[str, str]:
        """The taxonomy that hierarchical candidates go by, as what is stored depends on it."""
        given = [getattr(one.classifier, "taxonomy", None) for one in self.candidates]
        known = [links_digest(taxonomy) for taxonomy in given if taxonomy is not None]
        return {"taxonomy": ", ".join(known)} if known else {}

    def vectors_key(self, step: Step) -> tuple[object, ...]:
        """Equal for steps that learn from the same vectors."""
        return (id(self.material), repr(self._representation()), step.fold)

    def scores(self, step: Step) -> Entry:
        """The scores of a step, from the store or computed."""
        return self.store.remember(self.what(step), lambda: self._compute(step))

    def _compute(self, step: Step) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        began = time.perf_counter()
        parts = self.material.shaped(self._representation(), step.fold)
        shaped = time.perf_counter()
        fitted = clone(self.candidates[step.candidate]).fit(parts.X, parts.labels)
        trained = time.perf_counter()
        limit = self.limit
        if step.fold is None and parts.Z.shape[0] * parts.labels.shape[1] > _scoring.LARGE:
            limit = _scoring.LIMIT
        found = _scoring.gathered(list(_scoring.blocks(fitted, parts.Z, limit)), parts.labels.shape[1])
        times = {"vectors": shaped - began, "fit": trained - shaped, "score": time.perf_counter() - trained}
        if step.fold is None:
            self._fitted = fitted
        return _arrays(found), times

    def explain(self, row: int, category: str, limit: int = 10) -> list[Evidence]:
        """What spoke for and against a category of a test document.

        Trains the classifier again where its scores came from the store.
        """
        parts = self.material.shaped(self._representation(), None)
        if self._fitted is None:
            self._fitted = clone(self.candidates[self.chosen()]).fit(parts.X, parts.labels)
        column = self.material.train.categories.index(category)
        return explain_rows(
            self._fitted, parts.Z[row : row + 1], column, limit, names=self._terms, ids=self.material.train.ids
        )[0]

    def chosen(self) -> int:
        """The candidate that the trial settled on."""
        return int(self.store.remember(self._whole("trial"), self._decide).notes["candidate"])

    @cached_property
    def _terms(self) -> Any:
        return self.material.names(self._representation())

    def _representation(self) -> Representation:
        m = self.model
        return Representation(m.analyzer, weights=m.weights, select=m.select, min_df=m.min_df)

    # -- decisions

    def out_of_fold(self, candidate: int, seed: int) -> Any:
        """The score of each training document from a classifier that has not seen it."""
        dealt = self.material.dealt(self.folds, seed)
        parts = [_scores(self.scores(step)) for step in self.fold_steps(candidate, seed)]
        back = np.argsort(np.argsort(dealt, kind="stable"), kind="stable")
        return _scoring.some_rows(_scoring.gathered(parts, self.material.labels.shape[1]), back)

    def _first(self) -> list[Any]:
        """The out-of-fold scores of every candidate, read anew each time: a hundred trials are not held at once."""
        return [self.out_of_fold(c, self.model.seed) for c in range(len(self.candidates))] if self.folds else []

    def fitted_cut(self) -> tuple[int, Any]:
        """The candidate that is chosen, and the cut learned for it."""
        labels = self.material.labels
        if not self.folds:
            return 0, fit_cut(self.cut, None, labels)
        chosen, cut = choose(self.cut, self._first(), labels)
        if self._seeds == 1:
            return chosen, cut
        more = [self.out_of_fold(chosen, self.model.seed + i) for i in range(1, self._seeds)]
        return chosen, clone(self.cut).merge([cut, *(fit_cut(self.cut, each, labels) for each in more)])

    def run(self) -> tuple[Run, dict[str, float]]:
        """Scores and decisions on the test documents, beside the truth, and the seconds of each kind of work."""
        entry = self.store.remember(self._whole("trial"), self._decide)
        step = Step(int(entry.notes["candidate"]), None)
        scored = self.scores(step)
        test, categories = self.material.test, self.material.train.categories
        assert test is not None
        decided = Decisions(_matrix(entry.arrays, (len(test), len(categories))), categories, test.ids)
        found = _scores(scored)
        values = found.values if isinstance(found, Scores) else found
        run = Run(
            name=self.name,
            documents=test.ids,
            categories=categories,
            scores=Scores(values, categories, test.ids),
            decisions=decided,
            truth=test.labels,
            train_counts=np.bincount(self.material.labels.indices, minlength=len(categories)),
            signature=self.signature(step.candidate),
        )
        seconds = {name: float(scored.notes[name]) for name in ("vectors", "fit", "score")}
        return run, seconds | {"folds": float(entry.notes["folds"]), "cut": float(entry.notes["cut"])}

    def _decide(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        before = time.perf_counter()
        chosen, cut = self.fitted_cut()
        found = _scores(self.scores(Step(chosen, None)))
        decided = cut.decide(found)
        steps = [step for step in self.steps(test=False) if step.candidate == chosen]
        notes = {
            "candidate": chosen,
            "cut": time.perf_counter() - before,
            "folds": sum(self.scores(step).seconds for step in steps),
            "signature": str(self.signature(chosen)),
        }
        return {"indices": decided.indices, "indptr": decided.indptr}, notes

    def cross_validated(self) -> Run:
        """What is decided of each training document by those that have not seen it; candidate and cut of each fold
        are chosen by the other folds, so the figures are of the whole procedure."""
        labels, train, first = self.material.labels, self.material.train, self._first()

        def make() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
            dealt = self.material.dealt(self.folds, self.model.seed)
            parts = [_decide_fold(self.cut, first, labels, dealt == fold)[0] for fold in range(self.folds)]
            back = np.argsort(np.argsort(dealt, kind="stable"), kind="stable")
            decided = sparse.csr_array(sparse.vstack(parts))[back]
            return {"indices": decided.indices, "indptr": decided.indptr}, {}

        entry = self.store.remember(self._whole("cross-validated"), make)
        scores = first[0] if len(self.candidates) == 1 else None
        values = scores.values if isinstance(scores, Scores) else scores
        return Run(
            name=self.name,
            documents=train.ids,
            categories=train.categories,
            scores=None if values is None else Scores(values, train.categories, train.ids),
            decisions=Decisions(_matrix(entry.arrays, labels.shape), train.categories, train.ids),
            truth=labels,
            signature=self.signature(0),
        )

    def _whole(self, kind: str) -> dict[str, Any]:
        settings = {name: value for name, value in self.settings.items() if name != "engine"}
        test = self.material.test_digest if kind == "trial" else ""
        whole = {"kind": kind, "settings": settings, "data": self.material.train_digest, "test": test}
        return whole | self._above()

    def signature(self, candidate: int) -> Signature:
        """Where the numbers come from."""
        chosen = self.candidates[candidate].classifier
        cut = self.model.cut if isinstance(self.model.cut, str) else " ".join(repr(self.cut).split())
        own = configured(self.settings).signature()
        return replace(own, classifier=shown(chosen, self.model), cut=cut)

    def kind(self) -> str:
        """The registered name of the classifier, for a title."""
        kind = type(self.candidates[0].classifier)
        return registry.find("classifiers", kind) or kind.__name__


def _arrays(scores: Any) -> dict[str, Any]:
    """Scores as arrays: dense ones as they are, sparse ones by their three parts."""
    if not isinstance(scores, Scores):
        return {"values": scores}
    values: Any = scores.values
    return {"data": values.data, "indices": values.indices, "indptr": values.indptr, "shape": np.array(values.shape)}


def _scores(entry: Entry) -> Any:
    if "values" in entry.arrays:
        return entry.arrays["values"]
    parts = entry.arrays
    shape = tuple(int(n) for n in parts["shape"])
    return _scoring._scores(sparse.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=shape))


def _matrix(arrays: Mapping[str, Any], shape: Sequence[int]) -> Sparse:
    data = np.ones(len(arrays["indices"]), dtype=bool)
    return sparse.csr_array((data, arrays["indices"], arrays["indptr"]), shape=(shape[0], shape[1]))


def _goes_by_names(classifier: Any) -> bool:
    """Whether a classifier, given itself or by name, asks for the names of terms and categories."""
    kind = registry.load("classifiers", classifier) if isinstance(classifier, str) else classifier
    return bool(getattr(kind, "names_categories", False))
