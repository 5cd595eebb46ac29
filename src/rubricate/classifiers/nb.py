"""Naive Bayes: multinomial, multivariate Bernoulli, complement. yangliu1999, section 3.5; mccallum1998; rennie2003."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base.batches import take_batch
from rubricate.classifiers.base.evidence import contributions
from rubricate.classifiers.base.scorer import Scorer
from rubricate.classifiers.naive_bayes.posteriors import log_odds, log_posteriors, log_prior
from rubricate.classifiers.naive_bayes.weights import (
    Counted,
    Linear,
    bernoulli,
    bernoulli_rest,
    complement,
    multinomial,
    multinomial_rest,
)
from rubricate.classifiers.numerics.matrices import extended
from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Evidence, Floats, Sparse

__all__ = ["NB"]

FORMS = {
    ("multinomial", "categories"): multinomial,
    ("multinomial", "rest"): multinomial_rest,
    ("bernoulli", "categories"): bernoulli,
    ("bernoulli", "rest"): bernoulli_rest,
    ("complement", "categories"): complement,
    ("complement", "rest"): multinomial_rest,
}
"""The weights of each model; against one rest, the complement of a category's complement is the category itself."""
LEAST_ALPHA, MOST_ALPHA = 1e-100, 1e100
"""Beyond these, counts divided by alpha, or alpha times the number of terms, overflow."""
NEVER = -1e9
"""The log-odds of a category without documents: finite, and below what any document reaches."""


