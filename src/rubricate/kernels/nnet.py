"""One pass of stochastic gradient descent over the documents, for a network with at most one hidden layer.

    z = b₁ + Σ_t x_t W₁[t]      h = σ(z)      u = b₂ + W₂ h      o = σ(u)         σ(a) = 1 / (1 + e^(−a))
    without a hidden layer      u = b₁ + Σ_t x_t W₁[t]
    networks side by side       W₁ has more units than W₂: output c sees its own units alone, the c-th group of as many
                                as W₂ has. Every step is then that of as many networks with one output each.

Given  documents and labels as rows, one weight per document, the order in which to take the documents, the network,
       the sums of squared gradients so far, in the same shapes, and the rate; all numbers single precision.
       `train_dense_pass` takes the documents as a dense array instead, for networks without a hidden layer.
Return nothing: the network and the sums change in place.
Rule   the gradient of each batch is its documents' mean, by document weight, of −Σ y ln o + (1 − y) ln (1 − o), or of
       Σ (y − o)²; every weight moves by −rate · g / √(Σ g²) (AdaGrad, duchi2011). A term that no document of the batch
       has is not touched, which for this rule is exact.
Cost   per document 4 · nonzeros · units + 6 · outputs · units; per batch (distinct terms + outputs) · units. Dense
       documents are multiplied by BLAS, a batch at a time, which is several times as fast.
Ties   none: the order of the documents is given.
Edges  a document without terms moves the biases and W₂; a gradient of 0 moves nothing, also the first time.
       Sums over units may be reordered to fit the processor; on one processor the result is always the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists, Rows

__all__ = ["GradientSteps", "Layers", "Lesson", "sigmoid", "train_dense_pass", "train_pass"]

ORDER = {"reassoc", "contract", "nsz"}
"""What the compiler may do: reorder sums, fuse a product and a sum, ignore the sign of zero. NaN and inf stay."""


class Layers(NamedTuple):
    """W₁ terms × units, b₁, W₂ outputs × units (of an output), b₂; W₂ and b₂ are empty without a hidden layer."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray


class Lesson(NamedTuple):
    """Documents, their labels and weights, and the order of one pass."""

    documents: Rows
    labels: Lists
    weights: np.ndarray
    order: np.ndarray


class GradientSteps(NamedTuple):
    """Documents per step, the rate of AdaGrad, and whether the loss is the squared error."""

    batch: int
    rate: np.float32
    squared: bool


class _Gradient(NamedTuple):
    """Gradients of one batch; row i of `W1` is that of the term used[i], and slot[t] is the row of term t or −1."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray
    slot: np.ndarray
    used: np.ndarray


class _Signal(NamedTuple):
    """One document inside the network: z or h, the outputs u or their errors, and the error of z."""

    h: np.ndarray
    o: np.ndarray
    delta: np.ndarray


class _Target(NamedTuple):
    """The labels of one document, its weight in the mean of the batch, and whether the loss is the squared error."""

    labels: np.ndarray
    weight: np.float32
    squared: bool


@numba.njit(fastmath=ORDER)
def sigmoid(u: Any) -> Any:
    """Return σ(u) to a relative 5e-5 in single precision, without a call, so that a loop over it is vectorised.

    e^(−|u|) is the 256th power of e^(−|u|/256), whose Taylor series is short; |u| above 60 counts as 60.
    """
    x = max(-abs(u), np.float32(-60)) * np.float32(1 / 256)
    e = np.float32(1 / 24) + x * np.float32(1 / 120)
    e = np.float32(1) + x * (np.float32(1) + x * (np.float32(1 / 2) + x * (np.float32(1 / 6) + x * e)))
    for _ in range(8):
        e *= e
    return np.float32(1) / (np.float32(1) + e) if u >= 0 else e / (np.float32(1) + e)


@numba.njit(fastmath=ORDER)
def _gather(document: Rows, network: Layers, z: np.ndarray) -> None:
    """Set z to b₁ + Σ_t x_t W₁[t]."""
    terms, values, W, b = document.terms, document.values, network.W1, network.b1
    for j in range(len(z)):
        z[j] = b[j]
    for k in range(len(terms)):
        x, row = values[k], W[terms[k]]
        for j in range(len(z)):
            z[j] += x * row[j]


@numba.njit(fastmath=ORDER)
def _errors(target: _Target, o: np.ndarray) -> None:
    """Replace the outputs u by the derivative of the loss by u, times the document's weight."""
    labels, weight, squared = target
    for c in range(len(o)):
        o[c] = sigmoid(o[c])
    # ∂/∂u of the cross-entropy is o − y: subtract 1 where y = 1.
    for c in labels:
        o[c] -= np.float32(1)
    for c in range(len(o)):
        if squared:
            # ∂/∂u (y − o)² = 2 (o − y) o (1 − o); o[c] now holds o − y, negative exactly where y = 1.
            p = o[c] if o[c] >= 0 else o[c] + np.float32(1)
            o[c] *= np.float32(2) * p * (np.float32(1) - p)
        o[c] *= weight


