"""One SVM without each of some documents in turn: native/leave_one_out.c."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core

__all__ = ["MarginSet", "Removals", "measure", "retrain"]


class MarginSet(NamedTuple):
    """The documents of one category that may change their β = yα: the kernel values of all pairs, y and C.

    `outside` is the sum of β over all other documents, which keep α = 0 or α = C.
    """

    kernel: np.ndarray
    y: np.ndarray
    cap: np.ndarray
    outside: float
    free_bias: bool

    @property
    def size(self) -> int:
        """Return the number of documents."""
        return len(self.y)


class Removals(NamedTuple):
    """Documents left out one at a time: place in the margin set or −1, and β before; then what changes.

    `beta` and `gradient`, y − f with f without the bias, have a row for each document left out and a column for each
    document of the margin set. `steps` is −1 if the margin set could not take over the β of a document.
    """

    place: np.ndarray
    own_beta: np.ndarray
    beta: np.ndarray
    gradient: np.ndarray
    bias: np.ndarray
    gap: np.ndarray
    steps: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of documents."""
        return len(self.place)

    @classmethod
    def start(cls, place: np.ndarray, own_beta: np.ndarray, beta: np.ndarray, gradient: np.ndarray) -> Removals:
        """Return removals that start from these β and gradients, which change."""
        bias, gap = np.zeros((2, len(place)))
        return cls(place, own_beta, beta, gradient, bias, gap, np.zeros(len(place), np.int64))


def retrain(margin_set: MarginSet, removals: Removals, limit: int) -> None:
    """Make at most `limit` steps towards the optimum of each removal; the bias becomes the middle of those possible."""
    _check(margin_set, removals)
    core.run_stoppable("rb_retrain", margin_set, removals, limit)


def measure(margin_set: MarginSet, removals: Removals) -> None:
    """Set each bias to the best one for the gradients, found from the one that is there, and the gap.

    The gap is P − D with P of w', whose gradients these are, and D of w, given by β: but for ½ |w' − w|².
    """
    _check(margin_set, removals)
    core.rb_measure(margin_set, removals)


def _check(margin_set: MarginSet, removals: Removals) -> None:
    size, count = margin_set.size, removals.length
    check_lengths(size, cap=margin_set.cap)
    check_lengths(count, **{name: getattr(removals, name) for name in ("own_beta", "bias", "gap", "steps")})
    if margin_set.kernel.shape != (size, size):
        raise ValueError(f"the kernel matrix must be {size} × {size}, not {margin_set.kernel.shape}")
    for rows in (removals.beta, removals.gradient):
        if rows.shape != (count, size):
            raise ValueError(f"beta and gradient must be {count} × {size}, not {rows.shape}")
    if np.any((removals.place < -1) | (removals.place >= size)):
        raise ValueError(f"places must be from -1 to {size - 1}")
