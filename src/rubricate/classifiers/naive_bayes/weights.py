"""Counts → the weights of naive Bayes, in a form that costs what the counts cost.

A weight is a logarithm of smoothed counts, and most counts N_tc of a term in a category are 0. So each weight is split
into b_t + s_c, which hold where N_tc = 0, and w_tc, stored only where N_tc > 0:

    score(x, c) = a_c + Σ_t x_t (b_t + s_c + w_tc)

N_tc    occurrences of term t (documents that hold it, for the Bernoulli model) in category c; N_c = Σ_t N_tc
R_t     the same in all documents, labelled or not; R = Σ_t R_t. "Rest" counts are R_t - N_tc
n_c, n  documents in the category and in all; V terms; α the smoothing

Only the Bernoulli model against the rest does not split so: there b depends on the category too, though only through
R_t, so it is a table with one row for each distinct value of R_t (`table`, and the `row_of` each term).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rubricate.native.networks import linear_scores
from rubricate.native.sparse import Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Counted", "Linear", "bernoulli", "bernoulli_rest", "complement", "multinomial", "multinomial_rest"]


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
