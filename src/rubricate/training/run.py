"""A procedure at work on some documents: its steps, each computed once, and what follows from them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate.engines import Engine, run_tasks, spread_over
from rubricate.folds import out_of_fold
from rubricate.thresholds.class_probabilities import sharpness_of
from rubricate.training.adapters import Aligned, Form
from rubricate.training.cache import Arrays, Cache, Entry, Memory, Once
from rubricate.training.candidates import placed
from rubricate.training.choosing import Choice, CrossValidationResult, choose, climb, fit_cut, judge, selection_score
from rubricate.training.confidence_scores import reference_points
from rubricate.training.data import Fold, FoldFeatures, TrainingData, count
from rubricate.training.evidence import training_vectors
from rubricate.training.model import Model
from rubricate.training.parameters import Parameters
from rubricate.training.plan import Step, TrainingPlan
from rubricate.training.scoring import limit_for, score_all, scores_of, to_arrays, written_out
from rubricate.types import Ints, Sparse

__all__ = ["TrainingRun", "labelled"]

PLAIN = 4
"""Trained classifiers that are kept for the next option; more than threads run at once."""


class TrainingRun:
    """A procedure over some material and a cache. Nothing is computed before it is asked for, and nothing twice.

    A step is described to the cache by `what`: by itself, which serves in memory.
    """

    def __init__(
        self,
        procedure: TrainingPlan,
        material: TrainingData,
        *,
        cache: Cache | None = None,
        engine: Engine | str = "threads",
    ) -> None:
        self.given, self.material, self.engine = procedure, material, engine
        self.cache: Cache = Memory() if cache is None else cache
        self._options: tuple[TrainingPlan, list[Any]] | None = None
        if not procedure.is_open:
            self._options = self._choose()
        self._fitted: dict[int, Any] = {}
        self._plain = Once(limit=PLAIN)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the engine at home: a copy in another process computes where it is."""
        return {**vars(self), "engine": "serial"}

    @property
    def procedure(self) -> TrainingPlan:
        """The procedure, with what it leaves open chosen from the documents; that is the first step, done once."""
        if self._options is None:
            self._options = self._choose()
        return self._options[0]

    @property
    def classifiers(self) -> list[Any]:
        """The unfitted classifier of each option."""
        if self._options is None:
            self._options = self._choose()
        return self._options[1]

    def _choose(self) -> tuple[TrainingPlan, list[Any]]:
        """Choose representation and candidates where they are open, and tell each candidate what it must know."""
        chosen, material = self.given, self.material
        if chosen.settings is not None and chosen.is_open:
            engine = labelled(self.engine, "choosing the representation")
            chosen = chosen.settings.choose(chosen, material, engine=engine)
        classifiers: list[Any] = []
        for option in chosen.options:  # a comprehension would be a frame more for the warnings of `placed`
            classifiers.append(placed(option.candidate, option.representation, material))
        return chosen, classifiers

    # -- steps

    def what(self, step: Step) -> Any:
        """Return what determines the scores of a step."""
        return step

    def entry(self, step: Step) -> Entry:
        """Return the scores of a step as the cache keeps them, computed where it has none."""
        return self.cache.remember(self.what(step), partial(self._compute, step))

    def compute(self, steps: Sequence[Step]) -> None:
        """Put the steps that the cache lacks into it, on the engine."""
        missing = [step for step in steps if not self.cache.has(self.what(step))]
        if not missing:
            return
        for step, entry in zip(missing, run_tasks(self.task, missing, engine=self.engine), strict=True):
            self.keep(step, entry)

    def keep(self, step: Step, entry: Entry | None) -> None:
        """Put what another process computed into the cache."""
        if entry is not None:
            self.cache.keep(self.what(step), entry)

    def task(self, step: Step) -> Entry | None:
        """Compute a step in any process; where the cache is not shared the result travels back."""
        entry = self.entry(step)
        return None if self.cache.shared else entry

    def shaped(self, step: Step) -> FoldFeatures:
        """Return the vectors of a step."""
        representation = self.procedure.options[step.option].representation
        return self.material.shaped(representation, step.fold, vectors_in=self.procedure.vectors_in)

    def _compute(self, step: Step) -> tuple[Arrays, Mapping[str, Any]]:
        began = time.perf_counter()
        parts = self.shaped(step)
        shaped = time.perf_counter()
        fitted = self.fitted(step.option) if step.fold is None else self._fit_in_fold(step, parts)
        trained = time.perf_counter()
        limit = self.procedure.limit
        if step.fold is None:
            limit = limit_for(count(parts.Z), parts.labels.shape[1]) or limit
        scores = score_all(fitted, parts.Z, columns=parts.labels.shape[1], limit=limit)
        times = {"vectors": shaped - began, "fit": trained - shaped, "score": time.perf_counter() - trained}
        return to_arrays(scores), times

    def _fit(self, option: int, parts: FoldFeatures) -> Any:
        classifier, labels = self.classifiers[option], parts.labels
        if not self.procedure.bare:
            form: Form = "classes" if self.procedure.single_label else "matrix"
            classifier = Aligned(classifier, form=form, classes=np.arange(labels.shape[1]))
        return clone(classifier).fit(parts.X, labels)

    def _fit_in_fold(self, step: Step, parts: FoldFeatures) -> Any:
        """Train an option on all documents outside a fold; those that differ in the centroid share one training."""
        plain = self._shared_training(step.option)
        if plain is None:
            return self._fit(step.option, parts)
        base = self._plain.get((step.fold, plain), lambda: self._fit(plain, parts))
        candidate = self.classifiers[step.option]
        return base if plain == step.option else base.trained_as(candidate, parts.X, parts.labels)

    def _shared_training(self, option: int) -> int | None:
        """Return the option with centroid=0 that others share their training with; None if no other option does."""
        if self.procedure.bare or not all(hasattr(type(each), "trained_as") for each in self.classifiers):
            return None
        every = len(self.procedure.candidates)
        first = option // every * every
        params = {each: self.classifiers[each].get_params() for each in range(first, first + every)}
        own = params[option] | {"centroid": 0.0}
        sharing = [each for each in params if params[each] | {"centroid": 0.0} == own]
        return next((each for each in sharing if params[each] == own), None) if len(sharing) > 1 else None

    def fitted(self, option: int) -> Any:
        """Return the classifier of an option, trained on all documents."""
        if option not in self._fitted:
            with spread_over(self.engine):
                self._fitted[option] = self._fit(option, self.shaped(Step(option, None)))
        return self._fitted[option]

    # -- what follows from them

    def held_out(self, option: int, seed: int) -> tuple[Any, Sparse]:
        """Return scores that the cut of an option may learn from, and their labels."""
        procedure, labels = self.procedure, self.material.labels
        if procedure.held_out == "training":
            vectors = self.shaped(Step(option, None)).X
            return score_all(self.fitted(option), vectors, columns=labels.shape[1], limit=procedure.limit), labels
        if procedure.held_out == "own":
            return written_out(self.fitted(option).out_of_fold_scores()[seed - procedure.seed]), labels
        self.compute(procedure.fold_steps(range(option, option + 1), seed))
        if procedure.held_out == "third":
            step = Step(option, Fold(procedure.folds, seed, 0))
            return scores_of(self.entry(step)), labels[np.flatnonzero(self._assigned(seed) == 0)]

        def work(kept: Ints, held: Ints) -> Any:
            number = int(self._assigned(seed)[held[0]])
            return scores_of(self.entry(Step(option, Fold(procedure.folds, seed, number))))

        return out_of_fold(work, self._assigned(seed), engine="serial"), labels

    @cached_property
    def tried(self) -> list[int]:
        """The options that are compared: all, or those on the way to the best where the procedure climbs."""
        procedure, seed = self.procedure, self.procedure.seed
        if procedure.held_out == "none":
            return []
        self.compute(procedure.steps(final=False))
        first, every = procedure.first_options, len(procedure.options)
        selection_scores: dict[int, float] = {}

        def worth_of(option: int) -> float:
            if option not in selection_scores:
                scores, labels = self.held_out(option, seed)
                selection_scores[option] = selection_score(
                    fit_cut(procedure.cut, scores, labels).decide(scores), labels
                )
            return selection_scores[option]

        return [*first] if len(first) == every else climb(first, every, worth_of)

    def held_out_scores(self) -> list[tuple[Any, Sparse]]:
        """Return the scores of the options tried from the first dealing; nothing where nothing is held out."""
        return [self.held_out(option, self.procedure.seed) for option in self.tried]

    def choice(self, scores: Sequence[tuple[Any, Sparse]] | None = None) -> Choice:
        """Choose an option and learn its cut; `scores` are those of `held_out_scores` where they are at hand."""
        procedure = self.procedure
        held = self.held_out_scores() if scores is None else scores
        if not held:
            return Choice(0, fit_cut(procedure.cut, None, self.material.labels))
        first = choose(procedure.cut, [each for each, _ in held], held[0][1])
        first = replace(first, option=self.tried[first.option])
        if procedure.seeds == 1:
            return first
        fold_seeds = range(procedure.seed + 1, procedure.seed + procedure.seeds)
        more = [fit_cut(procedure.cut, *self.held_out(first.option, seed)) for seed in fold_seeds]
        return replace(first, cut=clone(procedure.cut).merge([first.cut, *more]))

    def judged(self, scores: Sequence[tuple[Any, Sparse]] | None = None) -> CrossValidationResult:
        """Judge the whole procedure by the out-of-fold scores of the first dealing."""
        held = self.held_out_scores() if scores is None else scores
        fold_ids = self._assigned(self.procedure.seed)
        return judge(self.procedure.cut, [each for each, _ in held], self.material.labels, folds=fold_ids)

    def model(self) -> Model:
        """Run the procedure to its end and return the fitted model."""
        procedure, material = self.procedure, self.material
        held, target = self.held_out_scores(), material.target
        choice = self.choice(held)
        representation = procedure.options[choice.option].representation
        classifier = self.fitted(choice.option)  # first: a cluster counts the terms for it
        model = Model(
            settings=procedure.settings or Parameters(),
            representation=material.fitted(representation),
            classifier=classifier,
            threshold=choice.cut,
            categories=target.categories,
            classes=target.classes,
            form=target.form,
            ids=material.ids,
            origin=material.origin,
            train_counts=material.train_counts,
            single_label=material.single_label,
            limit=procedure.limit,
            option=choice.option,
            selection_scores=choice.selection_scores,
            screening=procedure.screening,
            language=procedure.language,
            neighbours=training_vectors(representation, material),
        )
        if procedure.held_out != "folds":
            return model
        return self._with_figures(model, self.judged(held), held[self.tried.index(choice.option)][0])

    def _with_figures(self, model: Model, judged: CrossValidationResult, scores: Any) -> Model:
        """Return the model with what the out-of-fold scores of its option say of new documents."""
        sharpness = sharpness_of(scores, self.material.labels.indices) if self.procedure.single_label else None
        return replace(
            model,
            judged=judged,
            confidence=judged.confidence,
            coverage=judged.coverage(),
            figures=judged.figures(self.procedure.folds),
            sharpness=sharpness,
            reference=reference_points(scores, sharpness),
        )

    def _assigned(self, seed: int) -> Ints:
        return self.material.fold_ids(self.procedure.folds, seed)


def labelled(engine: Engine | str, label: str) -> Engine | str:
    """Return the engine with another label for its progress, where it shows one."""
    relabel = getattr(engine, "labelled", None)
    return engine if relabel is None else relabel(label)
