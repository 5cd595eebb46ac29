"""Chances along the paths of a hierarchy: from the scores of its classifiers, with a slope learned on held-out ones.

The chance of a choice at a node is σ(a · margin), or, where exactly one is right, the softmax of a · score over
the choices. One slope a serves all nodes: most have too few documents for one of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize

from rubricate.classifiers._hier_descent import Scoring
from rubricate.classifiers._hier_groups import NONE, Group
from rubricate.types import Bools, Floats, Ints

__all__ = ["FLOOR", "learn_slope", "path_chances"]

FLOOR = -30.0
"""The least log of a chance, that of a category which no beam reached."""
SLOPES = (-3.0, 4.0)
"""Between e^−3 and e^4 the slope is looked for."""


def _log_chances(margins: Floats, slope: float, single: bool) -> Floats:
    if not single:
        return -np.logaddexp(0.0, -slope * margins)
    scaled = slope * margins
    top = scaled.max(axis=1, keepdims=True, initial=-np.inf)
    found: Floats = scaled - top - np.log(np.exp(scaled - top).sum(axis=1, keepdims=True))
    return found


def _loss(slope: float, scores: Sequence[Floats], labels: Sequence[Bools], single: bool) -> float:
    total = 0.0
    for own, truth in zip(scores, labels, strict=True):
        if single:
            rows = truth.sum(axis=1) == 1
            total -= float(_log_chances(own[rows], slope, True)[truth[rows]].sum())
        else:
            total -= float(_log_chances(np.where(truth, own, -own), slope, False).sum())
    return total


def learn_slope(groups: Sequence[Group], scores: Sequence[Floats], learned: Bools, *, single: bool) -> float:
    """The slope with the least log-loss on held-out scores of problems with documents on both sides; else 1."""
    parts, at = [], 0
    for group, own in zip(groups, scores, strict=True):
        mixed = learned[at : at + own.shape[1]]
        at += own.shape[1]
        if mixed.any() and (not single or mixed.sum() > 1):
            parts.append((own[:, mixed], group.labels[:, mixed]))
    if not parts:
        return 1.0
    values, truths = [own for own, _ in parts], [truth for _, truth in parts]
    found = optimize.minimize_scalar(
        lambda log: _loss(float(np.exp(log)), values, truths, single), bounds=SLOPES, method="bounded"
    )
    return float(np.exp(found.x))


def path_chances(model: Any, X: Any) -> tuple[Floats, Floats, Ints]:
    """(log of the chance to reach, log of the chance to stay, links on the best path), nodes × documents.

    Only what the beam lets through is visited: at each level the `beam` best nodes of a document, and every node that
    is likelier than not; the rest has the floor.
    """
    scoring, documents, nodes = Scoring(model, X), X.shape[0], len(model.nodes_)
    reach, stay = np.full((nodes, documents), FLOOR), np.full((nodes, documents), FLOOR)
    length = np.zeros((nodes, documents), np.int64)
    reach[0] = 0.0
    for level in _levels(model):
        allowed = _beam(reach[level], model.beam)
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
    scores = scoring.margins(node, chosen)
    logs = _log_chances(scores, model.slope_, bool(model.single_))
    links = slice(model.child_starts_[node], model.child_starts_[node + 1])
    for k, child in enumerate(model.child_ids_[links]):
        through = np.maximum(reach[node, chosen] + logs[:, k], FLOOR)
        better = through > reach[child, chosen]
        length[child, chosen[better]] = length[node, chosen[better]] + 1
        reach[child, chosen] = np.where(better, through, reach[child, chosen])
    if model.stays_[node] != NONE:
        stay[node, chosen] = np.maximum(reach[node, chosen] + logs[:, -1], FLOOR)


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
