"""The base classifier of the problems of a hierarchy: ours or scikit-learn's, for a label matrix or for one column.

A classifier that takes no label matrix, such as scikit-learn's `LogisticRegression`, is fitted for each problem by
itself; the machine of a group is then the tuple of the fitted ones.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from rubricate.classifiers.base import Scorer, contributions
from rubricate.classifiers.hierarchical.groups import Group
from rubricate.classifiers.hierarchical.nodes import check_numbers, check_values
from rubricate.classifiers.rows import take_columns
from rubricate.classifiers.svm import PENALTIES, SVM, check_options, class_costs
from rubricate.classifiers.svm_linear import native_rows
from rubricate.engines import Engine, run_tasks, spreading
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, score_matrix
from rubricate.native.linear_svm import (
    LANES,
    SKIP_TERM,
    Gathered,
    GroupWeights,
    gather_rows,
    score_rows,
    shuffled_documents,
    solve_block,
)
from rubricate.types import Bools, Evidence, Floats, Ints

__all__ = [
    "DocumentRows",
    "Machines",
    "SiblingSolver",
    "Trainer",
    "base_scores",
    "block_scores",
    "default_base",
    "fit_base",
    "natural_cut",
]


def default_base(base: Any) -> Any:
    """Return the base, or by default a linear SVM with C = 2, since groups are small and far from balanced."""
    if base is None:
        return SVM(C=2.0, bias="penalised")
    if isinstance(base, type) or not callable(getattr(base, "fit", None)):
        raise InvalidInput(f"base must be a classifier, such as rb.SVM() or LogisticRegression(), got {base!r}")
    return base


def natural_cut(base: Any) -> float:
    """Return the score above which a classifier says yes: its own, 0, or ½ where it has only probabilities."""
    if isinstance(base, Scorer):
        return float(base._natural_cut)
    return 0.0 if hasattr(base, "decision_function") else 0.5


def fit_base(base: Any, X: Any, labels: Bools, *, weights: Floats | None) -> Any:
    """Fit a clone on all columns of the labels; for a base that takes one column, a tuple with one per column."""
    if weights is not None and not has_fit_parameter(base, "sample_weight"):
        raise InvalidInput(f"{type(base).__name__} takes no sample weights; leave them out, or give another base")
    weighed = {} if weights is None else {"sample_weight": weights}
    if isinstance(base, Scorer):
        return clone(base).fit(X, sparse.csr_array(labels), **weighed)
    columns, tags = labels.astype(np.int64), get_tags(base)
    if not tags.target_tags.single_output:  # MultiOutputClassifier and chains: never a single column
        return clone(base).fit(X, columns, **weighed)
    many = tags.target_tags.multi_output or (tags.classifier_tags is not None and tags.classifier_tags.multi_label)
    if many:
        return clone(base).fit(X, columns[:, 0] if labels.shape[1] == 1 else columns, **weighed)
    return tuple(clone(base).fit(X, column, **weighed) for column in columns.T)


def base_scores(machine: Any, X: Any, wanted: int) -> Floats:
    """Return the scores of a fitted base less its natural cut, documents × the problems it has learned."""
    if isinstance(machine, tuple):
        return np.column_stack([base_scores(single, X, 1) for single in machine])
    scores = score_matrix(machine, X)
    if wanted == 1 and scores.shape[1] == 2:  # the probabilities of no and yes
        scores = scores[:, 1:]
    margins: Floats = scores - natural_cut(machine)
    return margins


MAX_SWEEPS = 500
"""Sweeps before a problem is left to `SVM`, which finishes such problems by steps of two documents."""
MAX_WEIGHTS = 1 << 24
"""Weights (terms × problems) up to which a group is stored as a dense block."""


class DocumentRows:
    """Vectors of documents, as they came (`X`) and as native code takes them (`rows`)."""

    def __init__(self, X: Any) -> None:
        matrix = sparse.csr_array(X)
        self.X = X
        self.rows = native_rows(matrix)
        self._own = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return DocumentRows, (self.X,)

    def place(self) -> NDArray[np.int32]:
        """Return this thread's array with −1 for every term, which native functions leave as they found it."""
        if not hasattr(self._own, "place"):
            self._own.place = np.full(self.X.shape[1], -1, np.int32)
        place: NDArray[np.int32] = self._own.place
        return place