@numba.njit(fastmath=ORDER)
def _through_hidden(target: _Target, network: Layers, signal: _Signal, gradients: _Gradient) -> None:
    """Compute outputs from z, add the gradients of W₂ and b₂, and leave the derivative of the loss by z in `delta`."""
    h, o, delta = signal
    W, b, gradient, bias_gradient = network.W2, network.b2, gradients.W2, gradients.b2
    width = W.shape[1]
    shift = width if len(h) > width else 0  # from the units of one output to those of the next
    for j in range(len(h)):
        h[j] = sigmoid(h[j])
    for c in range(len(o)):
        total, row, own = b[c], W[c], h[c * shift : c * shift + width]
        for j in range(width):
            total += row[j] * own[j]
        o[c] = total
    _errors(target, o)
    for j in range(len(h)):
        delta[j] = 0
    for c in range(len(o)):
        g, row, sums = o[c], W[c], gradient[c]
        own, back = h[c * shift : c * shift + width], delta[c * shift : c * shift + width]
        bias_gradient[c] += g
        for j in range(width):
            back[j] += g * row[j]
            sums[j] += g * own[j]
    # Back through σ: ∂h/∂z = h (1 − h).
    for j in range(len(h)):
        delta[j] *= h[j] * (np.float32(1) - h[j])


@numba.njit(fastmath=ORDER)
def _scatter(document: Rows, delta: np.ndarray, gradients: _Gradient, distinct: int) -> int:
    """Add x_t · delta to the gradient of each term; a term new to the batch gets the next row. Return the rows used."""
    terms, values, G, slot, used = document.terms, document.values, gradients.W1, gradients.slot, gradients.used
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
    """Return a number of distinct terms that no batch exceeds."""
    longest = 0
    for d in range(len(starts) - 1):
        longest = max(longest, starts[d + 1] - starts[d])
    return min(terms, batch * longest)


@numba.njit(fastmath=ORDER)
def _move(weights: np.ndarray, gradient: np.ndarray, sums: np.ndarray, rate: np.float32) -> None:
    """Make one step of AdaGrad, and set the gradient to zero for the next batch."""
    for j in range(len(weights)):
        g = gradient[j]
        sums[j] += g * g
        # The constant keeps 0 / √0 at 0: a weight without a gradient does not move.
        weights[j] -= rate * g / (np.sqrt(sums[j]) + np.float32(1e-12))
        gradient[j] = 0


@numba.njit(fastmath=ORDER)
def _no_gradient(network: Layers, most: int) -> _Gradient:
    units, terms = network.W1.shape[1], len(network.W1)
    G1, g1 = np.zeros((most, units), np.float32), np.zeros(units, np.float32)
    slot, used = np.full(terms, -1, np.int64), np.empty(terms, np.int64)
    return _Gradient(G1, g1, np.zeros_like(network.W2), np.zeros_like(network.b2), slot, used)


