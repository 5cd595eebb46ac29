"""The binary problems of a hierarchy, gathered into groups that learn from the same documents.

A problem asks of a document whether it goes below a node (in its coverage), or whether it stays at an internal one
(labelled with the node itself). A link of the hierarchy from parent to child points to the problem that guards it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubricate.classifiers.hierarchical.nodes import Places
from rubricate.types import Bools, Floats, Ints

__all__ = ["NONE", "POLICIES", "Group", "Policy", "Problems", "per_level", "per_node", "per_parent"]

NONE = -1
"""In place of a problem: the link is open to every document, or a node keeps none."""

Policy: TypeAlias = Literal[
    "siblings", "exclusive_siblings", "inclusive", "less_inclusive", "exclusive", "less_exclusive"
]


@dataclass(frozen=True, eq=False)
class Group:
    """Documents to learn from, which of them are positive (documents × problems), and what each counts for."""

    rows: Ints
    labels: Bools
    weights: Floats | None = None

    def mixed(self) -> Bools:
        """Return which problems have documents on both sides."""
        return self._mixed

    @cached_property
    def _mixed(self) -> Bools:
        inside = np.count_nonzero(self.labels, axis=0)
        mixed: Bools = (inside > 0) & (inside < len(self.labels))
        return mixed

    def part(self, kept: Bools) -> Group:
        """Return some of the documents."""
        return Group(self.rows[kept], self.labels[kept], None if self.weights is None else self.weights[kept])


@dataclass(eq=False)
class Problems:
    """Groups; `guards[link]`, in the order of the tree's child links; `stays[node]`; and the guard of the root."""

    places: Places
    groups: list[Group] = field(default_factory=list)
    guards: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    stays: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    root: int = NONE
    count: int = 0

    def __post_init__(self) -> None:
        self._place = np.zeros(self.places.documents, np.int64)
        self.guards = np.full(len(self.places.tree.child_ids), NONE, np.int64)
        self.stays = np.full(len(self.places.tree), NONE, np.int64)

    def add(self, rows: Ints, positives: list[Ints]) -> Ints:
        """Add a group of problems over these rows, each given once; return their numbers."""
        rows = np.asarray(rows, np.int64)
        labels = np.zeros((len(rows), len(positives)), bool)
        if len(rows) and positives:
            # np.isin has a high fixed cost. Places of rows of other groups are left over, so the row is compared.
            self._place[rows] = np.arange(len(rows))
            inside = np.concatenate(positives)
            at, column = self._place[inside], np.repeat(np.arange(len(positives)), [len(part) for part in positives])
            present = rows[np.minimum(at, len(rows) - 1)] == inside
            labels[at[present], column[present]] = True
        return self._append(rows, labels)

    def add_contested(self, rows: Ints, inside: Ints, contested: Ints) -> Ints:
        """Add a group of one problem, for which some of the positive documents are negative as well."""
        labels = np.concatenate([np.isin(rows, inside, assume_unique=True), np.zeros(len(contested), bool)])
        return self._append(np.concatenate([rows, contested]).astype(np.int64), labels[:, None])

    def _append(self, rows: Ints, labels: Bools) -> Ints:
        weights = self.places.weights
        self.groups.append(Group(rows, labels, None if weights is None else weights[rows]))
        self.count += labels.shape[1]
        return np.arange(self.count - labels.shape[1], self.count)


def _keeps(places: Places) -> NDArray[np.bool_]:
    """Return the internal nodes that are categories: there a document may stay."""
    return places.is_category() & (np.diff(places.tree.child_starts) > 0)


def per_parent(places: Places, everyone: Ints | None = None, *, contested: bool = False) -> Problems:
    """Return one group for each internal node, from the documents it covers (sunlim2001, section 4).

    Its problems are the subtree classifiers of internal children, the local ones of leaves, and the node's own local
    one. `everyone` replaces what the root covers, such as by all documents. With `contested` documents, those below
    a child and below another one, but not labelled with the child itself, are positive and negative for it.
    """
    problems, starts, keeps = Problems(places), places.tree.child_starts, _keeps(places)
    for node in np.flatnonzero(np.diff(starts) > 0):
        rows = places.covered(node) if node or everyone is None else everyone
        positives = [places.covered(child) for child in places.children(node)]
        if keeps[node]:
            positives.append(places.members(node))
        if contested:
            numbers = _contested(problems, int(node), rows=rows, positives=positives)
        else:
            numbers = problems.add(rows, positives)
        links = slice(starts[node], starts[node + 1])
        problems.guards[links] = numbers[: links.stop - links.start]
        if keeps[node]:
            problems.stays[node] = numbers[-1]
    return problems


def _contested(problems: Problems, node: int, *, rows: Ints, positives: list[Ints]) -> Ints:
    """Add the problems of a node, each in a group of its own; return their numbers."""
    places, children = problems.places, problems.places.children(node)
    numbers = []
    for k, inside in enumerate(positives):
        twice = np.zeros(0, np.int64)
        if k < len(children):
            others = _joined([places.covered(other) for other in children if other != children[k]])
            twice = np.setdiff1d(np.intersect1d(inside, others), places.members(children[k]))
        numbers.append(problems.add_contested(np.asarray(rows, np.int64), inside, twice))
    return np.concatenate(numbers)