@dataclass(frozen=True)
class SiblingSolver:
    """Solves the linear SVMs of a group, with the options of an `SVM`."""

    base: SVM

    @classmethod
    def of(cls, base: Any) -> SiblingSolver | None:
        """Return the solver of a linear SVM without probabilities; None for any other base."""
        if type(base) is not SVM or base.kernel != "linear" or base.probability:
            return None
        if base.class_weight not in (None, "balanced"):
            return None
        check_options(base)
        return cls(base)

    def solve(self, vectors: DocumentRows, group: Group, *, kept: Bools) -> GroupWeights | None:
        """Solve each problem to the relative duality gap `tol`; those without documents on both sides score ±1.

        `kept` says which terms to use; empty: all. Return None if the weights would be too many, or some problem is not
        solved after 500 sweeps: then `SVM` solves it.
        """
        order, place = shuffled_documents(len(group.rows), int(self.base.seed)), vectors.place()
        if len(kept):
            place = np.where(kept, -1, SKIP_TERM).astype(np.int32)
        documents = gather_rows(vectors.rows, group.rows[order], place)
        shape = len(documents.own), group.labels.shape[1]
        if shape[0] * shape[1] > MAX_WEIGHTS:
            return None
        labels, mixed = group.labels[order], np.flatnonzero(group.mixed())
        machines = GroupWeights(documents.own, np.zeros(shape), np.where(labels.all(axis=0), 1.0, -1.0))
        weights = np.ones(len(labels)) if group.weights is None else group.weights[order].astype(np.float64)
        for first in range(0, len(mixed), LANES):
            if not self._solve_block(documents, labels, weights, machines, mixed[first : first + LANES]):
                return None
        return machines

    def _solve_block(
        self, documents: Gathered, labels: Bools, weights: Floats, machines: GroupWeights, block: Ints
    ) -> bool:
        """Set weights and biases of some problems; return whether all are within the tolerance."""
        base, own = self.base, labels[:, block]
        costs = np.full((2, len(block)), float(base.C))
        if base.class_weight is not None:
            costs *= class_costs(base.class_weight, np.arange(len(block)), sparse.csr_array(own), weights=weights)
        coef = np.empty((len(documents.own), len(block)))
        lanes = solve_block(
            documents,
            np.packbits(own, axis=1, bitorder="little")[:, 0].copy(),
            weights=weights,
            costs=costs,
            penalty=PENALTIES[base.bias],
            tol=float(base.tol),
            max_sweeps=min(int(base.max_sweeps), MAX_SWEEPS),
            seeds=(int(base.seed) + block).astype(np.uint64),
            coef=coef,
        )
        machines.weights[:, block], machines.bias[block] = coef, [lane.bias for lane in lanes]
        return all(lane.primal - lane.dual <= base.tol * lane.primal for lane in lanes)


def block_scores(block: GroupWeights, vectors: DocumentRows, chosen: Ints) -> Floats:
    """Return the scores of some documents, documents × problems."""
    return score_rows(vectors.rows, chosen, block, vectors.place())


