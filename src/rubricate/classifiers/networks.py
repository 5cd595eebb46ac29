"""Networks with at most one hidden layer: how they start, how they are trained, what they answer.

native/networks.c has the formulas and one pass. All networks of a classifier (one, or one per category) see the
documents in the same order; which thread trains which does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.engines import Engine, run_tasks
from rubricate.native.networks import GradientSteps, Layers, Lesson, train_dense_network, train_network
from rubricate.native.sparse import Lists, Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Network", "Teacher", "cross_entropy", "side_by_side", "squared_error"]

Singles: TypeAlias = NDArray[np.float32]
DENSE = 0.5
"""The share of stored values from which documents are taught as arrays, by BLAS. Only .02 and 1 were measured."""
TOGETHER = 64
"""Units of networks that are taught side by side: a row of so many single-precision numbers is four cache lines."""


@dataclass(frozen=True, eq=False)
class Network:
    """W₁ terms × units, b₁, W₂ outputs × units, b₂; without a hidden layer units are outputs and W₂ is empty."""

    W1: NDArray[Any]
    b1: NDArray[Any]
    W2: NDArray[Any]
    b2: NDArray[Any]

    @classmethod
    def start(cls, terms: int, hidden: int, priors: Floats, *, seed: tuple[int, ...]) -> Network:
        """Draw random weights such that a document of length 1 has z of variance 1 and u of variance below 1.

        The biases of the outputs are ln p / (1 − p), so that training starts from the frequencies of the categories.
        """
        rng, bias = np.random.default_rng(seed), np.log(priors / (1 - priors)).astype(np.float32)
        if hidden == 0:
            none = np.empty((0, len(priors)), np.float32)
            return cls(np.zeros((terms, len(priors)), np.float32), bias, none, none[:, 0])
        inner = rng.standard_normal((terms, hidden), np.float32)
        outer = rng.standard_normal((len(priors), hidden), np.float32) / np.float32(np.sqrt(hidden))
        return cls(inner, np.zeros(hidden, np.float32), outer, bias)

    @property
    def outputs_count(self) -> int:
        """The number of outputs."""
        return len(self.W2) or self.W1.shape[1]

    def layers(self) -> Layers:
        """Return the four arrays as compiled loops take them."""
        return Layers(self.W1, self.b1, self.W2, self.b2)

    def units(self, X: Any) -> NDArray[Any]:
        """Return h, or u without a hidden layer."""
        z = np.asarray(X @ self.W1.astype(X.dtype)) + self.b1
        return z if len(self.W2) == 0 else _sigmoid(z)

    def outputs(self, X: Any) -> NDArray[Any]:
        """Return u, documents × outputs."""
        h = self.units(X)
        return h if len(self.W2) == 0 else h @ self.W2.T.astype(X.dtype) + self.b2

    def slopes(self, row: sparse.csr_array, output: int) -> NDArray[Any]:
        """Return ∂u/∂x_t of one output at one document, for the terms that it has."""
        if len(self.W2) == 0:
            return self.W1[row.indices, output]
        h = self.units(row)[0]
        return self.W1[row.indices] @ (self.W2[output] * h * (1 - h))


@dataclass(frozen=True, eq=False)
class Teacher:
    """Documents to learn from, the labels of each network, and how: batch, rate, loss, engine, seed."""

    X: sparse.csr_array
    labels: list[Sparse]
    weights: Singles
    batch: int
    rate: float
    squared: bool
    engine: Engine | str
    seed: int
    _sums: dict[int, Layers] = field(default_factory=dict)
    _dense: Singles | None = None

    def __post_init__(self) -> None:
        """Keep documents that are mostly stored (latent dimensions) as an array too."""
        if self.X.nnz >= DENSE * self.X.shape[0] * self.X.shape[1]:
            object.__setattr__(self, "_dense", self.X.toarray())

    def teach(self, networks: list[Network], epoch: int) -> None:
        """Make one pass over the documents; each epoch has an order of its own.

        Networks of one output are taught side by side, as many as have `TOGETHER` units: a step takes as long for
        these as for one.
        """
        order = np.random.default_rng((self.seed, epoch)).permutation(self.X.shape[0])
        size = max(1, TOGETHER // max(networks[0].W1.shape[1], 1)) if networks[0].outputs_count == 1 else 1
        groups = [networks[k : k + size] for k in range(0, len(networks), size)]
        run_tasks(lambda g: self._teach(g * size, groups[g], order), range(len(groups)), engine=self.engine)

    def _teach(self, first: int, networks: list[Network], order: Ints) -> None:
        """Teach networks side by side; `first` is the number of the first of them."""
        X, labels = self.X, self.labels[first : first + len(networks)]
        Y = labels[0] if len(labels) == 1 else sparse.csr_array(sparse.hstack(labels))
        layers = side_by_side(networks)
        if first not in self._sums:
            self._sums[first] = Layers(*map(np.zeros_like, layers))
        steps = GradientSteps(self.batch, self.rate, self.squared)
        own = Lists(Y.indptr.astype(np.int64), Y.indices.astype(np.int32))
        if self._dense is not None and len(layers.W2) == 0:
            train_dense_network(Lesson(self._dense, own, self.weights, order), layers, self._sums[first], steps)
        else:
            rows = Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)
            train_network(Lesson(rows, own, self.weights, order), layers, self._sums[first], steps)
        if len(networks) > 1:
            _take_apart(layers, networks)


def side_by_side(networks: Sequence[Network]) -> Layers:
    """Return the layers of networks of one output as those of one network; of a single network, its own arrays."""
    if len(networks) == 1:
        return networks[0].layers()
    W1, b1, W2, b2 = zip(*(network.layers() for network in networks), strict=True)
    if len(W2[0]) == 0:
        none = np.empty((0, len(networks)), np.float32)
        return Layers(np.hstack(W1), np.concatenate(b1), none, none[:, 0])
    return Layers(np.hstack(W1), np.concatenate(b1), np.vstack(W2), np.concatenate(b2))


def _take_apart(layers: Layers, networks: Sequence[Network]) -> None:
    """Write what networks have learned side by side back into each."""
    width = networks[0].W1.shape[1]
    for k, network in enumerate(networks):
        network.W1[:] = layers.W1[:, k * width : (k + 1) * width]
        network.b1[:] = layers.b1[k * width : (k + 1) * width]
        if len(network.W2):
            network.W2[:], network.b2[:] = layers.W2[[k]], layers.b2[[k]]


def cross_entropy(u: NDArray[Any], labels: Sparse, weights: Singles) -> float:
    """Return the weighted mean over documents of Σ_c ln(1 + e^u) − y u, the cross-entropy of σ(u)."""
    rows, columns = labels.nonzero()
    spent = np.logaddexp(0, u, dtype=np.float64).sum(axis=1) - np.bincount(rows, u[rows, columns], labels.shape[0])
    return float(np.average(spent, weights=weights))


def squared_error(u: NDArray[Any], labels: Sparse, weights: Singles) -> float:
    """Return the weighted mean over documents of Σ_c (y − σ(u))²."""
    return float(np.average(((labels.toarray() - _sigmoid(u)) ** 2).sum(axis=1), weights=weights))


def _sigmoid(u: NDArray[Any]) -> NDArray[Any]:
    return 0.5 + 0.5 * np.tanh(0.5 * u)