def _add_stays(problems: Problems) -> None:
    """Add the problem of staying at each internal category, from the documents that it covers."""
    for node in np.flatnonzero(_keeps(problems.places)):
        problems.stays[node] = problems.add(problems.places.covered(node), [problems.places.members(node)])[0]


def _guard_nodes(problems: Problems, numbers: Ints) -> None:
    """Guard every link to a node by the node's one problem."""
    problems.guards[:] = numbers[problems.places.tree.child_ids]


def per_level(places: Places) -> Problems:
    """Return one group for each depth, from the documents that have a category there or below."""
    problems, depths = Problems(places), places.tree.depths
    numbers = np.full(len(places.tree), NONE, np.int64)
    for depth in range(1, int(depths.max(initial=0)) + 1):
        nodes = np.flatnonzero(depths == depth)
        covered = [places.covered(node) for node in nodes]
        rows = np.unique(np.concatenate(covered)) if depth > 1 else np.arange(places.documents)
        numbers[nodes] = problems.add(rows, covered)
    _guard_nodes(problems, numbers)
    _add_stays(problems)
    return problems


def per_node(places: Places, policy: Policy) -> Problems:
    """Return one problem for each node, with the documents of a policy (silla2011, section 4.1.1; `POLICIES`)."""
    problems = Problems(places)
    numbers = np.full(len(places.tree), NONE, np.int64)
    everyone = np.arange(places.documents)
    if policy == "less_inclusive":
        numbers[1:] = problems.add(everyone, [places.covered(node) for node in range(1, len(places.tree))])
    elif policy == "siblings" and places.tree.is_tree:
        for node in np.flatnonzero(np.diff(places.tree.child_starts) > 0):
            covered = [places.covered(child) for child in places.children(node)]
            numbers[places.children(node)] = problems.add(_joined(covered), covered)
    else:
        for rows, inside in _same_rows(places, policy).values():
            numbers[list(inside)] = problems.add(rows, list(inside.values()))
    _guard_nodes(problems, numbers)
    _add_stays(problems)
    return problems


def _same_rows(places: Places, policy: Policy) -> dict[bytes, tuple[Ints, dict[int, Ints]]]:
    """Group nodes with the same documents of a policy: (documents, positives of each node)."""
    shared: dict[bytes, tuple[Ints, dict[int, Ints]]] = {}
    for node in range(1, len(places.tree)):
        inside, outside = POLICIES[policy](places, node)
        rows = np.union1d(inside, outside).astype(np.int64)
        shared.setdefault(rows.tobytes(), (rows, {}))[1][node] = inside
    return shared


def _others(places: Places, inside: Ints) -> Ints:
    return np.setdiff1d(np.arange(places.documents), inside, assume_unique=True)


def _parents(places: Places, node: int) -> Ints:
    parents = places.tree.parent_ids[places.tree.parent_starts[node] : places.tree.parent_starts[node + 1]]
    return parents.astype(np.int64)


def _joined(parts: list[Ints]) -> Ints:
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)


def _siblings(places: Places, node: int) -> Ints:
    return np.setdiff1d(_joined([places.children(parent) for parent in _parents(places, node)]), [node])


def _exclusive(places: Places, node: int) -> tuple[Ints, Ints]:
    return places.members(node), _others(places, places.members(node))


def _less_exclusive(places: Places, node: int) -> tuple[Ints, Ints]:
    return places.members(node), _others(places, places.covered(node))


def _less_inclusive(places: Places, node: int) -> tuple[Ints, Ints]:
    return places.covered(node), _others(places, places.covered(node))


def _inclusive(places: Places, node: int) -> tuple[Ints, Ints]:
    above = [places.tree.index(name) for name in places.tree.ancestors(places.tree.names[node])]
    at_ancestors = _joined([places.members(ancestor) for ancestor in above])
    inside = places.covered(node)
    return inside, np.setdiff1d(_others(places, inside), at_ancestors)


def _by_siblings(places: Places, node: int) -> tuple[Ints, Ints]:
    inside = places.covered(node)
    return inside, np.setdiff1d(_joined([places.covered(sibling) for sibling in _siblings(places, node)]), inside)


def _exclusive_siblings(places: Places, node: int) -> tuple[Ints, Ints]:
    inside = places.members(node)
    return inside, np.setdiff1d(_joined([places.members(sibling) for sibling in _siblings(places, node)]), inside)


POLICIES: dict[Policy, Callable[[Places, int], tuple[Ints, Ints]]] = {
    "siblings": _by_siblings,
    "exclusive_siblings": _exclusive_siblings,
    "inclusive": _inclusive,
    "less_inclusive": _less_inclusive,
    "exclusive": _exclusive,
    "less_exclusive": _less_exclusive,
}
"""Positive and negative documents of a node.

    siblings             in its coverage | in that of a sibling
    exclusive_siblings   labelled with it | labelled with a sibling
    inclusive            in its coverage | all others, but those labelled with a node above it
    less_inclusive       in its coverage | all others
    exclusive            labelled with it | all others
    less_exclusive       labelled with it | all others, but those below it
"""
