"""Kernels of SVMs, the solver of kernel SVMs for all categories, and the radius that ξα-estimates need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.solution import Solution, empty_cache, full_cache, kernel_rows, worker_map
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_smo import Goal, KernelForm, KernelMatrix, expand, solve_smo
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Kernel", "radius2", "solve_kernel", "squared_lengths"]

BLOCK = 1 << 16
"""Rows whose squares are summed together."""
KINDS = {"linear": 0, "poly": 1, "rbf": 2}
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

    `products` is the kernel matrix of all documents where it is at hand; else rows of it are computed when needed.
    """
    n, m = labels.shape
    form = KernelForm(KINDS[kernel.name], kernel.gamma, float(kernel.degree), kernel.coef0, float(penalty == 1))
    rows, squares, goal = kernel_rows(X), squared_lengths(X), Goal(penalty == 0, float(tol), max_sweeps * n)
    members = sparse.csc_array(labels)
    whole = None if products is None else products + form.shift if form.shift else products

    def side(c: int) -> tuple[Floats, Floats]:
        """Return y and C of the documents."""
        y, cap = np.full(n, -1.0), weights * costs[0, c]
        inside = members.indices[members.indptr[c] : members.indptr[c + 1]]
        y[inside], cap[inside] = 1.0, weights[inside] * costs[1, c]
        return y, cap

    def solve(part: Ints) -> list[tuple[Any, ...]]:
        cache, solved = empty_cache(n, cache_size / threads) if whole is None else full_cache(whole), []
        matrix = KernelMatrix(rows, squares, form, cache, np.zeros(X.shape[1]))
        for c in part:
            y, cap = side(c)
            dual = expand(matrix, y, cap, np.zeros(n))
            _, steps = solve_smo(matrix, dual, goal)
            beta, f = dual.beta, dual.f
            bias = best_bias(f, y, cap) if penalty == 0 else 0.0
            slack, half = np.maximum(0, 1 - y * (f + bias)), 0.5 * float(beta @ f)
            bias = float(beta.sum()) if penalty == 1 else bias
            values = (bias, half + float(cap @ slack), float(np.abs(beta).sum()) - half, -(-steps // n))
            solved.append((c, sparse.csc_array(beta[:, None]), sparse.csc_array(slack[:, None]), values))
        return solved

    with worker_map(threads) as run:
        parts = run(solve, [categories[k::threads] for k in range(threads)])
    return _collect([category for part in parts for category in part], n, m)


def _collect(solved: list[tuple[Any, ...]], n: int, m: int) -> Solution:
    """Join the solutions of the categories; a category that was not solved has β = 0 and no slack."""
    none = sparse.csc_array((n, 1))
    beta, slack, values = [none] * m, [none] * m, np.zeros((4, m))
    for c, own_beta, own_slack, own_values in solved:
        beta[c], slack[c], values[:, c] = own_beta, own_slack, own_values
    bias, primal, dual, sweeps = values
    joined = [sparse.csc_array(sparse.hstack(parts, format="csc")) for parts in (beta, slack)]
    return Solution(joined[0], joined[1], bias, primal, dual, sweeps.astype(np.int64))