class NB(Scorer):
    """The probability of a category from the probabilities of the terms in it, taken as independent:

        P(c|x) ∝ P(c) Π_t P(t|c)^{x_t}                                         multinomial; mccallum1998
        P(c|x) ∝ P(c) Π_{t in x} P(t|c) Π_{t not in x} (1 - P(t|c))            bernoulli (x_t > 0 is presence)
        P(c|x) ∝ Π_t P(t|not c)^{-x_t}                                         complement; rennie2003

    Scores are log-odds, log P(c|x) / P(not c|x): a cut on them is a cut on posteriors, and they still tell apart what
    would round to a posterior of 1. For a single-label y and one mixture they are log P(c|x). `predict_proba` gives the
    posteriors. `predict` takes what has P > 1/2 (multi-label) or the best (single-label).

    Learned: `term_counts_` (terms × categories, sparse), `term_totals_`, `category_counts_`, `documents_`; weights
    follow from these, so that `partial_fit` is exact. Fitting costs one product of sparse matrices and a logarithm for
    each term of a category; scoring, an addition for each category that a term of the document was seen in.

    A row of zeros scores by the prior (and, for Bernoulli, by what is absent). A category without documents scores
    -1e9 everywhere and takes no part in the mixture; one with all documents scores 1e9 against the (empty) rest. A
    single column has nothing to compete with and is scored against the rest. Negative values are an error.

    `explain` gives each term's part in the log-odds of the category against the rest, whichever way scores are made.
    Equal to scikit-learn's MultinomialNB, BernoulliNB and ComplementNB for a single-label y, and to its OneVsRest of
    them with `against="rest"`; not offered are the norm of ComplementNB, a prior of α per term, and binarize ≠ 0.

    Parameters
    ----------
    model : the event model.
    alpha : added to every count (α > 0).
    against : "categories": one mixture, the categories compete for the document and a document of several counts in
        each (yangliu1999 and McCallum's Rainbow); "rest": each category against the documents outside it.
    prior : "empirical" (the share of labels; against the rest, of documents), "uniform", or a probability for each
        category. The complement model has none.

    Examples
    --------
    >>> nb = NB().fit([[2, 0], [1, 1], [0, 3]], ["corn", "corn", "gold"])
    >>> nb.predict([[1, 0], [0, 1]]).tolist(), nb.predict_proba([[1, 0]]).round(3).tolist()
    (['corn', 'gold'], [[0.87, 0.13]])
    """

    learns_on = True
    _nonnegative = True
    term_counts_: Sparse
    term_totals_: Floats
    category_counts_: Floats
    documents_: float

    def __init__(
        self,
        model: Literal["multinomial", "bernoulli", "complement"] = "multinomial",
        *,
        alpha: float = 1.0,
        against: Literal["categories", "rest"] = "categories",
        prior: Any = "empirical",
    ) -> None:
        self.model = model
        self.alpha = alpha
        self.against = against
        self.prior = prior

    def partial_fit(self, X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn these documents in addition to those before, with the same result as one `fit` with all.

        y may bring new categories, which get columns behind the known ones: classes not met before, or further columns
        of a label matrix. `classes` names all classes that a single-label y may have, also those still to come; then
        others are an error, as in scikit-learn. A prior that was given as numbers admits no new categories.
        """
        self._check_parameters()
        known = hasattr(self, "term_counts_")
        X, labels, weights = take_batch(self, X, y, classes=classes, sample_weight=sample_weight)
        if known:
            self._add(X, labels, weights)
        else:
            self._learn(X, labels, weights)
        return self

    def update(self, X: Any, y: Any) -> Self:
        """Learn further documents, of new categories as well."""
        check_is_fitted(self)
        return self.partial_fit(X, y)

    def predict_proba(self, X: Any) -> Floats:
        """Return posteriors, documents × categories; for a single-label y each row sums to 1."""
        scores = self._score(self._take_vectors(X))
        if self._log_posteriors():
            return np.exp(scores)
        posteriors = expit(scores)
        return posteriors if self.multilabel_ else posteriors / posteriors.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the posteriors; they do not underflow for a single-label y and one mixture."""
        check_is_fitted(self)
        if not self._log_posteriors():
            with np.errstate(divide="ignore"):
                return np.log(self.predict_proba(X))
        return self._score(self._take_vectors(X))

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check_parameters()
        terms, categories = X.shape[1], labels.shape[1]
        self._check_width(categories)
        self.term_counts_ = sparse.csr_array((terms, categories), dtype=np.float64)
        self.term_totals_, self.category_counts_, self.documents_ = np.zeros(terms), np.zeros(categories), 0.0
        self._add(X, labels, weights)

    def _add(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        X = self._events(X)
        weights = np.ones(X.shape[0]) if weights is None else weights
        members = sparse.csr_array(labels, dtype=np.float64)
        members.data = np.repeat(weights, np.diff(members.indptr))
        before = extended(self.term_counts_, (X.shape[1], members.shape[1]))
        counts = sparse.csr_array(before + sparse.csr_array(X.T) @ members)
        counts.eliminate_zeros()
        counts.sort_indices()
        self.term_counts_ = counts
        self.term_totals_ = self.term_totals_ + X.T @ weights
        known = np.pad(self.category_counts_, (0, members.shape[1] - len(self.category_counts_)))
        self.category_counts_ = known + np.bincount(members.indices, members.data, members.shape[1])
        self.documents_ = self.documents_ + float(weights.sum())
        self._weights()

    def _events(self, X: Any) -> Sparse:
        """Return what the model counts: values, or presence."""
        X = sparse.csr_array(X)
        if self.model != "bernoulli":
            return X
        return sparse.csr_array(((X.data > 0).astype(np.float64), X.indices, X.indptr), shape=X.shape)

    def _competing(self) -> bool:
        return self.against == "categories" and len(self.category_counts_) > 1

    def _log_posteriors(self) -> bool:
        return self._competing() and not self.multilabel_

    def _counted(self, columns: Any = slice(None)) -> Counted:
        counts, categories = self.term_counts_[:, columns], self.category_counts_[columns]
        return Counted(counts, self.term_totals_, categories, self.documents_, float(self.alpha))

    def _weights(self) -> Linear:
        """Return the weights of the counts, computed with them, or when a model read from a file first needs them."""
        if getattr(self, "_weighed", None) is not self.term_counts_:
            form = FORMS[self.model, "categories" if self._competing() else "rest"]
            self._linear, self._weighed = form(self._counted()), self.term_counts_
        return self._linear

    def _log_prior(self) -> Floats:
        if self.model == "complement":
            return np.zeros(len(self.category_counts_))
        documents = None if self._competing() else self.documents_
        return log_prior(self.prior, self.category_counts_, documents)

    def _score(self, X: Any) -> Floats:
        joint = self._weights().scores(self._events(X), self._log_prior())
        empty = self.category_counts_ == 0
        if self._competing():
            joint[:, empty] = -np.inf
            return np.clip(log_odds(joint) if self.multilabel_ else log_posteriors(joint), NEVER, -NEVER)
        joint[:, self.category_counts_ == self.documents_] = -NEVER
        joint[:, empty] = NEVER
        return joint

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms of the document, each with what it adds to the log-odds of the category against the rest."""
        weights = FORMS[self.model, "rest"](self._counted([category])).of_column(0)
        return contributions(self._events(X), weights, limit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on the checks' data, which are not counts, as scikit-learn's NB
        return tags

    def _check_width(self, categories: int) -> None:
        log_prior(self.prior, np.ones(categories), None)

    def _check_parameters(self) -> None:
        for name, known in (("model", {m for m, _ in FORMS}), ("against", {a for _, a in FORMS})):
            if getattr(self, name) not in known:
                raise UnknownName(name, str(getattr(self, name)), known)
        if not (isinstance(self.alpha, Real) and LEAST_ALPHA <= self.alpha <= MOST_ALPHA):
            limits = f"from {LEAST_ALPHA:g} to {MOST_ALPHA:g}"
            raise InvalidInput(f"alpha must be a number {limits}, got {self.alpha!r}; 1 is Laplace's rule")