NO_TERMS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Machines:
    """Fitted machines of groups of problems, as flat arrays.

    Parameters
    ----------
    group_starts
        First problem of each group, and the number of problems.
    machines
        For each group the fitted base, or a tuple of them (see `bases`), or None where a block stands for it.
    selected
        Terms that the machine of each group sees; empty: all.
    learned
        Which problems have documents on both sides.
    block_starts, block_terms, block_weights, weight_starts
        Blocks of linear SVMs end to end: the terms of each group, then its weights, terms × problems.
    problem_bias
        Bias of each problem; ±1 where all or none of a group's documents are positive.
    """

    group_starts: Ints
    machines: tuple[Any, ...]
    selected: tuple[NDArray[np.int32], ...]
    learned: Bools
    block_starts: Ints
    block_terms: NDArray[np.int32]
    block_weights: Floats
    problem_bias: Floats
    weight_starts: Ints

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self.problem_bias)

    def group_of(self, problem: int) -> int:
        """Return the group that a problem belongs to."""
        return int(np.searchsorted(self.group_starts, problem, side="right")) - 1

    def block(self, group: int) -> GroupWeights:
        """Return terms, weights and biases of a group."""
        first, last = self.group_starts[group : group + 2]
        terms = self.block_terms[self.block_starts[group] : self.block_starts[group + 1]]
        weights = self.block_weights[self.weight_starts[group] : self.weight_starts[group + 1]]
        return GroupWeights(terms, weights.reshape(len(terms), last - first), self.problem_bias[first:last])

    def terms(self, group: int) -> Ints:
        """Return the terms that the machine of a group sees; empty: all."""
        return self.selected[group].astype(np.int64)

    def learned_in(self, group: int) -> Ints:
        """Return the problems that the machine of a group has learned, counted within the group."""
        return np.flatnonzero(self.learned[self.group_starts[group] : self.group_starts[group + 1]])

    def group_scores(self, vectors: DocumentRows, group: int, chosen: Ints) -> Floats:
        """Return the scores of some documents less the natural cut, documents × problems of a group.

        A problem without documents on both sides scores ±1 for every document.
        """
        machine, block = self.machines[group], self.block(group)
        if machine is None:
            return block_scores(block, vectors, chosen)
        scores = np.tile(block.bias, (len(chosen), 1))
        if len(chosen):
            part = vectors.X if len(chosen) == vectors.X.shape[0] else vectors.X[chosen]
            part = take_columns(part, self.terms(group)) if len(self.selected[group]) else part
            learned = self.learned_in(group)
            scores[:, learned] = base_scores(machine, part, len(learned))
        return scores

    def scores(self, X: Any) -> Floats:
        """Return the scores of all documents for all problems."""
        vectors, everyone = DocumentRows(X), np.arange(X.shape[0])
        return np.hstack([self.group_scores(vectors, group, everyone) for group in range(len(self.machines))])

    def explain(self, X: Any, problem: int, limit: int) -> list[list[Evidence]]:
        """Return what spoke for and against each document in one problem; nothing where the base cannot say."""
        group = self.group_of(problem)
        own, machine = problem - self.group_starts[group], self.machines[group]
        if machine is None:
            block, dense = self.block(group), np.zeros(X.shape[1])
            dense[block.own] = block.weights[:, own]
            return contributions(X, dense, limit)
        learned = self.learned_in(group)
        if own not in learned or not isinstance(machine, Scorer):
            return [[] for _ in range(X.shape[0])]
        chosen = self.terms(group)
        part = take_columns(X, chosen) if len(chosen) else X
        explained = machine.explain(part, int(np.searchsorted(learned, own)), limit)
        if not len(chosen):
            return explained
        return [[_renumbered(reason, chosen) for reason in reasons] for reasons in explained]

    def check(self, terms: int) -> None:
        """Raise ValueError where the arrays do not fit together, or name a term beyond the vectors."""
        check_values(self.block_weights, self.problem_bias)
        check_numbers(self.group_starts, self.block_starts, self.weight_starts, self.block_terms, *self.selected)
        starts, groups = self.group_starts, len(self.machines)
        problems = int(starts[-1]) if len(starts) else -1
        sizes = np.diff(starts)
        if len(starts) != groups + 1 or starts[0] or (sizes < 0).any() or self.problems != problems:
            raise ValueError("groups and problems do not fit together")
        if len(self.selected) != groups or len(self.learned) != problems or self.learned.dtype != bool:
            raise ValueError("groups and machines do not fit together")
        self._check_blocks(sizes)
        for group, machine in enumerate(self.machines):
            if isinstance(machine, tuple) and len(machine) != len(self.learned_in(group)):
                raise ValueError("machines and problems do not fit together")
        inside = np.concatenate([self.block_terms, *self.selected])
        if len(inside) and (inside.min() < 0 or inside.max() >= terms):
            raise ValueError("a block has a term beyond the vectors")

    def _check_blocks(self, sizes: Ints) -> None:
        terms, groups = np.diff(self.block_starts), len(self.machines)
        if len(terms) != groups or (terms < 0).any() or self.block_starts[0] or self.weight_starts[0]:
            raise ValueError("blocks and groups do not fit together")
        if len(self.weight_starts) != groups + 1 or (np.diff(self.weight_starts) != terms * sizes).any():
            raise ValueError("weights and blocks do not fit together")
        if (len(self.block_terms), len(self.block_weights)) != (self.block_starts[-1], self.weight_starts[-1]):
            raise ValueError("blocks end before their starts say")


def _renumbered(reason: Evidence, chosen: Ints) -> Evidence:
    """Return evidence with its columns numbered among all terms; the machine numbered those that it saw."""
    if isinstance(reason.index, tuple):
        index = tuple(int(chosen[c]) if c >= 0 else ~int(chosen[~c]) for c in reason.index)
        return replace(reason, index=index)
    return replace(reason, index=int(chosen[reason.index])) if reason.kind == "term" else reason


