"""A network with at most one hidden layer in double precision, dense, its gradients by finite differences."""

from __future__ import annotations

import numpy as np


def sigmoid(u):
    return 1 / (1 + np.exp(-u))


def outputs(parts, x):
    """The arguments of the outer sigmoid for one dense document."""
    W1, b1, W2, b2 = parts
    z = b1 + x @ W1
    return z if len(W2) == 0 else b2 + W2 @ sigmoid(z)


def loss(parts, X, Y, weights, squared):
    """The mean over the documents of the weighted loss."""
    total = 0.0
    for x, y, weight in zip(X, Y, weights, strict=True):
        o = sigmoid(outputs(parts, x))
        total += weight * (np.sum((y - o) ** 2) if squared else -np.sum(y * np.log(o) + (1 - y) * np.log(1 - o)))
    return total / len(X)


def gradient(parts, X, Y, weights, squared, step=1e-5):
    """The derivative of the loss by every weight, by central differences."""
    found = []
    for part in parts:
        slope = np.zeros_like(part)
        for at in np.ndindex(part.shape):
            before = part[at]
            part[at] = before + step
            up = loss(parts, X, Y, weights, squared)
            part[at] = before - step
            slope[at] = (up - loss(parts, X, Y, weights, squared)) / (2 * step)
            part[at] = before
        found.append(slope)
    return found


def train_pass(parts, sums, X, Y, weights, order, batch, rate, squared):
    """One pass of AdaGrad; parts and sums change in place."""
    for begin in range(0, len(order), batch):
        own = order[begin : begin + batch]
        for part, total, slope in zip(parts, sums, gradient(parts, X[own], Y[own], weights[own], squared), strict=True):
            total += slope**2
            part -= rate * slope / (np.sqrt(total) + 1e-12)
