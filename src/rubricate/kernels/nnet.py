"""One pass of stochastic gradient descent over the documents, for a network with at most one hidden layer.

    z = b₁ + Σ_t x_t W₁[t]      h = σ(z)      u = b₂ + W₂ h      o = σ(u)         σ(a) = 1 / (1 + e^(−a))
    without a hidden layer      u = b₁ + Σ_t x_t W₁[t]

Given  documents and labels as compressed rows, a weight a document, the order in which to take the documents, the
       network (W₁ terms × units, b₁, W₂ outputs × units, b₂; W₂ and b₂ empty without a hidden layer), the sums of
       squared gradients so far, in the same shapes, and the rate; all numbers single precision.
Return nothing: the network and the sums change in place.
Rule   the gradient of each batch is its documents' mean, by document weight, of −Σ y ln o + (1 − y) ln (1 − o), or of
       Σ (y − o)²; every weight moves by −rate · g / √(Σ g²) (AdaGrad, duchi2011). A term that no document of the batch
       has is not touched, which for this rule is exact.
Cost   a document: 4 · nonzeros · units + 6 · outputs · units; a batch besides: (distinct terms + outputs) · units.
Edges  a document without terms moves the biases and W₂; a gradient of 0 moves nothing, also the first time.
       Sums over units may be reordered to fit the processor; on one processor the result is always the same.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

__all__ = ["sigmoid", "train_pass"]

ORDER = {"reassoc", "contract", "nsz"}
"""What the compiler may do: reorder sums, fuse a product and a sum, ignore the sign of zero. NaN and inf stay."""


@numba.njit(fastmath=ORDER)
def sigmoid(u: Any) -> Any:
    """σ(u) to a relative 5e-5 in single precision, without a call, so that a loop over it is vectorised.

    e^(−|u|) is the 256th power of e^(−|u|/256), whose Taylor series is short; |u| above 60 counts as 60.
    """
    x = max(-abs(u), np.float32(-60)) * np.float32(1 / 256)
    e = np.float32(1 / 24) + x * np.float32(1 / 120)
    e = np.float32(1) + x * (np.float32(1) + x * (np.float32(1 / 2) + x * (np.float32(1 / 6) + x * e)))
    for _ in range(8):
        e *= e
    return np.float32(1) / (np.float32(1) + e) if u >= 0 else e / (np.float32(1) + e)


@numba.njit(fastmath=ORDER)
def _gather(terms: np.ndarray, values: np.ndarray, W: np.ndarray, b: np.ndarray, z: np.ndarray) -> None:
    """z = b + Σ_t x_t W[t]."""
    for j in range(len(z)):
        z[j] = b[j]
    for k in range(len(terms)):
        x, row = values[k], W[terms[k]]
        for j in range(len(z)):
            z[j] += x * row[j]


@numba.njit(fastmath=ORDER)
def _errors(labels: np.ndarray, weight: float, squared: bool, o: np.ndarray) -> None:
    """From outputs u to the derivative of the loss by u, times the document's weight."""
    for c in range(len(o)):
        o[c] = sigmoid(o[c])
    for c in labels:
        o[c] -= np.float32(1)
    for c in range(len(o)):
        if squared:
            p = o[c] if o[c] >= 0 else o[c] + np.float32(1)
            o[c] *= np.float32(2) * p * (np.float32(1) - p)
        o[c] *= weight