@dataclass(frozen=True)
class Trainer:
    """How the machines of groups are learned: by which base, on which terms, where."""

    base: Any
    select: Any = None
    engine: Engine | str = "serial"

    def train(self, X: Any, groups: Sequence[Group]) -> Machines:
        """Fit a clone of the base for each group."""
        vectors, solver = DocumentRows(X), SiblingSolver.of(self.base)

        def fit(group: Group) -> tuple[Any, GroupWeights, NDArray[np.int32]]:
            chosen = self._selected(X, group)
            return *self._fit(vectors, group, chosen, solver=solver), chosen

        fitted = run_tasks(fit, list(groups), engine=spreading() or self.engine)
        blocks = [block for _, block, _ in fitted]
        return Machines(
            group_starts=_starts(group.labels.shape[1] for group in groups),
            machines=tuple(machine for machine, _, _ in fitted),
            # One array for all groups that keep all terms: in a file it is written once, wherever they were learned.
            selected=tuple(chosen if len(chosen) else NO_TERMS for _, _, chosen in fitted),
            learned=np.concatenate([np.zeros(0, bool), *(group.mixed() for group in groups)]),
            block_starts=_starts(len(block.own) for block in blocks),
            block_terms=np.concatenate([NO_TERMS, *(block.own for block in blocks)]),
            block_weights=np.concatenate([np.zeros(0), *(block.weights.ravel() for block in blocks)]),
            problem_bias=np.concatenate([np.zeros(0), *(block.bias for block in blocks)]),
            weight_starts=_starts(block.weights.size for block in blocks),
        )

    def _selected(self, X: Any, group: Group) -> NDArray[np.int32]:
        """Return the terms that the selector keeps for a group; an empty array keeps all."""
        mixed = group.mixed()
        if self.select is None or not mixed.any():
            return NO_TERMS
        if isinstance(self.select, type) or not hasattr(self.select, "get_support"):
            raise InvalidInput(
                f"select must be a selector of terms such as rb.text.Select('chi2:500'), got {self.select!r}"
            )
        labels = sparse.csr_array(group.labels[:, mixed])
        kept = clone(self.select).fit(X[group.rows], labels).get_support(indices=True)
        return np.asarray(kept, np.int32)

    def _fit(
        self, vectors: DocumentRows, group: Group, chosen: NDArray[np.int32], *, solver: SiblingSolver | None
    ) -> tuple[Any, GroupWeights]:
        """Return a fitted base, or None and a block; a block of no terms has the biases of constant problems."""
        mixed = group.mixed()
        if solver is not None and mixed.any():
            kept = np.zeros(vectors.X.shape[1] if len(chosen) else 0, bool)
            kept[chosen] = True
            block = solver.solve(vectors, group, kept=kept)
            if block is not None:
                return None, block
        full = group.labels.all(axis=0) & (len(group.labels) > 0)
        constant = GroupWeights(NO_TERMS, np.zeros((0, len(mixed))), np.where(full, 1.0, -1.0))
        if not mixed.any():
            return None, constant
        part = vectors.X[group.rows]
        part = take_columns(part, chosen.astype(np.int64)) if len(chosen) else part
        return fit_base(self.base, part, group.labels[:, mixed], weights=group.weights), constant

    def held_out(self, X: Any, groups: Sequence[Group], *, folds: int, seed: int) -> list[Floats]:
        """Return for each group the scores of its documents by machines that have not seen them.

        The document of a group of one scores −1: there is no other to learn from. Cost: `folds` trainings.
        """
        scores = [np.full(group.labels.shape, -1.0) for group in groups]
        fold_ids = [
            assign_folds(sparse.csr_array(g.labels), min(folds, len(g.rows)), seed=seed) if len(g.rows) > 1 else None
            for g in groups
        ]
        vectors = DocumentRows(X)
        for fold in range(folds):
            active = [k for k, part in enumerate(fold_ids) if part is not None and (part == fold).any()]
            kept = [np.asarray(fold_ids[k] != fold) for k in active]
            machines = self.train(X, [groups[k].part(at) for k, at in zip(active, kept, strict=True)])
            for place, (k, at) in enumerate(zip(active, kept, strict=True)):
                scores[k][~at] = machines.group_scores(vectors, place, groups[k].rows[~at])
        return scores


def _starts(sizes: Any) -> Ints:
    """Return where parts of these sizes start when laid end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int64)
