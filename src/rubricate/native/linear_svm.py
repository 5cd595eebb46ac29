"""Linear SVMs of up to eight categories at once, and weights of gathered documents (native/linear_svm.c)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricate.native.library import Buffer, check_lengths, core, stop_flag
from rubricate.native.sparse import Rows

__all__ = [
    "FOLD_TERM",
    "LANES",
    "SKIP_TERM",
    "Gathered",
    "GroupWeights",
    "SolvedLane",
    "check_rows",
    "gather_rows",
    "label_bits",
    "score_rows",
    "shuffled_documents",
    "solve_block",
    "sum_weights",
]

LANES = 8
"""Categories of a block, as in native/linear_svm.c."""
MAX_ROUNDS = 40
SKIP_TERM, FOLD_TERM = -2, -3
QUICK = 1 << 18
"""Stored values × categories below which a block takes so little time that nobody waits for Ctrl-C."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CELL = np.dtype([("row", np.int64), ("value", np.float64)])


class Gathered(NamedTuple):
    """Documents with terms renumbered 0, 1, …, and the old number of each new term."""

    rows: Rows
    own: NDArray[np.int32]


class GroupWeights(NamedTuple):
    """Linear machines: the terms that they have weights for, weights (terms × machines) and biases."""

    own: NDArray[np.int32]
    weights: Floats
    bias: Floats

    @property
    def length(self) -> int:
        """Return the number of terms."""
        return len(self.own)

    @property
    def columns(self) -> int:
        """Return the number of machines."""
        return len(self.bias)


class SolvedLane(NamedTuple):
    """One category: rows and values of β ≠ 0; rows near the margin or inside with 1 − yf (the slack if above 0); bias,
    primal and dual value, sweeps."""

    beta_rows: NDArray[np.int32]
    beta: Floats
    near_rows: NDArray[np.int32]
    slack: Floats
    bias: float
    primal: float
    dual: float
    sweeps: int


class _Block(NamedTuple):
    lanes: int
    terms: int
    max_sweeps: int
    max_rounds: int
    labels: NDArray[np.uint8]
    weights: Floats
    costs: Floats
    start_beta: Floats | None
    start_bias: Floats | None
    seeds: NDArray[np.uint64]
    penalty: float
    tol: float


class _LaneValues(NamedTuple):
    bias: Floats
    primal: Floats
    dual: Floats
    sweeps: Ints
    beta_ends: Ints
    slack_ends: Ints


def shuffled_documents(count: int, seed: int) -> Ints:
    """Return the numbers 0 … count − 1 in a random order."""
    order = np.arange(count)
    core.rb_shuffle_documents(count, order, seed & (2**64 - 1))
    return order


def gather_rows(
    rows: Rows, chosen: Ints, place: NDArray[np.int32], *, allocate: Callable[[int, Any], Any] = np.empty
) -> Gathered:
    """Copy chosen rows and renumber their terms in the order in which they are met.

    `place` is scratch space, left as it was: −1 for each term, SKIP_TERM for one to leave out, FOLD_TERM for one that
    no other document has: such terms become one of the same length, whose old number is −1. `allocate` makes the arrays
    of terms and values.
    """
    _check_chosen(rows, chosen)
    size = int((rows.starts[chosen + 1] - rows.starts[chosen]).sum())
    starts, terms, values = np.empty(len(chosen) + 1, np.int64), allocate(size, np.int32), allocate(size, np.float64)
    own = np.empty(min(size, len(place)), np.int32)
    used = core.rb_gather_rows(rows, len(chosen), chosen, place, starts, terms, values, own)
    return Gathered(Rows(starts, terms[: starts[-1]], values[: starts[-1]]), own[:used].copy())


def check_rows(rows: Rows, terms: int) -> Rows:
    """Return the rows if every term is one of so many, else raise ValueError; other functions rely on it."""
    check_lengths(int(rows.starts[-1]), terms=rows.terms, values=rows.values)
    if len(rows.terms) and not 0 <= int(rows.terms.min()) <= int(rows.terms.max()) < terms:
        raise ValueError(f"a term is outside 0 … {terms - 1}")
    if (np.diff(rows.starts) < 0).any():
        raise ValueError("rows end before they start")
    return rows


