"""Training as a value: what is tried, how it is judged, and the steps that this takes.

    Procedure(representations × candidates, cut, folds, …)  →  steps  →  Model

An option is one representation with one candidate. A `TrainingRun` computes the steps on any engine, against a cache
that is memory or a store, chooses among the options, and learns the cut. `Categorizer`, studies, searches, estimates
and reproductions all run a procedure; what they give is the same by construction.

Making a procedure reads the labels alone and trains nothing. What only the documents can tell, their language and the
representation that does best, is left open, and the first thing that an execution finds out (`TrainingConfig.choose`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.blocks import Blocks
from rubricate.text.representation import Representation
from rubricate.thresholds import Threshold
from rubricate.training.data import Fold, VectorsIn

if TYPE_CHECKING:
    from rubricate.training.config import TrainingConfig

__all__ = ["HeldOut", "Option", "Step", "TrainingPlan"]

HeldOut: TypeAlias = Literal["folds", "third", "training", "own", "none"]
"""Where the scores come from that options are chosen and cuts learned by."""


@dataclass(frozen=True, eq=False)
class Option:
    """One representation with one candidate: what can be chosen."""

    representation: Representation | Blocks
    candidate: Any


@dataclass(frozen=True)
class Step:
    """The training of one option on all documents outside a fold, or (None) on all."""

    option: int
    fold: Fold | None


@dataclass(frozen=True, eq=False)
class TrainingPlan:
    """How to learn from labelled documents.

    Parameters
    ----------
    representations, candidates
        What is tried: every unfitted representation with every unfitted classifier. Empty where `settings` leave them
        to be chosen when the procedure is run.
    cut
        An unfitted threshold.
    folds
        Parts of the training documents; 0 for none.
    seed, seeds
        The documents are dealt `seeds` times, from `seed` on. The first dealing chooses the option; the cut is merged
        from those of all dealings.
    limit
        Only so many best scores of each document are kept; None for all.
    single_label
        Whether every document has exactly one label: classifiers then learn from a column of classes.
    bare
        Fit candidates on the label matrix as it is, and score its columns. Else they are wrapped in `Aligned`, which
        takes any classifier and never shows it a category that all or none of the documents have.
    vectors_in
        "folds": selection and weights are learned anew in each fold; "all": once from all training documents.
    held_out
        Where the scores come from that cuts learn: all "folds"; a "third" of the documents, the rest being learned
        from; the "training" documents themselves; the classifier's "own" out-of-fold scores; "none".
    climbs_from
        A candidate, where they are in an order along which they first get better, then worse, as with the cost C: it
        and the next are tried, then the one beyond the better of the two, until one is worse. None tries all.
    settings
        What was asked for, where that was a `Categorizer` or its settings.
    screening
        How the representations were chosen, where they were (`training.screening`).
    language
        What is known of the documents' language (`training.languages`).
    """

    representations: tuple[Representation | Blocks, ...]
    candidates: tuple[Any, ...]
    cut: Threshold
    folds: int = 5
    seed: int = 0
    seeds: int = 1
    limit: int | None = None
    single_label: bool = False
    bare: bool = False
    vectors_in: VectorsIn = "folds"
    held_out: HeldOut = "folds"
    climbs_from: int | None = None
    settings: TrainingConfig | None = None
    screening: Mapping[str, Any] | None = None
    language: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, kind in (("vectors_in", VectorsIn), ("held_out", HeldOut)):
            if getattr(self, name) not in get_args(kind):
                raise UnknownName(name, str(getattr(self, name)), get_args(kind))
        if not self.is_open and not (self.representations and self.candidates):
            raise InvalidInput("a procedure needs at least one representation and one candidate")
        if (self.folds == 0) != (self.held_out == "none"):
            raise InvalidInput(f"folds={self.folds} does not go with held_out={self.held_out!r}; with 'none' give 0")
        if self.held_out == "none" and len(self.options) > 1:
            raise InvalidInput(f"choosing among {len(self.options)} options needs held-out scores; give folds=5")
        if self.climbs_from is not None and (
            len(self.representations) > 1 or not 0 <= self.climbs_from < len(self.options)
        ):
            raise InvalidInput(f"climbs_from={self.climbs_from} is no candidate of one representation; give None")

    @property
    def is_open(self) -> bool:
        """Whether representation and candidates are still to be chosen from the documents."""
        return self.settings is not None and not self.representations

    @property
    def options(self) -> tuple[Option, ...]:
        """Every representation with every candidate, by representation."""
        return tuple(Option(shape, candidate) for shape in self.representations for candidate in self.candidates)

    @property
    def first_options(self) -> range:
        """The options that are tried whatever the others do: all, or the two that a climb begins with."""
        count = len(self.options)
        if self.climbs_from is None or count < 3:
            return range(count)
        first = min(self.climbs_from, count - 2)
        return range(first, first + 2)

    def fold_steps(self, options: range, seed: int) -> list[Step]:
        """Return the steps of some options whose scores are needed for one dealing.

        Steps with the same vectors follow each other.
        """
        numbers = {"folds": range(self.folds), "third": range(1)}.get(self.held_out, range(0))
        shapes = range(len(self.representations))
        each = len(self.candidates)
        return [
            Step(option, Fold(self.folds, seed, number))
            for shape in shapes
            for number in numbers
            for option in options
            if option // each == shape
        ]

    def steps(self, *, final: bool = True) -> list[Step]:
        """Return the steps that are known to be needed before anything is computed; with `final` the training on all.

        Where several options are tried, the further dealings and the last training of the chosen one come later.
        """
        options = self.first_options
        alone = len(self.options) == 1
        fold_seeds = range(self.seed, self.seed + (self.seeds if alone else 1))
        steps = [step for seed in fold_seeds for step in self.fold_steps(options, seed)]
        return steps + ([Step(0, None)] if final and alone else [])
