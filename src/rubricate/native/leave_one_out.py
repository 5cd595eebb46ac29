"""One SVM without each of some documents in turn: native/leave_one_out.c."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core

__all__ = ["MarginSet", "Removals", "Retrained", "best_biases", "leave_out"]


class MarginSet(NamedTuple):
    """The documents of one category that may change their β = yα, and the full solution.

    `kernel` holds the kernel values of all pairs, `gradient` is y − f, f without the bias. `outside` is Σ y C over all
    other documents with α = C.
    """

    kernel: np.ndarray
    y: np.ndarray
    cap: np.ndarray
    beta: np.ndarray
    gradient: np.ndarray
    outside: float
    free_bias: bool

    @property
    def size(self) -> int:
        """Return the number of documents."""
        return len(self.y)


class Removals(NamedTuple):
    """Documents to leave out one at a time, and when a score is certain.

    Of each document: place in the margin set or −1, β, kernel values with the margin set, f without the bias, K(x, x),
    and `reach2`, an upper bound of |f(x) − f*(x)|² for a duality gap of 1. A score is certain if it is known to
    `finest`; or if it is known to `accuracy` and to be above or below its `bar`; with `one_sided`, if it is known to be
    below its bar. A removal ends after `limit` steps in any case.
    """

    place: np.ndarray
    beta: np.ndarray
    rows: np.ndarray
    score: np.ndarray
    square: np.ndarray
    reach2: np.ndarray
    bar: np.ndarray
    accuracy: float
    finest: float
    one_sided: bool
    limit: int

    @property
    def count(self) -> int:
        """Return the number of documents."""
        return len(self.place)


class Retrained(NamedTuple):
    """For each document left out: score, duality gap, bias, documents with 0 < α < C, steps; β and gradient of the set.

    β and gradient (documents left out × margin set) are on entry those to start from. `free` is −1 where the margin
    set could not take over the document's β; nothing else is then known.
    """

    score: np.ndarray
    gap: np.ndarray
    bias: np.ndarray
    free: np.ndarray
    steps: np.ndarray
    beta: np.ndarray
    gradient: np.ndarray

    @classmethod
    def starting_from(cls, beta: np.ndarray, gradient: np.ndarray) -> Retrained:
        """Return room for results, with β and gradient to start from, which change."""
        numbers = (np.zeros(len(beta)) for _ in range(3))
        return cls(*numbers, np.zeros(len(beta), np.int64), np.zeros(len(beta), np.int64), beta, gradient)


def leave_out(margin_set: MarginSet, removals: Removals, retrained: Retrained) -> None:
    """Solve the category without each of the documents."""
    _check(margin_set, removals, retrained)
    core.run_stoppable("rb_leave_out", margin_set, removals, retrained)


def best_biases(margin_set: MarginSet, removals: Removals, retrained: Retrained) -> None:
    """Set each bias to the best one for the gradients, found from the one that is there, and the gap to P − D with it.

    D is that of β, without ½ |w' − w|² if the gradients are those of another w'.
    """
    _check(margin_set, removals, retrained)
    core.rb_best_biases(margin_set, removals, retrained)


def _check(margin_set: MarginSet, removals: Removals, retrained: Retrained) -> None:
    size, count = margin_set.size, removals.count
    check_lengths(size, cap=margin_set.cap, beta=margin_set.beta, gradient=margin_set.gradient)
    own = {name: getattr(removals, name) for name in ("beta", "score", "square", "reach2", "bar")}
    check_lengths(count, **own, **{name: getattr(retrained, name) for name in ("gap", "bias", "free", "steps")})
    if margin_set.kernel.shape != (size, size):
        raise ValueError(f"the kernel matrix must be {size} × {size}, not {margin_set.kernel.shape}")
    for rows in (removals.rows, retrained.beta, retrained.gradient):
        if rows.shape != (count, size):
            raise ValueError(f"rows, beta and gradient must be {count} × {size}, not {rows.shape}")
    if np.any((removals.place < -1) | (removals.place >= size)):
        raise ValueError(f"places must be from -1 to {size - 1}")
