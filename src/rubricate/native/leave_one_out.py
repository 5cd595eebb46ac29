"""One SVM without each of some documents in turn: native/leave_one_out.c."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core

__all__ = ["MarginSet", "Removals", "Retrained", "leave_out"]


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
    start: np.ndarray
    gradient: np.ndarray
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
    """For each document left out: score, duality gap, bias, |w' − w|², documents with 0 < α < C, steps, changes of β.

    `free` is −1 where the margin set could not take over the document's β; nothing else is then known.
    """

    score: np.ndarray
    gap: np.ndarray
    bias: np.ndarray
    norm2: np.ndarray
    free: np.ndarray
    steps: np.ndarray
    change: np.ndarray


def leave_out(margin_set: MarginSet, removals: Removals) -> Retrained:
    """Solve the category without each of the documents, from the full solution."""
    size, count = margin_set.size, removals.count
    check_lengths(size, cap=margin_set.cap, beta=margin_set.beta, gradient=margin_set.gradient)
    own = {name: getattr(removals, name) for name in ("beta", "score", "square", "reach2", "bar")}
    check_lengths(count, **own)
    if margin_set.kernel.shape != (size, size) or removals.rows.shape != (count, size):
        raise ValueError(f"kernel and rows must be {size} × {size} and {count} × {size}")
    if np.any((removals.place < -1) | (removals.place >= size)):
        raise ValueError(f"places must be from -1 to {size - 1}")
    numbers = (np.zeros(count) for _ in range(4))
    retrained = Retrained(*numbers, np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, size)))
    core.run_stoppable("rb_leave_out", margin_set, removals, retrained)
    return retrained
