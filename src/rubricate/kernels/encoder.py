"""The steps of a transformer encoder between its matrix products, each in one pass over the numbers.

Given  float32 arrays with contiguous rows, changed in place; the tokens of a batch are the rows.

    gelu_rows       z := (z + bias) · Φ(z + bias), Φ the normal distribution function (hendrycks2016)
    norm_rows       x := gain · (x + bias + other - mean) / √(variance + eps) + shift, for each row (ba2016)
    softmax_rows    a := exp(a - max) / Σ over the first `length` numbers of each row, and 0 behind them

erf is a rational function of x² times x, fitted by us by reweighted least squares on |x| <= 3.9 (absolute error below
4e-7, that of single precision), so that compilers turn it into vector code; exp is 2^k times a polynomial. NumPy needs
ten passes over the memory for a GELU. Cost: linear in the numbers. A row of length 0 becomes zeros.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["gelu_rows", "norm_rows", "softmax_rows"]

F = np.float32
ROOT_HALF, HALF, ONE, FAR = F(0.7071067811865476), F(0.5), F(1.0), F(3.9)
# Coefficients of t = x², t⁰ first.
P0, P1, P2, P3, P4, P5 = (
    F(1.1283791065216064), F(0.1876668632030487), F(0.052431222051382065), F(0.0036610597744584084),
    F(0.00028478860622271895), F(2.1004054815421114e-06),
)  # fmt: skip
Q1, Q2, Q3, Q4, Q5 = (
    F(0.4996483027935028), F(0.11301770806312561), F(0.014757110737264156), F(0.0011414429172873497),
    F(3.860879223793745e-05),
)  # fmt: skip
LOG2_E, LOWEST = F(1.4426950408889634), F(-126.0)
# 2^f on 0 <= f < 1: Taylor's coefficients (ln 2)^n / n! of order 1 to 6, the last one widened so that 2¹ is exact.
E1, E2, E3, E4, E5, E6 = (
    F(0.6931471805599453), F(0.2402265069591007), F(0.05550410866482158), F(0.009618129107628477),
    F(0.0013333558146428443), F(0.000170718932861),
)  # fmt: skip
BIAS, MANTISSA = 127, 23


@numba.njit(cache=True, nogil=True, fastmath={"contract", "nsz", "arcp"})
def gelu_rows(z: np.ndarray, bias: np.ndarray) -> None:
    """Add the bias to every row and apply GELU."""
    rows, width = z.shape
    for i in range(rows):
        for j in range(width):
            value = z[i, j] + bias[j]
            x = min(max(value * ROOT_HALF, -FAR), FAR)
            t = x * x
            above = ((((P5 * t + P4) * t + P3) * t + P2) * t + P1) * t + P0
            below = ((((Q5 * t + Q4) * t + Q3) * t + Q2) * t + Q1) * t + ONE
            z[i, j] = HALF * value * (ONE + x * above / below)


@numba.njit(cache=True, nogil=True, fastmath={"contract", "nsz", "arcp", "reassoc"})
def norm_rows(x: np.ndarray, other: np.ndarray, bias: np.ndarray, scale: tuple) -> None:  # type: ignore[type-arg]
    """Add the bias and the row of `other`, and normalise; `scale` is (gain, shift, eps)."""
    gain, shift, eps = scale
    rows, width = x.shape
    for i in range(rows):
        total = F(0.0)
        for j in range(width):
            x[i, j] += bias[j] + other[i, j]
            total += x[i, j]
        mean = total / F(width)
        squares = F(0.0)
        for j in range(width):
            difference = x[i, j] - mean
            squares += difference * difference
        factor = ONE / np.sqrt(squares / F(width) + eps)
        for j in range(width):
            x[i, j] = (x[i, j] - mean) * factor * gain[j] + shift[j]


@numba.njit(cache=True, nogil=True, fastmath={"contract", "nsz", "arcp", "reassoc"})
def softmax_rows(a: np.ndarray, lengths: np.ndarray) -> None:
    """Turn the scores of each document's tokens (documents × heads × tokens × tokens) into weights that add up to 1."""
    documents, heads, rows, width = a.shape
    powers = np.empty(width, np.int32)
    factors = powers.view(np.float32)  # a power of two, by its exponent bits
    for d in range(documents):
        length = lengths[d]
        for h in range(heads):
            for i in range(rows):
                row = a[d, h, i]
                highest = F(-np.inf)
                for j in range(length):
                    highest = max(highest, row[j])
                for j in range(length):
                    y = max((row[j] - highest) * LOG2_E, LOWEST)
                    k = np.floor(y)
                    f = y - k
                    row[j] = (((((E6 * f + E5) * f + E4) * f + E3) * f + E2) * f + E1) * f + ONE
                    powers[j] = (np.int32(k) + BIAS) << MANTISSA
                total = F(0.0)
                for j in range(length):
                    row[j] *= factors[j]
                    total += row[j]
                inverse = ONE / total if length else F(0.0)
                for j in range(length):
                    row[j] *= inverse
                for j in range(length, width):
                    row[j] = F(0.0)
