"""NNets.PARC: one small network per category, over latent dimensions or terms chosen for it. wiener1995."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer, require_number, require_whole, strongest
from rubricate.classifiers.category_terms import WORTH, chosen_terms
from rubricate.classifiers.classic.nnet import NNet
from rubricate.classifiers.latent import directions
from rubricate.classifiers.rows import take_columns
from rubricate.engines import Engine, run_tasks, spreading
from rubricate.errors import UnknownName
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["NNetsPARC"]

INPUTS = ("lsi", "local", *WORTH)


@classifier("nnets_parc")
class NNetsPARC(Scorer):
    """The score of c is the argument of the logistic output of c's own network:

        hidden = 0   u_c = b_c + w_c·z_c(x)                        a perceptron with a logistic output
        hidden > 0   u_c = b_c + w_c·σ(a_c + V_c z_c(x))           three layers

    wiener1995; yang1999, section 2 (system 5), whose .82 is the perceptron's. z_c(x) are the network's inputs:

    Deviations: cross-entropy, AdaGrad and early stopping are those of `NNet`; with "lsi" the networks stop together.
    The paper's local LSI is one decomposition per topic; how it draws the region of a topic is ours.

    Learned: `networks_`, fitted `NNet`s: one for all categories with "lsi", else one per category, None where it has no
    term; `directions_` (columns × size, for "lsi"); `inputs_` (categories × columns, boolean, for terms and "local");
    `local_` (for "local", by category: terms × dimensions); `floor_`, the score of a category without a network,
    ln(p / (1 − p)) with p = .5 / (documents + 1). A weight scales a document's gradient, one of weight 0 is left out.
    A row of zeros has the scores of the biases. `predict` takes the scores above 0. Cost: the decomposition
    (`numerics/svd.py`), one per category with "local", and that of `NNet` on documents × size.

    Parameters
    ----------
    inputs : "lsi": the coordinates of x along the `size` largest right singular vectors of the training documents, the
        same for all categories; "relevancy" or "correlation": the `size` terms that speak most for c
        (`words/category_terms.py`; relevancy is the paper's), terms that speak against c never; "local": local LSI, the
        coordinates along the `size` largest right singular vectors of c's region, over the `terms` terms that speak
        most for c by relevancy. The region are the documents of c and as many others (at least `size`), those
        whose terms speak most for c.
    size : inputs of a network at most; some 200 dimensions, or 20 terms.
    hidden : units of the hidden layer; 0 for none, as yang1999 cites it.
    terms : terms of a region at most, for "local".
    rate, batch, epochs, patience : of training, as in `NNet`, which trains the networks.
    engine : where networks are trained; the result does not depend on it.
    seed : of first weights, orders, held-out documents, and the start of the decomposition.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 9, axis=0)
    >>> NNetsPARC(size=2, inputs="correlation").fit(X, np.repeat(["a", "b", "c"], 9)).predict(np.eye(3)).tolist()
    ['a', 'b', 'c']
    """

    _mirrored = True
    networks_: tuple[NNet | None, ...]
    local_: tuple[Floats, ...] = ()  # files of earlier versions have none

    def __init__(
        self,
        hidden: int = 0,
        *,
        inputs: str = "lsi",
        size: int = 200,
        terms: int = 300,
        rate: float = 0.1,
        batch: int = 32,
        epochs: int = 100,
        patience: int = 5,
        engine: Engine | str = "threads",
        seed: int = 0,
    ) -> None:
        self.hidden = hidden
        self.inputs = inputs
        self.size = size
        self.terms = terms
        self.rate = rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.engine = engine
        self.seed = seed

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        X = sparse.csr_array(X)
        self.directions_: Floats | None = None
        self.inputs_: Sparse | None = None
        self.local_ = ()
        self.floor_ = float(np.log(0.5 / (X.shape[0] + 0.5)))
        if self.inputs == "lsi":
            self.directions_ = directions(X, int(self.size), weights=weights, seed=self.seed)
            self.networks_ = (self._network().fit(X @ self.directions_, labels, weights),)
            return
        local = self.inputs == "local"
        worth = WORTH["relevancy" if local else self.inputs](X, labels, weights)
        self.inputs_ = _marks(chosen_terms(worth, int(self.terms if local else self.size)), X.shape[1])
        if local:
            self.local_ = self._regions(X, labels, weights, worth=worth)
        self.networks_ = self._taught(X, labels, weights)

    def _taught(self, X: Sparse, labels: Sparse, weights: Floats | None) -> tuple[NNet | None, ...]:
        def train_category(c: int) -> NNet | None:
            if not len(self._terms(c)):
                return None
            return self._network("serial").fit(self._seen(X, c), labels[:, [c]], weights)

        return tuple(run_tasks(train_category, range(labels.shape[1]), engine=spreading() or self.engine))

    def _regions(self, X: Sparse, labels: Sparse, weights: Floats | None, *, worth: Sparse) -> tuple[Floats, ...]:
        """Return the latent dimensions of each category's region, terms × dimensions."""
        columns = sparse.csc_array(labels)
        present = np.ones(X.shape[0], bool) if weights is None else weights > 0

        def decompose(c: int) -> Floats:
            terms = self._terms(c)
            if not len(terms):
                return np.zeros((0, 1))
            own = take_columns(X, terms)
            known = np.zeros(X.shape[0], bool)
            known[columns.indices[columns.indptr[c] : columns.indptr[c + 1]]] = True
            speaking = (own != 0) @ worth[[c]].toarray().ravel()[terms]
            others = np.flatnonzero(~known & present)
            nearest = others[np.argsort(-speaking[others], kind="stable")][: max(known.sum(), int(self.size))]
            rows = np.sort(np.concatenate([np.flatnonzero(known & present), nearest]))
            kept = None if weights is None else weights[rows]
            return directions(own[rows], int(self.size), weights=kept, seed=self.seed)

        return tuple(run_tasks(decompose, range(labels.shape[1]), engine=spreading() or self.engine))

    def _seen(self, X: Any, category: int) -> Any:
        """Return what the network of a category sees of the documents: its terms, or its latent dimensions."""
        own = take_columns(X, self._terms(category))
        return own @ self.local_[category] if self.local_ else own

    def _network(self, engine: Engine | str | None = None) -> NNet:
        return NNet(
            self.hidden,
            outputs="separate",
            rate=self.rate,
            batch=self.batch,
            epochs=self.epochs,
            patience=self.patience,
            engine=self.engine if engine is None else engine,
            seed=self.seed,
        )

    def _terms(self, category: int) -> Ints:
        """Return the columns that the network of a category sees."""
        marks: Any = self.inputs_
        return marks.indices[marks.indptr[category] : marks.indptr[category + 1]].astype(np.int64)

    def _score(self, X: Any) -> Floats:
        if self.directions_ is not None:
            return np.asarray(self._whole()._score(X @ self.directions_), dtype=np.float64)
        scores = np.full((X.shape[0], len(self.networks_)), self.floor_)
        for c, network in enumerate(self.networks_):
            if network is not None:
                scores[:, c] = network._score(self._seen(X, c))[:, 0]
        return scores

    def _whole(self) -> NNet:
        network = self.networks_[0]
        if network is None:
            raise ValueError("the network over latent dimensions is missing")
        return network

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by x_t ∂u/∂x_t, the gradient of the score times the input, through the latent dimensions."""
        sign, column = (2 * category - 1, 0) if self._is_mirrored() else (1, category)
        X = sparse.csr_array(X)
        reasons = []
        for row in (X[[i]] for i in range(X.shape[0])):
            slopes = sign * row.data * self._slopes(row, column)
            reasons.append(strongest(row.indices, slopes, limit))
        return reasons

    def _slopes(self, row: Sparse, category: int) -> Floats:
        """Return ∂u/∂x_t for the terms of a document."""
        if self.directions_ is not None:
            inner = _gradient(self._whole(), row @ self.directions_, category)
            return self.directions_[row.indices] @ inner
        slopes, terms, network = np.zeros(row.shape[1]), self._terms(category), self.networks_[category]
        if network is not None:
            inner = _gradient(network, self._seen(row, category), 0)
            slopes[terms] = self.local_[category] @ inner if self.local_ else inner
        return slopes[row.indices]

    def check_state(self) -> None:
        """Raise ValueError unless the networks of an opened model have the inputs that it gives them."""
        if not hasattr(self, "networks_"):
            return
        if self.directions_ is not None:
            widths, wanted = [self._whole().n_features_in_], [self.directions_.shape[1]]
            if self.directions_.shape[0] != self.n_features_in_:
                raise ValueError("directions_ are of another number of columns")
        else:
            wanted = [len(self._terms(c)) for c in range(len(self.networks_))]
            widths = [0 if network is None else network.n_features_in_ for network in self.networks_]
            if self.inputs_ is None or self.inputs_.shape != (len(self.networks_), self.n_features_in_):
                raise ValueError("inputs_ is not of the shape categories × columns")
            if self.local_:
                if [len(part) for part in self.local_] != wanted:
                    raise ValueError("local_ has other numbers of terms than are chosen for the networks")
                wanted = [part.shape[1] if len(part) else 0 for part in self.local_]
        if widths != wanted:
            raise ValueError("the networks have other numbers of inputs than are chosen for them")

    def _check(self) -> None:
        if self.inputs not in INPUTS:
            raise UnknownName("kind of inputs", str(self.inputs), INPUTS)
        for name, least in (
            ("hidden", 0),
            ("size", 1),
            ("terms", 1),
            ("batch", 1),
            ("epochs", 1),
            ("patience", 0),
            ("seed", 0),
        ):
            require_whole(self, name, least)
        require_number(self, "rate")


def _gradient(network: NNet, inputs: Any, output: int) -> Floats:
    """Return ∂u/∂z of one output at one document, for all inputs."""
    separate = network._is_separate()
    own, place = network._networks()[output if separate else 0], 0 if separate else output
    slopes = np.zeros(network.n_features_in_)
    if network.hidden == 0:
        slopes[network.terms_] = own.W1[:, place]
    else:
        h = own.units(take_columns(sparse.csr_array(inputs), network.terms_))[0]
        slopes[network.terms_] = own.W1 @ (own.W2[place] * h * (1 - h))
    return slopes


def _marks(chosen: list[Ints], columns: int) -> Sparse:
    starts = np.cumsum([0, *(len(terms) for terms in chosen)])
    indices = np.concatenate(chosen)
    return sparse.csr_array((np.ones(len(indices), bool), indices, starts), shape=(len(chosen), columns))
