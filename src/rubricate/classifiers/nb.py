"""From log P(c) P(x|c) to posteriors, and the priors."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, logsumexp
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Scorer, contributions
from rubricate.classifiers.batches import take_batch
from rubricate.classifiers.rows import extended
from rubricate.errors import InvalidInput, UnknownName
from rubricate.native.networks import linear_scores
from rubricate.native.sparse import Rows
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = [
    "NB",
    "Counted",
    "Linear",
    "bernoulli",
    "bernoulli_rest",
    "complement",
    "log_odds",
    "log_posteriors",
    "log_prior",
    "multinomial",
    "multinomial_rest",
]


def log_prior(prior: Any, counts: Floats, documents: float | None) -> Floats:
    """Return log P(c) by the share of labels; with `documents`, log P(c) / P(not c) by the share of documents.

    Where that is infinite (a category with no document, or with all) it is 0: such categories get scores of their own.

    >>> log_prior("empirical", np.array([3.0, 1.0]), None).round(3).tolist()
    [-0.288, -1.386]
    >>> log_prior("empirical", np.array([3.0, 1.0]), 4.0).round(3).tolist()
    [1.099, -1.099]
    """
    if isinstance(prior, str) and prior == "uniform":
        return np.full(len(counts), -np.log(len(counts)) if documents is None else 0.0)
    if isinstance(prior, str) and prior == "empirical":
        against = np.full(len(counts), counts.sum()) if documents is None else documents - counts
        usable = (counts > 0) & (against > 0)
        return np.log(counts, out=np.zeros(len(counts)), where=usable) - np.log(
            against, out=np.zeros(len(counts)), where=usable
        )
    return _given(prior, counts, documents)


def _given(prior: Any, counts: Floats, documents: float | None) -> Floats:
    wanted = f'"empirical", "uniform", or {len(counts)} probabilities above 0 and below 1'
    if isinstance(prior, str):
        raise InvalidInput(f"prior must be {wanted}; got {prior!r}")
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != counts.shape or not ((shares > 0) & (shares < 1)).all():
        raise InvalidInput(f"prior must be {wanted}; got {shares.tolist()!r}")
    return np.log(shares) if documents is None else np.log(shares) - np.log1p(-shares)


def log_posteriors(joint: Floats) -> Floats:
    """Return log P(c|x), rows that sum to 1 as probabilities; a row of -inf stays."""
    total = logsumexp(joint, axis=1, keepdims=True)
    return joint - np.where(np.isfinite(total), total, 0.0)


def log_odds(joint: Floats) -> Floats:
    """Return log P(c|x) / (1 - P(c|x)), each category against the sum of the others, without cancellation.

    The best category of a row is compared with the sum of the others, which is computed without it. Each other category
    is compared with the best plus the remaining ones; that remainder cannot cancel the best.

    >>> log_odds(np.array([[0.0, -100.0, -101.0]])).round(3).tolist()
    [[99.687, -100.0, -101.0]]
    """
    rows, best = np.arange(len(joint)), joint.argmax(axis=1)
    top = joint[rows, best]
    others = joint.copy()
    others[rows, best] = -np.inf
    rest = logsumexp(others, axis=1)
    peak = np.where(np.isfinite(top), top, 0.0)
    remaining = np.exp(rest - peak)[:, None] - np.exp(others - peak[:, None])
    odds = joint - peak[:, None] - np.log1p(np.maximum(remaining, 0.0))
    odds[rows, best] = np.where(np.isfinite(top), peak - rest, -np.inf)
    return odds


@dataclass(frozen=True, eq=False)
class Counted:
    """What naive Bayes has counted: N (terms × categories), R by term, n by category, n in all; and α."""

    N: Sparse
    R: Floats
    categories: Floats
    documents: float
    alpha: float

    @property
    def occurrences(self) -> Floats:
        """N_c."""
        return _by_category(self.N, self.N.data)

    @property
    def smoothing(self) -> float:
        """α V."""
        return self.alpha * len(self.R)

    def by_entry(self, of_terms: Floats) -> Floats:
        """Return a value of each term, repeated for each stored count."""
        return np.repeat(of_terms, np.diff(self.N.indptr))


@dataclass(frozen=True, eq=False)
class Linear:
    """a, s, b and w of the score; `table` and `row_of` where b depends on the category."""

    a: Floats
    s: Floats
    b: Floats
    w: Sparse
    table: Floats | None = None
    row_of: Ints | None = None

    def scores(self, X: Sparse, log_prior: Floats) -> Floats:
        """Return log_prior + score, documents × categories."""
        scores = linear_scores(
            Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data),
            (self.a + log_prior, self.s, self.b),
            Rows(self.w.indptr.astype(np.int64), self.w.indices.astype(np.int32), self.w.data),
        )
        if self.table is not None and self.row_of is not None:
            shared = sparse.csr_array((X.data, self.row_of[X.indices], X.indptr), shape=(X.shape[0], len(self.table)))
            scores += shared @ self.table
        return scores

    def of_column(self, category: int) -> Floats:
        """Return the weight of every term for a category."""
        weights = self.b + self.s[category] + self.w[:, [category]].toarray()[:, 0]
        return weights if self.table is None else weights + self.table[self.row_of, category]


def _like(counted: Counted, data: Floats) -> Sparse:
    return sparse.csr_array((data, counted.N.indices, counted.N.indptr), shape=counted.N.shape)


def multinomial(counted: Counted) -> Linear:
    """Return log P(t|c) = log (N_tc + α) / (N_c + αV). mccallum1998."""
    a, s, b = (
        np.zeros(len(counted.categories)),
        -np.log(counted.occurrences + counted.smoothing),
        np.zeros(len(counted.R)),
    )
    w = np.log1p(counted.N.data / counted.alpha)
    return Linear(a, s + np.log(counted.alpha), b, _like(counted, w))


def complement(counted: Counted) -> Linear:
    """Return -log P(t|rest) = -log (R_t - N_tc + α) / (R - N_c + αV). rennie2003, section 3.1."""
    N, R, alpha = counted.N.data, counted.by_entry(counted.R), counted.alpha
    a, s = np.zeros(len(counted.categories)), np.log(_rest(counted) + counted.smoothing)
    return Linear(a, s, -np.log(counted.R + alpha), _like(counted, np.log((R + alpha) / (_less(R, N) + alpha))))


def multinomial_rest(counted: Counted) -> Linear:
    """Return log P(t|c) - log P(t|rest)."""
    ours, rest = multinomial(counted), complement(counted)
    return Linear(ours.a + rest.a, ours.s + rest.s, ours.b + rest.b, _like(counted, ours.w.data + rest.w.data))


def bernoulli(counted: Counted) -> Linear:
    """Return log P(t|c) if t is in x, else log (1 - P(t|c)); P(t|c) = (N_tc + α) / (n_c + 2α). mccallum1998."""
    N, n, alpha, terms = counted.N, counted.categories, counted.alpha, len(counted.R)
    absent = np.log((_less(n[N.indices], N.data) + alpha) / (n[N.indices] + alpha))
    a = terms * np.log((n + alpha) / (n + 2 * alpha)) + _by_category(N, absent)
    s = np.log(alpha) - np.log(n + alpha)
    return Linear(a, s, np.zeros(terms), _like(counted, np.log1p(N.data / alpha) - absent))


def bernoulli_rest(counted: Counted) -> Linear:
    """Return the weights of `bernoulli` less those of the rest, with P(t|rest) = (R_t - N_tc + α) / (n - n_c + 2α)."""
    N, alpha, ours = counted.N, counted.alpha, bernoulli(counted)
    rest = np.maximum(counted.documents - counted.categories, 0.0)
    values, row_of, often = np.unique(counted.R, return_inverse=True, return_counts=True)
    without = np.log(np.maximum(rest - values[:, None], 0.0) + alpha)
    R, n = counted.by_entry(counted.R), rest[N.indices]
    plain = without[np.repeat(row_of, np.diff(N.indptr)), N.indices]
    absent = np.log(np.maximum(n - _less(R, N.data), 0.0) + alpha)
    present = np.log((_less(R, N.data) + alpha) / (R + alpha))
    a = often @ without + _by_category(N, absent - plain) - len(row_of) * np.log(rest + 2 * alpha)
    w = ours.w.data - present + absent - plain
    return Linear(ours.a - a, ours.s, -np.log(counted.R + alpha), _like(counted, w), without, row_of)


def _by_category(N: Sparse, values: Floats) -> Floats:
    """Return the sum in each category of values, one for each stored count."""
    return np.bincount(N.indices, values, N.shape[1]).astype(np.float64)


def _less(a: Floats, b: Floats) -> Floats:
    """Return a - b, where b is a part of a; never below 0 by rounding."""
    return np.maximum(a - b, 0.0)


def _rest(counted: Counted) -> Floats:
    return _less(np.full(len(counted.categories), counted.R.sum()), counted.occurrences)


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


@classifier("nb")
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
