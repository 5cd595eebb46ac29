"""Machines for groups of problems: any base classifier for each group, kept as arrays where it is a linear SVM.

What is learned lies flat on the classifier, so that a model file can hold it:

    group_starts_     the first problem of each group, and their number
    block_starts_, block_terms_, block_weights_   the blocks of linear SVMs end to end: terms, then terms × problems
    machines_         for each group the fitted base, or a tuple of them (see `_hier_bases`), or None where a block
                      (or nothing) stands for it
    learned_          which problems have documents on both sides
    selected_         terms that the machine of the group sees; empty: all
    problem_bias_     the bias of each problem; ±1 where all or none of a group's documents are positive
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers._columns import take_columns
from rubricate.classifiers._scorer import Scorer, contributions
from rubricate.classifiers.hierarchical.descent.bases import base_scores, fit_base
from rubricate.classifiers.hierarchical.descent.groups import Group
from rubricate.classifiers.hierarchical.descent.linear import Block, Rows, block_scores, is_quick, solve_block
from rubricate.engines import run_tasks
from rubricate.errors import InvalidInput
from rubricate.folds import stratified_folds
from rubricate.types import Bools, Evidence, Floats, Ints

__all__ = [
    "check_machines",
    "check_numbers",
    "check_values",
    "explain_problem",
    "group_matrix",
    "held_out",
    "learn_machines",
    "mixed_problems",
]

NO_TERMS = np.zeros(0, np.int32)


def _selected(selector: Any, X: Any, group: Group) -> NDArray[np.int32]:
    """The terms that a selector keeps for a group; none named: all are kept."""
    if selector is None or not mixed_problems(group.labels).any():
        return NO_TERMS
    if isinstance(selector, type) or not hasattr(selector, "get_support"):
        raise InvalidInput(f"select must be a selector of terms such as rb.text.Select('chi2:500'), got {selector!r}")
    labels = sparse.csr_array(group.labels[:, mixed_problems(group.labels)])
    kept = clone(selector).fit(X[group.rows], labels).get_support(indices=True)
    return np.asarray(kept, np.int32)


def mixed_problems(labels: Bools) -> Bools:
    """The problems with documents on both sides."""
    inside = labels.sum(axis=0)
    mixed: Bools = (inside > 0) & (inside < len(labels))
    return mixed


def learn_machines(model: Any, X: Any, groups: Sequence[Group], base: Any) -> None:
    """Fit a clone of the base for each group and leave what is learned on the model."""
    rows = Rows(X)

    def one(group: Group) -> tuple[Any, Block, NDArray[np.int32]]:
        chosen = _selected(model.select, X, group)
        return *_fit_group(base, X, rows, group, chosen), chosen

    found = run_tasks(one, list(groups), engine=model.engine)
    sizes = [group.labels.shape[1] for group in groups]
    model.group_starts_ = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    model.machines_ = tuple(machine for machine, _, _ in found)
    model.selected_ = tuple(chosen for _, _, chosen in found)
    model.learned_ = np.concatenate([np.zeros(0, bool), *(mixed_problems(group.labels) for group in groups)])
    _keep_blocks(model, [block for _, block, _ in found])


def _fit_group(base: Any, X: Any, rows: Rows, group: Group, chosen: NDArray[np.int32]) -> tuple[Any, Block]:
    """A fitted base, or None and a block; a block of no terms has the biases of constant problems."""
    mixed = mixed_problems(group.labels)
    if mixed.any() and is_quick(base, group):
        kept = np.zeros(rows.shape[1] if len(chosen) else 0, bool)
        kept[chosen] = True
        block = solve_block(base, rows, group, kept)
        if block is not None:
            return None, block
    full = group.labels.all(axis=0) & (len(group.labels) > 0)
    constant = Block(NO_TERMS, np.zeros((0, len(mixed))), np.where(full, 1.0, -1.0))
    if not mixed.any():
        return None, constant
    part = X[group.rows]
    part = take_columns(part, chosen.astype(np.int64)) if len(chosen) else part
    return fit_base(base, part, group.labels[:, mixed], group.weights), constant


def _keep_blocks(model: Any, blocks: Sequence[Block]) -> None:
    ends = np.cumsum([len(block.terms) for block in blocks])
    model.block_starts_ = np.concatenate([[0], ends]).astype(np.int64)
    model.block_terms_ = np.concatenate([NO_TERMS, *(block.terms for block in blocks)])
    model.block_weights_ = np.concatenate([np.zeros(0), *(block.weights.ravel() for block in blocks)])
    model.problem_bias_ = np.concatenate([np.zeros(0), *(block.bias for block in blocks)])
    model.weight_starts_ = np.concatenate([[0], np.cumsum([block.weights.size for block in blocks])]).astype(np.int64)


def _block(model: Any, group: int) -> Block:
    first, last = model.group_starts_[group : group + 2]
    terms = model.block_terms_[model.block_starts_[group] : model.block_starts_[group + 1]]
    weights = model.block_weights_[model.weight_starts_[group] : model.weight_starts_[group + 1]]
    return Block(terms, weights.reshape(len(terms), last - first), model.problem_bias_[first:last])


def group_matrix(model: Any, X: Any, rows: Rows, group: int, chosen: Ints) -> Floats:
    """The scores of some documents for the problems of a group, less the natural cut: documents × problems.

    A problem without documents on both sides scores ±1 for every document.
    """
    machine, block = model.machines_[group], _block(model, group)
    if machine is None:
        return block_scores(block, rows, chosen)
    found = np.tile(block.bias, (len(chosen), 1))
    if len(chosen):
        part = X if len(chosen) == X.shape[0] else X[chosen]
        part = take_columns(part, model.selected_[group]) if _narrow(model, group) else part
        shown = _shown(model, group)
        found[:, shown] = base_scores(machine, part, len(shown))
    return found


def _shown(model: Any, group: int) -> Ints:
    """The problems that the machine of a group has learned, counted within the group."""
    found: Ints = np.flatnonzero(model.learned_[model.group_starts_[group] : model.group_starts_[group + 1]])
    return found


def _narrow(model: Any, group: int) -> bool:
    return len(model.selected_[group]) > 0


def held_out(model: Any, X: Any, groups: Sequence[Group], base: Any, *, folds: int, seed: int) -> list[Floats]:
    """For each group the scores of its documents by machines that have not seen them; cost: `folds` trainings.

    A group of one document has no one else to learn from: it scores −1.
    """
    found = [np.full(group.labels.shape, -1.0) for group in groups]
    parts = [
        stratified_folds(sparse.csr_array(g.labels), min(folds, len(g.rows)), seed=seed) if len(g.rows) > 1 else None
        for g in groups
    ]
    rows = Rows(X)
    for fold in range(folds):
        active = [k for k, part in enumerate(parts) if part is not None and (part == fold).any()]
        kept = [np.asarray(parts[k] != fold) for k in active]
        some = [groups[k].part(at) for k, at in zip(active, kept, strict=True)]
        other = SimpleNamespace(select=model.select, engine=model.engine)
        learn_machines(other, X, some, base)
        for place, (k, at) in enumerate(zip(active, kept, strict=True)):
            found[k][~at] = group_matrix(other, X, rows, place, groups[k].rows[~at])
    return found


def explain_problem(model: Any, X: Any, problem: int, limit: int) -> list[list[Evidence]]:
    """What spoke for and against in one problem, for each document; nothing where the base cannot say."""
    group = int(np.searchsorted(model.group_starts_, problem, side="right")) - 1
    own, machine = problem - model.group_starts_[group], model.machines_[group]
    if machine is None:
        block = _block(model, group)
        dense = np.zeros(model.n_features_in_)
        dense[block.terms] = block.weights[:, own]
        return contributions(X, dense, limit)
    shown = _shown(model, group)
    if own not in shown or not isinstance(machine, Scorer):
        return [[] for _ in range(X.shape[0])]
    chosen = model.selected_[group]
    part = take_columns(X, chosen) if len(chosen) else X
    found = machine.explain(part, int(np.searchsorted(shown, own)), limit)
    return [[_renumbered(reason, chosen) if len(chosen) else reason for reason in reasons] for reasons in found]


def _renumbered(reason: Evidence, chosen: Ints) -> Evidence:
    """Return evidence with its columns numbered among all terms; the machine numbered those that it saw."""
    if isinstance(reason.index, tuple):
        index = tuple(int(chosen[c]) if c >= 0 else ~int(chosen[~c]) for c in reason.index)
        return replace(reason, index=index)
    return replace(reason, index=int(chosen[reason.index])) if reason.kind == "term" else reason


def check_numbers(*arrays: Any) -> None:
    """Raise ValueError where an array that numbers nodes, problems or terms holds anything but whole numbers."""
    if any(not isinstance(one, np.ndarray) or one.dtype.kind not in "iu" or one.ndim != 1 for one in arrays):
        raise ValueError("numbers of nodes, problems or terms are no whole numbers")


def check_values(*arrays: Any) -> None:
    """Raise ValueError where an array of weights, biases or cuts holds anything but finite numbers."""
    for one in arrays:
        if not isinstance(one, np.ndarray) or one.dtype.kind != "f" or not np.isfinite(one).all():
            raise ValueError("weights, biases or cuts are no finite numbers")


def check_machines(model: Any) -> None:
    """Raise ValueError where the learned arrays do not fit together."""
    check_values(model.block_weights_, model.problem_bias_)
    check_numbers(model.group_starts_, model.block_starts_, model.weight_starts_, model.block_terms_, *model.selected_)
    starts, groups = model.group_starts_, len(model.machines_)
    problems = int(starts[-1]) if len(starts) else -1
    sizes = np.diff(starts)
    if len(starts) != groups + 1 or starts[0] or (sizes < 0).any() or len(model.problem_bias_) != problems:
        raise ValueError("groups and problems do not fit together")
    if len(model.selected_) != groups or len(model.learned_) != problems or model.learned_.dtype != bool:
        raise ValueError("groups and machines do not fit together")
    terms = np.diff(model.block_starts_)
    if len(terms) != groups or (terms < 0).any() or model.block_starts_[0] or model.weight_starts_[0]:
        raise ValueError("blocks and groups do not fit together")
    if len(model.weight_starts_) != groups + 1 or (np.diff(model.weight_starts_) != terms * sizes).any():
        raise ValueError("weights and blocks do not fit together")
    ends = (len(model.block_terms_), len(model.block_weights_))
    if ends != (model.block_starts_[-1], model.weight_starts_[-1]):
        raise ValueError("blocks end before their starts say")
    if any(isinstance(one, tuple) and len(one) != len(_shown(model, g)) for g, one in enumerate(model.machines_)):
        raise ValueError("machines and problems do not fit together")
    inside = np.concatenate([model.block_terms_, *model.selected_])
    if len(inside) and (inside.min() < 0 or inside.max() >= model.n_features_in_):
        raise ValueError("a block has a term beyond the vectors")
