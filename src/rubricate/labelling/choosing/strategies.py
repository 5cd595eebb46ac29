"""Strategies of active learning for several labels per document: how much each unlabelled document should teach.

ties         least gap between the chances of the two best categories, a softmax of the scores (luo2005)
uncertainty  least margin |score| over the categories: the one decision that is least sure (lewisgale1994)
margin       mean over categories of the closeness to the boundary, each on the scale of its own scores, so that rare
             categories with small scores are asked about too
reduction    expected reduction of the hinge loss of SVMs: Σ_c (1 − y_c f_c) / 2 for the label set that is most
             probable by the scores, with as many labels as the scores suggest (yangb2009, MMC)
random       the order of a seed
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rubricate.errors import UnknownName
from rubricate.types import Floats, Ints

__all__ = ["STRATEGIES", "spread_out", "usefulness"]


def _ties(scores: Floats, rng: np.random.Generator) -> Floats:
    if scores.shape[1] < 2:
        return _uncertainty(scores, rng)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    best = np.partition(chances, scores.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray((best[:, 0] - best[:, 1]) / chances.sum(axis=1))


def _uncertainty(scores: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(-np.abs(scores).min(axis=1))


def _margin(scores: Floats, rng: np.random.Generator) -> Floats:
    scale = np.maximum(np.sqrt((scores**2).mean(axis=0)), 1e-12)
    near = np.exp(-np.abs(scores) / scale * 3)
    # The closest three decisions count: a sum over hundreds of categories would prefer documents about nothing.
    best = np.partition(near, max(near.shape[1] - 3, 0), axis=1)[:, -3:]
    return np.asarray(best.mean(axis=1))


def _reduction(scores: Floats, rng: np.random.Generator) -> Floats:
    ordered = -np.sort(-scores, axis=1)
    # As many labels as the largest gap between neighbouring scores leaves above it, at least one.
    gaps = ordered[:, :-1] - ordered[:, 1:] if scores.shape[1] > 1 else np.ones((len(scores), 1))
    count = np.argmax(gaps[:, : max(1, min(10, gaps.shape[1]))], axis=1) + 1
    last = ordered[np.arange(len(scores)), count - 1]
    y = np.where(scores >= last[:, None], 1.0, -1.0)
    return np.asarray(np.maximum(0.0, 1 - y * scores).sum(axis=1) / 2)


def _random(scores: Floats, rng: np.random.Generator) -> Floats:
    return rng.random(len(scores))


STRATEGIES: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "ties": _ties,
    "uncertainty": _uncertainty,
    "margin": _margin,
    "reduction": _reduction,
    "random": _random,
}
"""Usefulness of each document by its scores; higher is better."""


def usefulness(scores: Floats, strategy: str, *, seed: int = 0) -> Floats:
    """Return how much each document should teach, by a strategy; scores are 0 at the boundary of each category."""
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, STRATEGIES)
    return STRATEGIES[strategy](scores, np.random.default_rng(seed))


def spread_out(vectors: object, order: Ints, n: int) -> Ints:
    """Return n of the documents in `order`, each unlike those chosen before it. sener2018 (greedy k-centre).

    The first is the most useful; then always the one whose greatest similarity to a chosen one is least, divided by its
    place in the order, so that useless documents are not taken for being odd. Vectors have unit length.
    """
    from scipy import sparse

    matrix = sparse.csr_array(vectors)[order]
    worth = np.linspace(1.0, 0.5, len(order))
    nearest = np.zeros(len(order))
    chosen: list[int] = []
    for _ in range(min(n, len(order))):
        gain = worth * (1 - np.clip(nearest, 0, 1))
        gain[chosen] = -1.0
        best = int(np.argmax(gain))
        chosen.append(best)
        nearest = np.maximum(nearest, np.asarray((matrix @ matrix[[best]].T).todense()).ravel())
    return order[chosen]
