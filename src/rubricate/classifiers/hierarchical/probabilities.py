"""Chances along the paths of a hierarchy: from the scores of its classifiers, with a slope learned on held-out ones.

The chance of a choice at a node is σ(a · score), scores less the natural cut, or, where exactly one choice is right,
the softmax of a · score over the choices. One slope a serves all nodes: most have too few documents for one of their
own. A choice that all documents of a node have made is certain, so that a chain of single children costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from rubricate.classifiers.hierarchical.descent import Descent, Scoring
from rubricate.classifiers.hierarchical.groups import NONE, Group
from rubricate.types import Bools, Floats, Ints

__all__ = ["FLOOR", "Odds", "PathChances", "learn_slope", "log_chances", "path_chances"]

FLOOR = -30.0
"""The least log of a chance, that of a category which no beam reached."""
SLOPES = (-3.0, 4.0)
"""Logs of the slopes that are searched: from e^−3 to e^4."""


@dataclass(frozen=True)
class Odds:
    """How scores become chances: whether exactly one choice is right at a node, and the slope."""

    single: bool
    slope: float


class PathChances(NamedTuple):
    """Log of the chance to reach each node, log of the chance to stay there, links on the best path.

    Each is nodes × documents.
    """

    reach: Floats
    stay: Floats
    length: Ints


def log_chances(scores: Floats, slope: float, single: bool) -> Floats:
    """Return the log of the chance of each column, row by row."""
    if not single:
        return -np.logaddexp(0.0, -slope * scores)
    scaled = slope * scores
    top = scaled.max(axis=1, keepdims=True, initial=-np.inf)
    logs: Floats = scaled - top - np.log(np.exp(scaled - top).sum(axis=1, keepdims=True))
    return logs


def _loss(slope: float, scores: Sequence[Floats], groups: Sequence[Group], *, single: bool) -> float:
    """Return the log-loss of held-out scores."""
    total = 0.0
    for held, group in zip(scores, groups, strict=True):
        truth, weights = group.labels, 1.0 if group.weights is None else group.weights[:, None]
        if single:
            logs = np.where(truth & (truth.sum(axis=1) == 1)[:, None], log_chances(held, slope, True), 0.0)
        else:
            logs = log_chances(np.where(truth, held, -held), slope, False)
        total -= float((weights * logs).sum())
    return total


def learn_slope(groups: Sequence[Group], scores: Sequence[Floats], learned: Bools, *, single: bool) -> float:
    """Return the slope with the least log-loss on held-out scores of problems with documents on both sides; else 1."""
    parts, at = [], 0
    for group, held in zip(groups, scores, strict=True):
        mixed = learned[at : at + held.shape[1]]
        at += held.shape[1]
        if mixed.any() and (not single or mixed.sum() > 1):
            parts.append((held[:, mixed], Group(group.rows, group.labels[:, mixed], group.weights)))
    if not parts:
        return 1.0
    values, kept = [held for held, _ in parts], [group for _, group in parts]
    best = optimize.minimize_scalar(
        lambda log: _loss(float(np.exp(log)), values, kept, single=single), bounds=SLOPES, method="bounded"
    )
    return float(np.exp(best.x))


def path_chances(descent: Descent, X: Any, odds: Odds, *, beam: int | None = None) -> PathChances:
    """Return the chances of documents at every node.

    Only what the beam lets through is visited: at each level the `beam` best nodes of a document, and every node that
    is likelier than not; the rest has the floor. Of several paths the likeliest counts.
    """
    layout, scoring, shape = descent.layout, Scoring(descent, X), (len(descent.layout.nodes), X.shape[0])
    chances = PathChances(np.full(shape, FLOOR), np.full(shape, FLOOR), np.zeros(shape, np.int64))
    entering = log_chances(scoring.problem(descent.guards.root_guard)[:, None], odds.slope, False)[:, 0]
    chances.reach[0] = np.maximum(entering, FLOOR)
    for level in layout.levels():
        allowed = _beam(chances.reach[level], beam)
        for row, node in enumerate(level.tolist()):
            chosen = np.flatnonzero(allowed[row])
            if not len(layout.children(node)):
                chances.stay[node] = chances.reach[node]
            elif len(chosen):
                logs = log_chances(scoring.at_node(node, chosen), odds.slope, odds.single)
                if not odds.single:
                    logs[:, descent.certain(node)] = 0.0
                _extend(descent, node, chosen, logs=logs, chances=chances)
    return chances


def _extend(descent: Descent, node: int, chosen: Ints, *, logs: Floats, chances: PathChances) -> None:
    """Carry the chances at a node on to its children, in place; `logs` are those of its choices."""
    reach, stay, length = chances
    for k, child in enumerate(descent.layout.children(node)):
        through = np.maximum(reach[node, chosen] + logs[:, k], FLOOR)
        better = through > reach[child, chosen]
        length[child, chosen[better]] = length[node, chosen[better]] + 1
        reach[child, chosen] = np.where(better, through, reach[child, chosen])
    if descent.guards.stays[node] != NONE:
        stay[node, chosen] = np.maximum(reach[node, chosen] + logs[:, -1], FLOOR)


def _beam(reach: Floats, beam: int | None) -> Bools:
    """Return which nodes of a level go on: the best of each document (the earlier of equals), the likelier than not."""
    alive: Bools = reach > FLOOR
    if beam is None or beam >= len(reach):
        return alive
    best = np.zeros(reach.shape, bool)
    order = np.argsort(-reach, axis=0, kind="stable")[:beam]
    np.put_along_axis(best, order, True, axis=0)
    return alive & (best | (reach > np.log(0.5)))