@numba.njit(fastmath=ORDER)
def _through_hidden(
    labels: np.ndarray,
    weight: float,
    squared: bool,
    W: np.ndarray,
    b: np.ndarray,
    h: np.ndarray,
    o: np.ndarray,
    gradient: np.ndarray,
    bias_gradient: np.ndarray,
    delta: np.ndarray,
) -> None:
    """Outputs from z, gradients of W₂ and b₂, and the derivative of the loss by z in `delta`."""
    for j in range(len(h)):
        h[j] = sigmoid(h[j])
    for c in range(len(o)):
        total, row = b[c], W[c]
        for j in range(len(h)):
            total += row[j] * h[j]
        o[c] = total
    _errors(labels, weight, squared, o)
    for j in range(len(h)):
        delta[j] = 0
    for c in range(len(o)):
        g, row, sums = o[c], W[c], gradient[c]
        bias_gradient[c] += g
        for j in range(len(h)):
            delta[j] += g * row[j]
            sums[j] += g * h[j]
    for j in range(len(h)):
        delta[j] *= h[j] * (np.float32(1) - h[j])


@numba.njit(fastmath=ORDER)
def _scatter(
    terms: np.ndarray,
    values: np.ndarray,
    delta: np.ndarray,
    slot: np.ndarray,
    used: np.ndarray,
    distinct: int,
    G: np.ndarray,
) -> int:
    """Add x_t · delta to the row of each term in G; a term new to the batch gets the next row."""
    for k in range(len(terms)):
        t, x = terms[k], values[k]
        if slot[t] < 0:
            slot[t], used[distinct] = distinct, t
            distinct += 1
        row = G[slot[t]]
        for j in range(len(delta)):
            row[j] += x * delta[j]
    return distinct


@numba.njit
def _most_terms(starts: np.ndarray, batch: int, terms: int) -> int:
    """No batch has more distinct terms than this."""
    longest = 0
    for d in range(len(starts) - 1):
        longest = max(longest, starts[d + 1] - starts[d])
    return min(terms, batch * longest)


@numba.njit(fastmath=ORDER)
def _move(weights: np.ndarray, gradient: np.ndarray, sums: np.ndarray, rate: np.float32) -> None:
    """One step of AdaGrad; the gradient is set to zero for the next batch."""
    for j in range(len(weights)):
        g = gradient[j]
        sums[j] += g * g
        weights[j] -= rate * g / (np.sqrt(sums[j]) + np.float32(1e-12))
        gradient[j] = 0


@numba.njit(cache=True, nogil=True, fastmath=ORDER)
def train_pass(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    label_starts: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray,
    batch: int,
    network: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    sums: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    rate: np.float32,
    squared: bool,
) -> None:
    """Take the documents in this order, `batch` at a time, and move the network after each batch."""
    (W1, b1, W2, b2), (S1, s1, S2, s2) = network, sums
    units, hidden = W1.shape[1], len(W2) > 0
    slot, used = np.full(len(W1), -1, np.int64), np.empty(len(W1), np.int64)
    G1, g1 = np.zeros((_most_terms(starts, batch, len(W1)), units), np.float32), np.zeros(units, np.float32)
    G2, g2 = np.zeros_like(W2), np.zeros_like(b2)
    z, delta, o = np.empty(units, np.float32), np.empty(units, np.float32), np.empty(len(b2), np.float32)
    for begin in range(0, len(order), batch):
        count, distinct = min(batch, len(order) - begin), 0
        for d in order[begin : begin + count]:
            weight = weights[d] / np.float32(count)
            own, x = terms[starts[d] : starts[d + 1]], values[starts[d] : starts[d + 1]]
            wanted = labels[label_starts[d] : label_starts[d + 1]]
            _gather(own, x, W1, b1, z)
            if hidden:
                _through_hidden(wanted, weight, squared, W2, b2, z, o, G2, g2, delta)
            else:
                _errors(wanted, weight, squared, z)
                for j in range(units):
                    delta[j] = z[j]
            for j in range(units):
                g1[j] += delta[j]
            distinct = _scatter(own, x, delta, slot, used, distinct, G1)
        for i in range(distinct):
            t = used[i]
            slot[t] = -1
            _move(W1[t], G1[i], S1[t], rate)
        _move(b1, g1, s1, rate)
        for c in range(len(W2)):
            _move(W2[c], G2[c], S2[c], rate)
        _move(b2, g2, s2, rate)
