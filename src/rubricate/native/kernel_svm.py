"""Kernel SVMs by sequential minimal optimisation, and the best bias for given scores (native/kernel_svm.c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricate.native.library import check_lengths, core
from rubricate.native.sparse import Rows

__all__ = [
    "KernelForm",
    "KernelMatrix",
    "KernelSolution",
    "best_bias",
    "cached_matrix",
    "solve_kernel_svm",
    "whole_matrix",
]

KINDS = {"linear": 0, "poly": 1, "rbf": 2}
Floats = NDArray[np.float64]


class KernelForm(NamedTuple):
    """K(x, z): kind 0 is x·z, 1 (γ x·z + coef0)^degree, 2 exp(−γ |x − z|²).

    `shift` is added to every value: 1 / λ for a penalised bias.
    """

    kind: int = 0
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0
    shift: float = 0.0


@dataclass(frozen=True, eq=False)
class KernelMatrix:
    """A kernel matrix, or as many of its rows as fit into a cache. One thread at a time may use a cached one."""

    length: int
    capacity: int
    rows: Rows
    squares: Floats
    diagonal: Floats
    kernel: KernelForm
    values: Floats
    slots: NDArray[np.int64]
    owners: NDArray[np.int64]
    last_used: NDArray[np.int64]
    dense: Floats

    def product(self, beta: Floats) -> Floats:
        """Return K β."""
        check_lengths(self.length, beta=beta)
        f = np.empty(self.length)
        core.rb_expand_kernel(self, beta, f)
        return f


class KernelSolution(NamedTuple):
    """One SVM: β = yα, f = Kβ, the ends of the interval of optimal biases (0 without a free bias), and steps taken."""

    beta: Floats
    f: Floats
    low_bias: float
    high_bias: float
    steps: int


class _Dual(NamedTuple):
    y: Floats
    cap: Floats
    beta: Floats
    f: Floats


class _Options(NamedTuple):
    has_free_bias: bool
    by_gap: bool
    max_steps: int
    tol: float


def whole_matrix(values: Floats) -> KernelMatrix:
    """Return a symmetric kernel matrix in the form that the solver takes; several threads may use it."""
    n = len(values)
    if values.shape != (n, n):
        raise ValueError(f"a kernel matrix must be square, got {values.shape}")
    places, none = np.arange(n), np.zeros(0)
    rows = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32), none)
    diagonal = np.ascontiguousarray(np.diagonal(values))
    clock = np.zeros(n + 1, np.int64)
    return KernelMatrix(n, n, rows, none, diagonal, KernelForm(), values, places, places, clock, none)


def cached_matrix(rows: Rows, terms: int, form: KernelForm, *, megabytes: float) -> KernelMatrix:
    """Return the kernel matrix of documents; rows are computed when needed and kept while they fit (two at least)."""
    n = rows.length
    if len(rows.terms) and not 0 <= int(rows.terms.min()) <= int(rows.terms.max()) < terms:
        raise ValueError(f"a term is outside 0 … {terms - 1}")
    check_lengths(int(rows.starts[-1]), terms=rows.terms, values=rows.values)
    capacity = int(min(max(n, 2), max(2, megabytes * 2**20 / (8 * max(n, 1)))))
    filled = np.diff(rows.starts) > 0
    squares = np.zeros(n)
    squares[filled] = np.add.reduceat(rows.values**2, rows.starts[:-1][filled]) if filled.any() else 0.0
    return KernelMatrix(
        length=n,
        capacity=capacity,
        rows=rows,
        squares=squares,
        diagonal=_diagonal(form, squares),
        kernel=form,
        values=np.empty((capacity, n)),
        slots=np.full(n, -1, np.int64),
        owners=np.full(capacity, -1, np.int64),
        last_used=np.zeros(capacity + 1, np.int64),
        dense=np.zeros(terms),
    )


def _diagonal(form: KernelForm, squares: Floats) -> Floats:
    if form.kind == KINDS["poly"]:
        return np.asarray((form.gamma * squares + form.coef0) ** form.degree + form.shift)
    return np.ones(len(squares)) + form.shift if form.kind == KINDS["rbf"] else squares + form.shift


def solve_kernel_svm(
    matrix: KernelMatrix,
    y: Floats,
    cap: Floats,
    *,
    beta: Floats | None = None,
    f: Floats | None = None,
    has_free_bias: bool,
    tol: float,
    by_gap: bool = True,
    max_steps: int = 10**9,
) -> KernelSolution:
    """Solve one SVM: y is ±1 and `cap` the bound C_i of each document; a bound of 0 excludes it.

    `beta` is where to start (made feasible first), and `f` is K β if it is known; both are left as they are. With
    `by_gap` the tolerance is that of the relative duality gap, else the most by which any condition of the optimum
    (y f >= 1 where α may grow, <= 1 where it may shrink) may be off.
    """
    beta = np.zeros(matrix.length) if beta is None else beta.copy()
    check_lengths(matrix.length, y=y, cap=cap, beta=beta)
    f = matrix.product(beta) if f is None else f.copy()
    check_lengths(matrix.length, f=f)
    result = np.empty(3)
    options = _Options(has_free_bias, by_gap, int(max_steps), float(tol))
    core.run_stoppable("rb_solve_kernel_svm", matrix, _Dual(y, cap, beta, f), options, result)
    low, high, steps = result.tolist()
    return KernelSolution(beta, f, low, high, int(steps))


def best_bias(scores: Floats, y: Floats, cap: Floats) -> float:
    """Return the b that minimises Σ C_i max(0, 1 − y_i (score_i + b)); the middle if an interval does."""
    check_lengths(len(scores), y=y, cap=cap)
    bias: Any = np.empty(1)
    core.rb_best_bias(len(scores), scores, y, cap, bias)
    return float(bias[0])
