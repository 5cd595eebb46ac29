"""Kernels of SVMs, the solver of kernel SVMs for all categories, and the radius that ξα-estimates need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm_linear import Solution, collect_lanes, native_rows
from rubricate.engines import run_on_threads
from rubricate.native.kernel_svm import (
    KINDS,
    KernelForm,
    KernelMatrix,
    best_bias,
    cached_matrix,
    solve_kernel_svm,
    whole_matrix,
)
from rubricate.native.linear_svm import SolvedLane
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Kernel", "radius2", "solve_kernel", "squared_lengths"]

BLOCK = 1 << 16
"""Rows whose squares are summed together."""
PROBES = 64
"""Documents whose exact radius is computed before an upper bound stands for the rest.

Each costs a row of the kernel matrix; Reuters needs one."""


def squared_lengths(X: Any) -> Floats:
    """Return |x_i|² of each row."""
    if not sparse.issparse(X):
        return np.asarray((X * X).sum(axis=1), np.float64)
    squares = np.zeros(X.shape[0])
    for first in range(0, X.shape[0], BLOCK):
        starts = X.indptr[first : first + BLOCK + 1]
        some, values = np.diff(starts) > 0, X.data[starts[0] : starts[-1]]
        if len(values):
            squares[first : first + BLOCK][some] = np.add.reduceat(values**2, starts[:-1][some] - starts[0])
    return squares


@dataclass(frozen=True)
class Kernel:
    """K(x, z): linear x·z; poly (γ x·z + c)^degree; rbf exp(−γ |x − z|²)."""

    name: str
    gamma: float
    degree: int
    coef0: float

    def of(self, products: Floats, a: Floats, b: Floats) -> Floats:
        """Return the kernel from x·z, |x|² and |z|²."""
        if self.name == "poly":
            return (self.gamma * products + self.coef0) ** self.degree
        if self.name == "rbf":
            return np.exp(-self.gamma * np.maximum(a + b - 2 * products, 0))
        return products

    def matrix(self, X: Any, Z: Any) -> Floats:
        """Return K(x, z) of each row of X and of Z, dense."""
        products = X @ Z.T
        dense = products.toarray() if sparse.issparse(products) else np.asarray(products)
        return self.of(dense, squared_lengths(X)[:, None], squared_lengths(Z)[None, :])

    def diagonal(self, squares: Floats) -> Floats:
        """Return K(x, x) from |x|²."""
        return self.of(squares, squares, squares)


def _least(kernel: Kernel, squares: Floats, nonnegative: bool) -> Floats:
    """Return a lower bound of K(x_i, z) over all rows z: x·z >= −|x||z|, or >= 0 where no value is negative."""
    most = squares.max(initial=0.0)
    reach = np.sqrt(squares * most)
    if kernel.name == "rbf":
        return np.exp(-kernel.gamma * (squares + most + (0 if nonnegative else 2 * reach)))
    lowest = np.zeros_like(squares) if nonnegative else -reach
    ends = np.minimum(kernel.of(lowest, squares, squares), kernel.of(reach, squares, squares))
    spans_root = kernel.name == "poly" and kernel.degree % 2 == 0
    return np.minimum(ends, 0.0) if spans_root else ends


def radius2(X: Any, kernel: Kernel, squares: Floats | None = None) -> float:
    """Return R², an upper bound of K(x, x) − K(x, z) over all pairs of rows (joachims2000, section 4.1).

    Exact where the largest bounds are attained, as for text, where some document shares no term with the longest one;
    at most `PROBES` rows of the kernel matrix are computed, and the bound of `_least` stands for the others.
    `squares` are the squared lengths of the rows, where they are known.
    """
    squares = squared_lengths(X) if squares is None else squares
    own = kernel.diagonal(squares)
    values = X.data if sparse.issparse(X) else X
    bounds = own - _least(kernel, squares, bool(np.min(values, initial=0.0) >= 0))
    if len(bounds) > PROBES and -np.partition(-bounds, PROBES)[PROBES] >= bounds.max() * (1 - 1e-12):
        return float(bounds.max())  # as for vectors of length 1: the rest would decide whatever the probes say
    order, largest = np.argsort(-bounds, kind="stable"), 0.0
    for i in order[:PROBES]:
        if largest >= bounds[i]:
            return largest
        largest = max(largest, float(own[i] - kernel.matrix(X[[i]], X).min()))
    rest = bounds[order[PROBES:]].max(initial=0.0)
    return max(largest, float(rest))


def solve_kernel(
    X: Sparse,
    labels: Sparse,
    categories: Ints,
    *,
    kernel: Kernel,
    weights: Floats,
    costs: Floats,
    penalty: float,
    tol: float,
    max_sweeps: int,
    threads: int,
    cache_size: float,
    products: Floats | None = None,
) -> Solution:
    """Solve these categories to a relative duality gap of `tol`; `penalty` as in `solve_linear`, 0, 1 or ∞.

    `products` is the kernel matrix of all documents if it is at hand; else rows of it are computed when needed.
    """
    n, has_free_bias = labels.shape[0], penalty == 0
    shift = 1 / penalty if penalty > 0 else 0.0
    form = KernelForm(KINDS[kernel.name], kernel.degree, kernel.gamma, kernel.coef0, shift)
    rows, members = native_rows(X), sparse.csc_array(labels)

    def solve(part: Ints) -> list[SolvedLane]:
        if products is None:
            matrix = cached_matrix(rows, X.shape[1], form, megabytes=cache_size / threads)
        else:
            matrix = whole_matrix(products + shift if shift else products)
        return [solve_one(matrix, category) for category in part.tolist()]

    def solve_one(matrix: KernelMatrix, category: int) -> SolvedLane:
        y, cap = np.full(n, -1.0), weights * costs[0, category]
        inside = members.indices[members.indptr[category] : members.indptr[category + 1]]
        y[inside], cap[inside] = 1.0, weights[inside] * costs[1, category]
        solved = solve_kernel_svm(matrix, y, cap, has_free_bias=has_free_bias, tol=tol, max_steps=max_sweeps * n)
        beta, f = solved.beta, solved.f
        bias = best_bias(f, y, cap) if has_free_bias else float(beta.sum()) * shift
        slack, half = np.maximum(0, 1 - y * (f + bias * has_free_bias)), 0.5 * float(beta @ f)
        primal, dual = half + float(cap @ slack), float(np.abs(beta).sum()) - half
        near, off = (np.flatnonzero(each).astype(np.int32) for each in (beta, slack))
        return SolvedLane(near, beta[near], off, slack[off], bias, primal, dual, -(-solved.steps // n))

    parts = [categories[k::threads] for k in range(threads)]
    lanes = run_on_threads(solve, parts, threads)
    found = {
        c: lane for part, own in zip(parts, lanes, strict=True) for c, lane in zip(part.tolist(), own, strict=True)
    }
    return collect_lanes(found, labels.shape)
