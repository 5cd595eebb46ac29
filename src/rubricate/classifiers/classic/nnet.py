"""NNet: a neural network with one hidden layer, for all categories or one per category."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer, strongest
from rubricate.classifiers.networks import Network, Teacher, cross_entropy, squared_error
from rubricate.classifiers.rows import take_columns, used_columns
from rubricate.engines import Engine, one_blas_thread
from rubricate.errors import InvalidInput, UnknownName
from rubricate.folds import assign_folds
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["NNet"]

LOSSES = {"cross_entropy": cross_entropy, "squared_error": squared_error}
OUTPUTS = ("joint", "separate")
FOLDS = 10
"""One of this many parts of the documents is held out to stop early."""
SHARE = 20
"""A batch is at most one of this many parts of the documents."""


@classifier("nnet")
class NNet(Scorer):
    """o = σ(b₂ + W₂ σ(b₁ + W₁ᵀx)), one output per category; the score is the argument of the outer σ.

    The formulas of training are in native/networks.c.

    yangliu1999, section 3.4: one network for all categories, one hidden layer, sparse input; 64 units chosen among 16,
    64 and 160. wiener1995: one network a category, with and without a hidden layer. Neither paper names the loss, the
    step or the units' function; here they are the logistic function and AdaGrad on batches (duchi2011).

    Learned: `input_weights_` (networks × terms × units), `input_bias_`, `output_weights_` (networks × outputs × units),
    `output_bias_`, single precision; `terms_`, the columns that the training documents have (others weigh 0);
    `losses_`, the held-out loss after each pass; `epochs_`, the number of passes. A document's gradient counts by its
    weight; one of weight 0 is left out. A category without documents starts and stays at a low frequency.
    For a multi-label y, `predict` takes the scores above 0, o > 1/2.
    Cost: see native/networks.c for a pass, of which there are about (passes + patience) + passes. Memory: 8 · terms ·
    units bytes a network.

    Parameters
    ----------
    hidden : units of the hidden layer; 0 leaves it out, which makes one linear network a category.
    outputs : "joint", one network for all categories, or "separate", one per category, each with its own hidden layer.
    loss : "cross_entropy" or "squared_error".
    rate : the step of AdaGrad, for documents scaled to a mean squared length of 1.
    batch : documents a step, at most a twentieth of them.
    epochs : passes over the documents at most.
    patience : passes without a lower held-out loss after which training ends. A tenth of the documents is held out,
        stratified by category. With fewer than 20 documents none are, and all passes are made.
    refit : train anew on all documents, with as many passes as were best; else the best network on nine tenths is kept,
        and a category may have lost its only document.
    engine : where separate networks run; the result does not depend on it.
    seed : of the first weights, the order of the documents and those held out.

    Examples
    --------
    >>> X = np.tile([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], (25, 1))
    >>> model = NNet(8).fit(X, np.tile(["same", "other", "same", "same"], 25))
    >>> model.predict([[1.0, 1.0], [0.0, 1.0]])
    array(['same', 'other'], dtype='<U5')
    """

    _mirrored = True

    def __init__(
        self,
        hidden: int = 64,
        *,
        outputs: str = "joint",
        loss: str = "cross_entropy",
        rate: float = 0.1,
        batch: int = 32,
        epochs: int = 100,
        patience: int = 5,
        refit: bool = True,
        engine: Engine | str = "threads",
        seed: int = 0,
    ) -> None:
        self.hidden = hidden
        self.outputs = outputs
        self.loss = loss
        self.rate = rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.refit = refit
        self.engine = engine
        self.seed = seed

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        weights = np.ones(X.shape[0]) if weights is None else weights
        kept = np.flatnonzero(weights)
        X, labels, weights = sparse.csr_array(X)[kept], labels[kept], weights[kept] / weights[kept].mean()
        self.terms_ = used_columns(X)
        length = np.sqrt(X.power(2).sum() / X.shape[0]) or 1.0
        X = sparse.csr_array(take_columns(X, self.terms_) / length, dtype=np.float32)
        with one_blas_thread():
            networks = self._taught(X, labels, weights.astype(np.float32))
        self._keep(networks, float(length))

    def _taught(self, X: sparse.csr_array, labels: Sparse, weights: Any) -> list[Network]:
        everything = np.arange(X.shape[0])
        self.losses_, self.epochs_ = np.empty(0), int(self.epochs)
        if X.shape[0] >= 2 * FOLDS:
            part = assign_folds(labels, FOLDS, seed=self.seed)
            held, kept = np.flatnonzero(part == 0), np.flatnonzero(part != 0)
            best = self._stopped(X, labels, weights, kept=kept, held=held)
            if not self.refit:
                return best
        teacher, networks = self._teacher(X, labels, weights, rows=everything), self._start(X, labels)
        for epoch in range(self.epochs_):
            teacher.teach(networks, epoch)
        return networks

    def _stopped(self, X: Any, labels: Sparse, weights: Any, *, kept: Ints, held: Ints) -> list[Network]:
        """Teach until the held-out loss has not fallen for `patience` passes; return the best networks."""
        teacher, networks = self._teacher(X, labels, weights, rows=kept), self._start(X[kept], labels[kept])
        losses: list[float] = []
        best = networks
        while len(losses) < self.epochs and len(losses) - int(np.argmin([*losses, np.inf])) <= self.patience:
            teacher.teach(networks, len(losses))
            u = np.column_stack([network.outputs(X[held]) for network in networks])
            losses.append(LOSSES[self.loss](u, labels[held], weights[held]))
            if losses[-1] == min(losses) and not self.refit:
                best = [Network(*(part.copy() for part in network.layers())) for network in networks]
        self.losses_, self.epochs_ = np.array(losses), int(np.argmin(losses)) + 1
        return best

    def _start(self, X: Any, labels: Sparse) -> list[Network]:
        documents = X.shape[0]
        priors = (np.asarray(labels.sum(axis=0)).ravel() + 0.5) / (documents + 1.0)
        parts = [priors[[c]] for c in range(len(priors))] if self._is_separate() else [priors]
        return [Network.start(X.shape[1], self.hidden, p, seed=(self.seed, k)) for k, p in enumerate(parts)]

    def _teacher(self, X: Any, labels: Sparse, weights: Any, *, rows: Ints) -> Teacher:
        own = labels[rows]
        columns = [own[:, [c]] for c in range(own.shape[1])] if self._is_separate() else [own]
        return Teacher(
            X=X[rows],
            labels=columns,
            weights=weights[rows],
            batch=min(int(self.batch), max(1, len(rows) // SHARE)),
            rate=float(self.rate),
            squared=self.loss == "squared_error",
            engine=self.engine,
            seed=self.seed,
        )

    def _is_separate(self) -> bool:
        """Say whether each category has its own network; without a hidden layer the outputs share nothing anyway."""
        return self.outputs == "separate" and self.hidden > 0

    def _keep(self, networks: list[Network], length: float) -> None:
        """Keep the weights for unscaled documents."""
        self.input_weights_ = np.stack([network.W1 for network in networks]) / np.float32(length)
        self.input_bias_ = np.stack([network.b1 for network in networks])
        self.output_weights_ = np.stack([network.W2 for network in networks])
        self.output_bias_ = np.stack([network.b2 for network in networks])

    def _networks(self) -> list[Network]:
        parts = (self.input_weights_, self.input_bias_, self.output_weights_, self.output_bias_)
        return [Network(*own) for own in zip(*parts, strict=True)]

    def _score(self, X: Any) -> Floats:
        narrow = take_columns(X, self.terms_)
        return np.column_stack([network.outputs(narrow) for network in self._networks()])

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by x_t · ∂u/∂x_t, gradient times input, where ∂u/∂x_t = Σ_j W₂[c, j] h_j (1 − h_j) W₁[t, j].

        Without a hidden layer they add up to the score less its bias; with one they are its first-order part.
        """
        sign, column = (2 * category - 1, 0) if self._is_mirrored() else (1, category)
        network, output = (self._networks()[column], 0) if self._is_separate() else (self._networks()[0], column)
        narrow = sparse.csr_array(take_columns(X, self.terms_))
        return [
            strongest(self.terms_[row.indices], sign * row.data * network.slopes(row, output), limit)
            for row in (narrow[[i]] for i in range(narrow.shape[0]))
        ]

    def _check(self) -> None:
        for name, least in (("hidden", 0), ("batch", 1), ("epochs", 1), ("patience", 0)):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and int(value) >= least):
                raise InvalidInput(f"NNet: {name} must be an integer from {least} on, got {value!r}")
        if not (isinstance(self.rate, Real) and 0 < self.rate < np.inf):
            raise InvalidInput(f"NNet: rate must be a number above 0, got {self.rate!r}")
        for kind, name, known in (("loss", self.loss, LOSSES), ("outputs", self.outputs, OUTPUTS)):
            if name not in known:
                raise UnknownName(kind, str(name), known)
