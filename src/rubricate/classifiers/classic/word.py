"""WORD: documents matched to the names of categories; nothing is learned. yang1999, section 2."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse

from rubricate.classifiers.base import Scorer, contributions
from rubricate.classifiers.category_names import check_scheme, count_words, idf, name_texts, read_names, term_frequency
from rubricate.classifiers.category_terms import column_names
from rubricate.classifiers.rows import unit_rows
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["WORD"]

SOURCES = ("training", "documents", "none")


@classifier("word")
class WORD(Scorer):
    """The score of c is the cosine of the document and the name of c, both as bags of weighted words:

        s(x, c) = x · w_c / (|x| |w_c|),     w_c,t = tf(t in the name of c) · idf(t)

    yang1999, section 2 (system 10) and 4.1: category names, SMART weights. The document's weights are those that X
    comes with; the names are weighted here.

    `fit(X, y)` takes from y the names and the form of the answers, from X the idf (a weight counts a document that
    many times). Without labelled documents `fit(X)` will do, and without any documents `fit()`: the categories are
    those of `names` or `categories`, the idf is 1. A `Categorizer` gives its own terms, analyzer and categories.

    A name with no word among the columns is warned of, and scores 0; so does a row of zeros. An idf of 0 (a term of no
    document, or of all) takes a word out of a name, and such a name scores 0 as well. `predict` for a multi-label y
    takes every category of which a word occurs. Learned: `coef_` (categories × columns, sparse: w_c, without the idf
    where it comes from the documents scored), `idf_`, `unmatched_` (categories without a word among the columns).
    Cost: reading the names, and one sparse product.

    Parameters
    ----------
    names
        What the categories are called: None (their names in y), a mapping category → text or list of texts
        (synonyms, a description), a list with one text per category, the path of a file (`words/names.py`), or
        the counts themselves, a matrix categories × columns.
    categories
        Names of the label columns (or of classes 0, 1, …) where y has none.
    terms
        Names of the columns of X where it has none.
    analyzer
        How a name becomes terms, the same way as the documents did: an `Analyzer` or a function; None: runs of
        letters and digits, so that "money-fx" is two words.
    weights
        Weights of the names, a SMART triple: tf n, b, l or a; idf n, t or p; norm c (cosine) or n (inner product).
    idf
        "training": from the documents of `fit`; "documents": from those that are scored, together; "none".

    Examples
    --------
    >>> model = WORD({"grain": ["wheat", "corn"], "money-fx": "money-fx"}, terms=["corn", "money", "oil"]).fit()
    >>> model.decision_function([[2, 0, 0], [0, 1, 1]]).round(3).tolist()
    [[1.0, 0.0], [0.0, 0.707]]
    """

    names_categories = True
    """A `Categorizer` gives the names of the categories and shows every column of the labels."""

    def __init__(
        self,
        names: Any = None,
        *,
        categories: Sequence[str] | None = None,
        terms: Sequence[str] | None = None,
        analyzer: Any = None,
        weights: str = "ltc",
        idf: str = "training",
    ) -> None:
        self.names = names
        self.categories = categories
        self.terms = terms
        self.analyzer = analyzer
        self.weights = weights
        self.idf = idf

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Read the names; from documents, where there are any, the idf, and from labels the form of the answers."""
        if X is None:
            X = sparse.csr_array((1, self._width()))
        return super().fit(X, y, sample_weight)

    def content(self) -> str:
        """Return the digest of a file or of counts of names: a path or the repr of a matrix would not."""
        if sparse.issparse(self.names):
            counts = sparse.csr_array(self.names)
            parts = [part.tobytes() for part in (counts.indptr, counts.indices, counts.data)]
            return hashlib.sha256(b"".join([repr(counts.shape).encode(), *parts])).hexdigest()
        if not isinstance(self.names, (str, Path)):
            return ""
        return hashlib.sha256(json.dumps(read_names(self.names)).encode()).hexdigest()

    def _width(self) -> int:
        if sparse.issparse(self.names):
            return int(self.names.shape[1])
        if self.terms is None:
            raise InvalidInput("WORD without documents needs `terms`, the names of the columns that it will score")
        return len(self.terms)

    def _take_labels(self, y: Any, rows: int) -> Sparse:
        if y is not None:
            labels = super()._take_labels(y, rows)
            self.categories_ = column_names(self)
            return labels
        self.categories_ = self.known_categories()
        self.classes_ = np.arange(len(self.categories_))
        self.multilabel_ = self.sparse_labels_ = True
        return sparse.csr_array((rows, len(self.classes_)), dtype=bool)

    def known_categories(self) -> tuple[str, ...]:
        """Return the categories where no y names them."""
        if self.categories is not None:
            return tuple(map(str, self.categories))
        names = read_names(self.names) if isinstance(self.names, (str, Path)) else self.names
        if not isinstance(names, Mapping) or not names:
            raise InvalidInput(
                "WORD requires y to be passed, but the target y is None; or name the categories: give `names` as a "
                "mapping or a file, or `categories`"
            )
        return tuple(map(str, names))

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        counts = self._counts(X.shape[1])
        self.unmatched_ = tuple(self.categories_[c] for c in np.flatnonzero(np.diff(counts.indptr) == 0))
        if not sparse.issparse(self.names):  # whoever counted them knows
            self._warn()
        self.idf_ = np.ones(X.shape[1])
        if self.idf == "training" and X.shape[0] and (X.nnz if sparse.issparse(X) else X.any()):
            self.idf_ = idf(X, weights, self.weights[1])
        self.coef_ = term_frequency(counts, self.weights[0])
        if self.idf != "documents":
            self.coef_ = self._weighted(self.idf_)

    def _counts(self, columns: int) -> Sparse:
        """Count how often each column's term occurs in the name of each category."""
        if sparse.issparse(self.names):
            counts = sparse.csr_array(self.names, dtype=np.float64)[self._rows(self.names.shape[0])]
            if counts.shape[1] != columns:
                raise InvalidInput(f"`names` has {counts.shape[1]} columns and X has {columns}; they must be the same")
            counts.eliminate_zeros()
            return counts
        terms = self._term_names() if self.terms is None else self.terms
        if len(terms) != columns:
            raise InvalidInput(f"{len(terms)} names in `terms` for {columns} columns of X; give one each")
        known = self.categories_ if self.categories is None else tuple(self.categories)
        texts = dict(zip(known, name_texts(self.names, known), strict=True))
        return count_words([texts[category] for category in self.categories_], terms, self.analyzer)

    def _rows(self, known: int) -> Ints:
        """Return the rows of `names` by column of y, or by class where classes are whole numbers."""
        whole = self.classes_.dtype.kind in "iu" and 0 <= self.classes_.min() <= self.classes_.max() < known
        if not whole or (self.multilabel_ and len(self.classes_) != known):
            raise InvalidInput(f"`names` has {known} rows for {len(self.classes_)} categories; give one row each")
        return self.classes_

    def _warn(self) -> None:
        if not self.unmatched_:
            return
        shown = ", ".join(map(repr, self.unmatched_[:5])) + (", …" if len(self.unmatched_) > 5 else "")
        bare = self.terms is None and not hasattr(self, "feature_names_in_")
        remedy = "X has no column names: give `terms`" if bare else "describe them in `names`"
        message = (
            f"no word of {len(self.unmatched_)} of {len(self.categories_)} names is a column ({shown}): they score 0"
        )
        warnings.warn(f"{message}; {remedy}", UserWarning, stacklevel=5)

    def _weighted(self, idf: Floats) -> Sparse:
        """Return the names with this idf, of length 1 where the norm is c."""
        names = self.coef_.copy()
        names.data *= idf[names.indices]
        names.eliminate_zeros()
        return unit_rows(names) if self.weights[2] == "c" else names

    def _score(self, X: Any) -> Floats:
        scores = self._scaled(X) @ self._of(X).T
        return scores.toarray() if sparse.issparse(scores) else np.asarray(scores)

    def _of(self, X: Any) -> Sparse:
        """Return the weights of the names when these documents are scored."""
        return self._weighted(idf(X, None, self.weights[1])) if self.idf == "documents" else self.coef_

    def _scaled(self, X: Any) -> Any:
        return unit_rows(X) if self.weights[2] == "c" else X

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the words of the name by their part of the cosine; together they are the score."""
        weights = self._of(X)[[category]].toarray()[0]
        return contributions(self._scaled(X), weights, limit)

    def _evidence_names(self) -> Sequence[str]:
        return super()._evidence_names() if self.terms is None else self.terms

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # columns without names match no name
        return tags

    def _check(self) -> None:
        check_scheme(self.weights)
        if self.idf not in SOURCES:
            raise UnknownName("source of the idf", str(self.idf), SOURCES)