@numba.njit(fastmath=ORDER)
def _step(network: Layers, sums: Layers, gradients: _Gradient, moving: tuple[int, np.float32]) -> None:
    """Move every weight that the batch touched; `moving` has the number of its distinct terms and the rate."""
    distinct, rate = moving
    # Only the rows of the batch's terms: a zero gradient adds nothing to the sums of AdaGrad and moves no weight.
    for i in range(distinct):
        t = gradients.used[i]
        gradients.slot[t] = -1
        _move(network.W1[t], gradients.W1[i], sums.W1[t], rate)
    _move(network.b1, gradients.b1, sums.b1, rate)
    for c in range(len(network.W2)):
        _move(network.W2[c], gradients.W2[c], sums.W2[c], rate)
    _move(network.b2, gradients.b2, sums.b2, rate)


@numba.njit(cache=True, nogil=True, fastmath=ORDER)
def train_pass(lesson: Lesson, network: Layers, sums: Layers, steps: GradientSteps) -> None:
    """Take the documents in their order, `steps.batch` at a time, and move the network after each batch."""
    (starts, terms, values), labels, weights, order = lesson
    batch, rate, squared = steps
    units, hidden = network.W1.shape[1], len(network.W2) > 0
    gradients = _no_gradient(network, _most_terms(starts, batch, len(network.W1)))
    z, delta = np.empty(units, np.float32), np.empty(units, np.float32)
    signal = _Signal(z, np.empty(len(network.b2), np.float32), delta)
    for begin in range(0, len(order), batch):
        count, distinct = min(batch, len(order) - begin), 0
        for d in order[begin : begin + count]:
            document = Rows(starts[d : d + 2], terms[starts[d] : starts[d + 1]], values[starts[d] : starts[d + 1]])
            wanted = labels.items[labels.starts[d] : labels.starts[d + 1]]
            target = _Target(wanted, weights[d] / np.float32(count), squared)
            _gather(document, network, z)
            if hidden:
                _through_hidden(target, network, signal, gradients)
            else:
                _errors(target, z)
                for j in range(units):
                    delta[j] = z[j]
            for j in range(units):
                gradients.b1[j] += delta[j]
            distinct = _scatter(document, delta, gradients, distinct)
        _step(network, sums, gradients, (distinct, rate))


@numba.njit(cache=True, nogil=True, fastmath=ORDER)
def train_dense_pass(
    documents: np.ndarray,
    lesson: tuple[Lists, np.ndarray, np.ndarray],
    network: tuple[Layers, Layers],
    steps: GradientSteps,
) -> None:
    """Do the same with dense documents (× terms) and no hidden layer.

    `lesson` are the labels, the weights and the order; `network` is the network and the sums of squared gradients.
    """
    (labels, weights, order), (layers, sums), (batch, rate, squared) = lesson, network, steps
    terms, units = layers.W1.shape
    X, Z, G = (
        np.empty((batch, terms), np.float32),
        np.empty((batch, units), np.float32),
        np.empty((terms, units), np.float32),
    )
    bias = np.zeros(units, np.float32)
    for begin in range(0, len(order), batch):
        count = min(batch, len(order) - begin)
        for i in range(count):
            X[i] = documents[order[begin + i]]
        np.dot(X[:count], layers.W1, Z[:count])
        for i in range(count):
            d, z = order[begin + i], Z[i]
            for j in range(units):
                z[j] += layers.b1[j]
            wanted = labels.items[labels.starts[d] : labels.starts[d + 1]]
            _errors(_Target(wanted, weights[d] / np.float32(count), squared), z)
            for j in range(units):
                bias[j] += z[j]
        np.dot(X[:count].T, Z[:count], G)
        for t in range(terms):
            _move(layers.W1[t], G[t], sums.W1[t], rate)
        _move(layers.b1, bias, sums.b1, rate)
