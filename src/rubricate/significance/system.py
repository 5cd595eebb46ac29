"""What the tests need of one system, computed once: decisions against truth, counts, proportions, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures import counts as count
from rubricate.measures.contingency import f1
from rubricate.measures.tables import canonical
from rubricate.significance.statistics import Proportion
from rubricate.types import Bools, Counts, Floats, Ints, Run, Scores, Sparse, Undefined

__all__ = ["PROPORTIONS", "System", "as_system", "with_outside_columns"]

PROPORTIONS = {"recall": "miR", "precision": "miP", "error": "error", "accuracy": "accuracy"}
"""The measures that are proportions, and how YL99 head their columns."""


@dataclass(frozen=True, eq=False)
class System:
    """A system under test: from a run, from counts alone (`table`), or from published figures (`figures`).

    `collection` tells apart systems that were measured on different test collections. The last `outside` categories
    are no categories of the truth but stand for labels that it does not know; tests by category leave them out.
    """

    name: str
    categories: tuple[str, ...] = ()
    documents: Sequence[str] = ()
    truth: Sparse | None = None
    decided: Sparse | None = None
    scores: Scores | None = None
    train_counts: Ints | None = None
    table: Counts | None = None
    figures: Mapping[str, Proportion] = field(default_factory=dict)
    collection: str = ""
    outside: int = 0
    policies: str = ""

    @property
    def inside(self) -> System:
        """Confine the system to the categories of the truth."""
        return self if not self.outside else self.within(np.arange(len(self.categories)) < self.known)

    @property
    def known(self) -> int:
        """Return the number of categories of the truth."""
        return len(self.categories) - self.outside

    @cached_property
    def counts(self) -> Counts:
        """Return the contingency table of each category."""
        if self.table is not None:
            return self.table
        if self.figures:
            raise InvalidInput(f"system {self.name!r} has figures only: no counts of each category; use test 'p'")
        return count(*self.labels)

    @property
    def labels(self) -> tuple[Sparse, Sparse]:
        """Return truth and decisions."""
        if self.figures or self.table is not None:
            raise InvalidInput(f"system {self.name!r} has counts or figures only, no decisions; use test 'p'")
        if self.truth is None:
            raise InvalidInput(f"system {self.name!r} has no truth beside it; give the labels of its documents")
        if self.decided is None:
            have = "scores only; cut them (thresholds.decide, or --cut)" if self.scores is not None else "no decisions"
            raise InvalidInput(f"system {self.name!r} has {have}")
        return self.truth, self.decided

    @property
    def offers(self) -> frozenset[str]:
        """Return what tests can be made of: `proportions`, `counts`, `decisions`, `scores`."""
        if self.figures:
            return frozenset({"proportions"})
        if self.table is not None:
            return frozenset({"proportions", "counts"} if self.categories else {"proportions"})
        decided = {"proportions", "counts", "decisions"} if self.decided is not None else set[str]()
        return frozenset(decided | ({"scores"} if self.scores is not None else set()))

    def f1(self, undefined: Undefined) -> Floats:
        """Return F1 of each category; NaN where it is 0/0 and `undefined="omit"`."""
        if "counts" not in self.offers and "scores" not in self.offers:
            raise InvalidInput(f"system {self.name!r} has summed figures only: no F1 of each category; use test 'p'")
        values = f1(self.counts, undefined=undefined)
        return values[: len(values) - self.outside]

    def proportion(self, measure: str) -> Proportion:
        """Return the value of a measure that is a proportion, and its trials. yangliu1999, section 4.5.

        recall: of the true YESes; precision: of the assigned YESes; error and accuracy: of all pairs.
        """
        if measure not in PROPORTIONS:
            raise UnknownName("proportion", measure, PROPORTIONS)
        if self.figures:
            return _published(self, measure)
        tp, fp, fn, tn = (int(part.sum()) for part in (self.counts.tp, self.counts.fp, self.counts.fn, self.counts.tn))
        hits, trials = {
            "recall": (tp, tp + fn),
            "precision": (tp, tp + fp),
            "error": (fp + fn, tp + fp + fn + tn),
            "accuracy": (tp + tn, tp + fp + fn + tn),
        }[measure]
        return Proportion(hits / trials if trials else 0.0, trials)

    def within(self, chosen: Bools) -> System:
        """Confine the system to some of the categories."""
        columns = np.flatnonzero(chosen)
        table = self.table and Counts(*(getattr(self.table, cell)[columns] for cell in ("tp", "fp", "fn", "tn")))
        return replace(
            self,
            categories=tuple(self.categories[c] for c in columns) if self.categories else (),
            truth=None if self.truth is None else canonical(self.truth[:, columns]),
            decided=None if self.decided is None else canonical(self.decided[:, columns]),
            scores=None,
            train_counts=None if self.train_counts is None else self.train_counts[columns],
            table=table,
            outside=0 if self.outside and not chosen[self.known :].any() else self.outside,
        )


def _published(system: System, measure: str) -> Proportion:
    figures = system.figures
    if measure in figures:
        return figures[measure]
    other = {"error": "accuracy", "accuracy": "error"}.get(measure, "")
    if other in figures:
        return Proportion(1 - figures[other].value, figures[other].trials)
    raise InvalidInput(f"system {system.name!r} has no figure for {measure}; it has {', '.join(sorted(figures))}")


def as_system(run: Run | System) -> System:
    """Turn a run into a system; a system is returned as it is."""
    if isinstance(run, System):
        return run
    truth = None if run.truth is None else canonical(run.truth)
    decided = None if run.decisions is None else canonical(run.decisions.values)
    system = System(
        name=run.name,
        categories=run.categories,
        documents=run.documents,
        truth=truth,
        decided=decided,
        scores=run.scores,
        train_counts=run.train_counts,
        policies=run.signature.policies,
    )
    most = 0 if run.outside is None or decided is None else int(run.outside.max(initial=0))
    return system if not most else _with_outside(system, run.outside, most)


def with_outside_columns(systems: Sequence[System]) -> list[System]:
    """Give systems of one collection equally many columns for labels that the truth does not know."""
    most = max((system.outside for system in systems), default=0)
    return [_widened(system, most) if most else system for system in systems]


def _widened(system: System, most: int) -> System:
    counts = np.zeros(len(system.documents) if system.decided is None else system.decided.shape[0], np.int64)
    if system.offers.isdisjoint({"decisions"}) or system.outside == most:
        return system
    if system.decided is not None and system.outside:
        counts = np.asarray(system.decided[:, system.known :].sum(axis=1), np.int64)
    return _with_outside(system.inside, counts, most)


def _with_outside(system: System, counts: Ints | None, most: int) -> System:
    """Return the system with columns for labels that the truth does not know: column k holds the k-th of a document."""
    if counts is None or system.decided is None or system.truth is None:
        return system
    extra = sparse.csr_array(counts[:, None] > np.arange(most))
    nothing = sparse.csr_array(extra.shape, dtype=np.bool_)
    return replace(
        system,
        categories=(*system.categories, *(f"\uffff unknown label {k + 1}" for k in range(most))),
        truth=canonical(sparse.hstack([system.truth, nothing], format="csr")),
        decided=canonical(sparse.hstack([system.decided, extra], format="csr")),
        scores=None,
        train_counts=None if system.train_counts is None else np.r_[system.train_counts, np.zeros(most, np.int64)],
        outside=most,
    )
