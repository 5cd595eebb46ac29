"""Chances along the paths of a hierarchy: from the scores of its classifiers, with a slope learned on held-out ones.

The chance of a choice at a node is σ(a · score), scores less the natural cut, or, where exactly one is right, the
softmax of a · score over the choices. One slope a serves all nodes: most have too few documents for one of their own.
A choice that all documents of a node have made is certain, so that a chain of single children costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from rubricate.classifiers.hierarchical.descent.descent import Scoring, node_choices
from rubricate.classifiers.hierarchical.descent.groups import NONE, Group
from rubricate.types import Bools, Floats, Ints

__all__ = ["FLOOR", "learn_slope", "log_chances", "path_chances"]

FLOOR = -30.0
"""The least log of a chance, that of a category which no beam reached."""
SLOPES = (-3.0, 4.0)
"""Between e^−3 and e^4 the slope is looked for."""


def log_chances(scores: Floats, slope: float, single: bool) -> Floats:
    """The log of the chance of each column, row by row."""
    if not single:
        return -np.logaddexp(0.0, -slope * scores)
    scaled = slope * scores
    top = scaled.max(axis=1, keepdims=True, initial=-np.inf)
    found: Floats = scaled - top - np.log(np.exp(scaled - top).sum(axis=1, keepdims=True))
    return found


def _loss(slope: float, scores: Sequence[Floats], groups: Sequence[Group], single: bool) -> float:
    total = 0.0
    for own, group in zip(scores, groups, strict=True):
        truth, weights = group.labels, 1.0 if group.weights is None else group.weights[:, None]
        if single:
            logs = np.where(truth & (truth.sum(axis=1) == 1)[:, None], log_chances(own, slope, True), 0.0)
        else:
            logs = log_chances(np.where(truth, own, -own), slope, False)
        total -= float((weights * logs).sum())
    return total


def learn_slope(groups: Sequence[Group], scores: Sequence[Floats], learned: Bools, *, single: bool) -> float:
    """The slope with the least log-loss on held-out scores of problems with documents on both sides; else 1."""
    parts, at = [], 0
    for group, own in zip(groups, scores, strict=True):
        mixed = learned[at : at + own.shape[1]]
        at += own.shape[1]
        if mixed.any() and (not single or mixed.sum() > 1):
            parts.append((own[:, mixed], Group(group.rows, group.labels[:, mixed], group.weights)))
    if not parts:
        return 1.0
    values, kept = [own for own, _ in parts], [group for _, group in parts]
    found = optimize.minimize_scalar(
        lambda log: _loss(float(np.exp(log)), values, kept, single), bounds=SLOPES, method="bounded"
    )
    return float(np.exp(found.x))


def path_chances(model: Any, X: Any, *, beam: int | None = None) -> tuple[Floats, Floats, Ints]:
    """(log of the chance to reach, log of the chance to stay, links on the best path), nodes × documents.

    Only what the beam lets through is visited: at each level the `beam` best nodes of a document, and every node that
    is likelier than not; the rest has the floor. Of several paths the likeliest counts.
    """
    scoring, documents, nodes = Scoring(model, X), X.shape[0], len(model.nodes_)
    reach, stay = np.full((nodes, documents), FLOOR), np.full((nodes, documents), FLOOR)
    length = np.zeros((nodes, documents), np.int64)
    reach[0] = np.maximum(log_chances(scoring.problem(model.root_guard_)[:, None], model.slope_, False)[:, 0], FLOOR)
    for level in _levels(model):
        allowed = _beam(reach[level], beam)
        for row, node in enumerate(level):
            links = slice(model.child_starts_[node], model.child_starts_[node + 1])
            chosen = np.flatnonzero(allowed[row])
            if links.start == links.stop:
                stay[node] = reach[node]
            elif len(chosen):
                _extend(model, scoring, node, chosen, (reach, stay, length))
    return reach, stay, length


def _extend(model: Any, scoring: Scoring, node: int, chosen: Ints, found: tuple[Floats, Floats, Ints]) -> None:
    """Carry the chances at a node on to its children."""
    reach, stay, length = found
    logs = log_chances(scoring.at_node(node, chosen), model.slope_, bool(model.single_))
    if not model.single_:
        logs[:, _certain(model, node)] = 0.0
    links = slice(model.child_starts_[node], model.child_starts_[node + 1])
    for k, child in enumerate(model.child_ids_[links]):
        through = np.maximum(reach[node, chosen] + logs[:, k], FLOOR)
        better = through > reach[child, chosen]
        length[child, chosen[better]] = length[node, chosen[better]] + 1
        reach[child, chosen] = np.where(better, through, reach[child, chosen])
    if model.stays_[node] != NONE:
        stay[node, chosen] = np.maximum(reach[node, chosen] + logs[:, -1], FLOOR)


def _certain(model: Any, node: int) -> Bools:
    """The choices that every document of a node has made."""
    problems = node_choices(model, node)
    known = np.where(problems == NONE, 0, problems)
    found: Bools = (problems == NONE) | (~model.learned_[known] & (model.problem_bias_[known] > 0))
    return found


def _levels(model: Any) -> list[Ints]:
    """The nodes by their longest path from the root, so that every parent is in an earlier level."""
    depth = np.zeros(len(model.nodes_), np.int64)
    for node in range(len(model.nodes_)):
        children = model.child_ids_[model.child_starts_[node] : model.child_starts_[node + 1]]
        depth[children] = np.maximum(depth[children], depth[node] + 1)
    return [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]


def _beam(reach: Floats, beam: int | None) -> Bools:
    """Which nodes of a level go on: the best of each document (the earlier of equals) and the likelier than not."""
    alive: Bools = reach > FLOOR
    if beam is None or beam >= len(reach):
        return alive
    best = np.zeros(reach.shape, bool)
    order = np.argsort(-reach, axis=0, kind="stable")[:beam]
    np.put_along_axis(best, order, True, axis=0)
    return alive & (best | (reach > np.log(0.5)))
