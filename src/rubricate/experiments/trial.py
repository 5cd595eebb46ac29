"""One trial: plain settings as a procedure over some documents, every step of it in the store.

Trials that differ only in the cut share all their trainings. What comes out is what
`configured(settings).fit(train).run(test)` gives, because both run the same procedure.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rubricate import registry
from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.store import Store
from rubricate.text.encoder_folder import digest_of, locate
from rubricate.training.cache import Arrays, Entry, Make
from rubricate.training.candidates import links_digest
from rubricate.training.choosing import cross_fit
from rubricate.training.config import parse_settings
from rubricate.training.data import TrainingData
from rubricate.training.evidence import explain_rows
from rubricate.training.plan import Step
from rubricate.training.representations import has_vectors
from rubricate.training.run import TrainingRun
from rubricate.training.scoring import scores_of
from rubricate.types import Decisions, Evidence, Progress, Run, Scores, Signature, Sparse

__all__ = ["Trial", "TrialSteps", "compute_steps", "errors_of"]

NOT_SCORES = ("cut", "folds", "seed", "engine")
"""Settings that the scores of a given training part do not depend on; nor do parameters of the cut."""


class Trial(TrainingRun):
    """Settings, as `parse_settings` takes them, over one material and store."""

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        material: TrainingData,
        store: Store,
        *,
        engine: Engine | str = "threads",
    ) -> None:
        material.target.check()
        self.name, self.store = name, store
        self.plain = {key: value for key, value in settings.items() if key != "engine"}
        self.settings = parse_settings(self.plain)
        super().__init__(self.settings.procedure(material), material, cache=store, engine=engine)

    def what(self, step: Step) -> dict[str, Any]:
        """Return everything that determines the scores of a step, as JSON has it."""
        chosen = self.classifiers[step.option]
        return {
            "kind": "scores",
            "settings": {name: value for name, value in self.plain.items() if _makes_scores(name)},
            "classifier": " ".join(repr(chosen).split()),
            "data": self.material.train_digest,
            "test": "" if step.fold is not None else self.material.test_digest,
            "fold": None if step.fold is None else asdict(step.fold),
            **({"content": chosen.content()} if hasattr(chosen, "content") else {}),
            **self._taxonomy(),
            **self._encoder(),
        }

    def vectors_key(self, step: Step) -> tuple[object, ...]:
        """Return a key that is equal for steps that learn from the same vectors."""
        return (id(self.material), self.procedure.options[step.option].representation.key(), step.fold)

    def chosen(self) -> int:
        """Return the number of the option that the trial settled on."""
        return int(self._decided().notes["candidate"])

    def run(self) -> tuple[Run, dict[str, float]]:
        """Return scores and decisions on the test documents beside the truth, and the seconds of each kind of work."""
        entry = self._decided()
        option = int(entry.notes["candidate"])
        scored = self.entry(Step(option, None))
        test, categories = self.material.test, self.material.categories
        assert test is not None
        run = Run(
            name=self.name,
            documents=test.ids,
            categories=categories,
            scores=Scores(_values(scores_of(scored)), categories, test.ids),
            decisions=Decisions(_matrix(entry.arrays, (len(test), len(categories))), categories, test.ids),
            truth=test.labels,
            train_counts=self.material.train_counts,
            signature=self.signature(option),
        )
        seconds = {name: float(scored.notes[name]) for name in ("vectors", "fit", "score")}
        return run, seconds | {"folds": float(entry.notes["folds"]), "cut": float(entry.notes["cut"])}

    def cross_validated(self) -> Run:
        """Return the out-of-fold decisions on the training documents.

        Option and cut of each fold are chosen by the other folds, so the figures are of the whole procedure.
        """
        labels, documents = self.material.labels, self.material.documents
        held = [scores for scores, _ in self.held_out_scores()]

        def make() -> tuple[Arrays, Mapping[str, Any]]:
            fold_ids = self.material.fold_ids(self.procedure.folds, self.procedure.seed)
            decided, _ = cross_fit(self.procedure.cut, held, labels, folds=fold_ids)
            return {"indices": decided.indices, "indptr": decided.indptr}, {}

        entry = self.remember("cross-validated", make)
        scores = Scores(_values(held[0]), documents.categories, documents.ids) if len(held) == 1 else None
        return Run(
            name=self.name,
            documents=documents.ids,
            categories=documents.categories,
            scores=scores,
            decisions=Decisions(_matrix(entry.arrays, labels.shape), documents.categories, documents.ids),
            truth=labels,
            signature=self.signature(0),
        )

    def explain(self, row: int, category: str, limit: int = 10) -> list[Evidence]:
        """Return what spoke for and against a category of a test document, from the store or computed.

        To compute it the classifier is trained again where its scores came from the store.
        """

        def make() -> tuple[Arrays, Mapping[str, Any]]:
            option, ids = self.chosen(), self.material.ids
            vectors = self.shaped(Step(option, None)).Z[row : row + 1]
            column = self.material.categories.index(category)
            found = explain_rows(self.fitted(option), vectors, column, limit=limit, names=self._terms, ids=ids)[0]
            return {}, {"evidence": [asdict(evidence) for evidence in found]}

        entry = self.remember("evidence", make, row=row, category=category, limit=limit)
        return [_evidence(plain) for plain in entry.notes["evidence"]]

    def remember(self, kind: str, make: Make, **more: Any) -> Entry:
        """Return a further result of the whole trial, from the store or made; `more` is what else it depends on."""
        return self.store.remember(self._whole(kind) | more, make)

    @cached_property
    def _terms(self) -> Sequence[str] | None:
        return self.material.fitted(self.procedure.options[self.chosen()].representation).names()

    def signature(self, option: int) -> Signature:
        """Return where the numbers come from."""
        return self.settings.signature(
            classifier=self.classifiers[option],
            cut=self.procedure.cut,
            representation=self.procedure.options[option].representation,
        )

    def kind(self) -> str:
        """Return the registered name of the classifier, for a title."""
        kind = type(self.classifiers[0])
        return registry.find("classifiers", kind) or kind.__name__

    def _decided(self) -> Entry:
        """Return the decisions on the test documents, from the store or computed."""
        return self.remember("trial", self._decide)

    def _decide(self) -> tuple[Arrays, Mapping[str, Any]]:
        before = time.perf_counter()
        choice = self.choice()
        decided = choice.cut.decide(scores_of(self.entry(Step(choice.option, None))))
        known = [step for step in self.procedure.steps(final=False) if step.option == choice.option]
        steps = known or self.procedure.fold_steps(range(choice.option, choice.option + 1), self.procedure.seed)
        notes = {
            "candidate": choice.option,
            "cut": time.perf_counter() - before,
            "folds": sum(self.entry(step).seconds for step in steps),
            "signature": str(self.signature(choice.option)),
        }
        return {"indices": decided.indices, "indptr": decided.indptr}, notes

    def _whole(self, kind: str) -> dict[str, Any]:
        test = self.material.test_digest if kind in ("trial", "evidence") else ""
        whole = {"kind": kind, "settings": self.plain, "data": self.material.train_digest, "test": test}
        return whole | self._taxonomy() | self._encoder()

    def _taxonomy(self) -> dict[str, str]:
        """Return the taxonomy that hierarchical candidates go by, as what is stored depends on it."""
        taxonomies = [getattr(each, "taxonomy", None) for each in self.classifiers]
        known = [links_digest(taxonomy) for taxonomy in taxonomies if taxonomy is not None]
        return {"taxonomy": ", ".join(known)} if known else {}

    def _encoder(self) -> dict[str, str]:
        """Return the digest of the encoder that is used or considered, as the results depend on it."""
        shapes = self.procedure.representations
        encoder = self.settings.encoder() if self.settings.chooses() or any(map(has_vectors, shapes)) else None
        return {} if encoder is None else {"encoder": digest_of(locate(encoder.model))}


def _makes_scores(name: str) -> bool:
    return name not in NOT_SCORES and not name.startswith("cut_")


def _values(scores: Any) -> Any:
    return scores.values if isinstance(scores, Scores) else scores


def _matrix(arrays: Mapping[str, Any], shape: Sequence[int]) -> Sparse:
    data = np.ones(len(arrays["indices"]), dtype=bool)
    return sparse.csr_array((data, arrays["indices"], arrays["indptr"]), shape=(shape[0], shape[1]))


def _evidence(plain: Mapping[str, Any]) -> Evidence:
    index = plain["index"]
    return Evidence(
        plain["kind"],
        tuple(index) if isinstance(index, list) else index,
        plain["weight"],
        detail=plain["detail"],
        name=plain["name"],
    )


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