def _check_chosen(rows: Rows, chosen: Ints) -> None:
    if len(chosen) and not 0 <= int(chosen.min()) <= int(chosen.max()) < rows.length:
        raise ValueError(f"a row is outside 0 … {rows.length - 1}")


def label_bits(members: Sequence[NDArray[np.integer[Any]]], count: int) -> NDArray[np.uint8]:
    """Return a bit for each of up to eight categories, given the documents of each."""
    bits = np.zeros(count, np.uint8)
    for lane, documents in enumerate(members):
        bits[documents] |= np.uint8(1 << lane)
    return bits


def solve_block(
    documents: Gathered,
    labels: NDArray[np.uint8],
    *,
    weights: Floats,
    costs: Floats,
    penalty: float,
    tol: float,
    max_sweeps: int,
    seeds: NDArray[np.uint64],
    start: tuple[Floats, Floats] | None = None,
    max_rounds: int = MAX_ROUNDS,
    coef: Floats | None = None,
) -> list[SolvedLane]:
    """Solve up to eight categories to a relative duality gap of `tol`, or until sweeps run out.

    `labels` has a bit for each category, `weights` multiply the costs of documents, `costs` is 2 × categories (of
    negatives, of positives), `penalty` the λ of ½ λ b² (0: free bias, ∞: none). Each category needs documents of a
    positive cost on both sides. `start` is β (documents × categories) and biases to start from; with `max_rounds` 0
    they are only checked. `coef` (terms × categories) is set to the weights.
    """
    (rows, own), lanes = documents, len(seeds)
    n, terms = rows.length, len(own)
    if not 0 < lanes <= LANES or costs.shape != (2, lanes):
        raise ValueError(f"{costs.shape} costs do not fit {lanes} categories of a block of at most {LANES}")
    check_lengths(n, labels=labels, weights=weights)
    if coef is not None and coef.shape != (terms, lanes):
        raise ValueError(f"{coef.shape} weights do not fit {terms} terms and {lanes} categories")
    if start is not None and (start[0].shape != (n, lanes) or start[1].shape != (lanes,)):
        raise ValueError("the start does not fit documents and categories")
    padded = np.zeros((2, LANES))
    padded[:, :lanes] = costs
    beta_0, bias_0 = (None, None) if start is None else start
    given = _Block(lanes, terms, max_sweeps, max_rounds, labels, weights, padded, beta_0, bias_0, seeds, penalty, tol)
    values = _LaneValues(*np.empty((3, lanes)), *np.empty((3, lanes), np.int64))
    beta, slack = Buffer(), Buffer()
    arguments = (rows, given, values, coef, beta, slack)
    if len(rows.values) * lanes < QUICK:
        core.rb_solve_linear_block(*arguments, stop_flag)
    else:
        core.run_stoppable("rb_solve_linear_block", *arguments)
    cells = _split(beta, values.beta_ends), _split(slack, values.slack_ends)
    numbers = (values.bias, values.primal, values.dual, values.sweeps)
    return [SolvedLane(*a, *b, *own) for a, b, *own in zip(*cells, *(each.tolist() for each in numbers), strict=True)]


def _split(buffer: Buffer, ends: Ints) -> list[tuple[NDArray[np.int32], Floats]]:
    """Return rows and values of each lane."""
    cells = buffer.take(CELL)
    rows, values = cells["row"].astype(np.int32), np.ascontiguousarray(cells["value"])
    return [(rows[first:last], values[first:last]) for first, last in pairwise([0, *ends.tolist()])]


def sum_weights(rows: Rows, beta: Rows, shape: tuple[int, int]) -> Floats:
    """Return Σ_i β_ic x_it, an array of terms × categories; `beta` is documents × categories."""
    check_lengths(rows.length + 1, starts=beta.starts)
    check_rows(beta, shape[1])
    W = np.zeros(shape)
    core.rb_sum_weights(rows, beta, shape[1], W)
    return W


def score_rows(rows: Rows, chosen: Ints, machines: GroupWeights, place: NDArray[np.int32]) -> Floats:
    """Return the scores of chosen rows, rows × machines; terms without weights count 0.

    `place` is scratch space with −1 for each term, and is left as it was.
    """
    _check_chosen(rows, chosen)
    scores = np.empty((len(chosen), machines.columns))
    core.rb_score_rows(rows, len(chosen), chosen, machines, place, scores)
    return scores
