"""Any classifier as one that learns from a label matrix and decides: what the resampling estimators repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.errors import InvalidInput
from rubricate.folds import _rows as rows_of
from rubricate.labels import indicator
from rubricate.thresholds._aligned import Aligned
from rubricate.types import Bools, Counts, Ints, Signature, Sparse

__all__ = ["Decide", "corrected", "described", "fold_rows", "learn", "losses", "rows_of"]

Decide: TypeAlias = Callable[[Any], Sparse]


def learn(classifier: Any, X: Any, labels: Sparse, *, single: bool = False) -> Decide:
    """Fit a copy and give what decides: vectors or texts → boolean matrix, documents × categories.

    A `Categorizer` learns everything anew, cuts included. Any other classifier decides by its own `predict`:
    with `single` the best class of each document, else each category by itself. A category that none or all of the
    documents have is not shown to it, and is never or always assigned.
    """
    if not hasattr(classifier, "fit") or isinstance(classifier, type):
        raise InvalidInput(f"expected a classifier such as rb.SVM(C=1), got {classifier!r}")
    if hasattr(classifier, "decide"):
        fitted = clone(classifier).fit(X, labels)
        return lambda rows: indicator(fitted.decide(rows).values)
    form = "classes" if single else "matrix"
    part = Aligned(classifier, form=form, classes=np.arange(labels.shape[1])).fit(X, labels)  # type: ignore[arg-type]
    return lambda rows: _decide(part, rows, labels.shape[1], single)


def _decide(part: Aligned, rows: Any, columns: int, single: bool) -> Sparse:
    n = int(rows.shape[0] if hasattr(rows, "shape") else len(rows))
    decided = np.tile(part.constants_ > 0, (n, 1))
    if part.classifier_ is None:
        return sparse.csr_array(decided)
    found = part.classifier_.predict(rows)
    if single:
        return sparse.csr_array((np.ones(n, bool), np.asarray(found, np.int64), np.arange(n + 1)), shape=(n, columns))
    dense = found.toarray() if sparse.issparse(found) else np.asarray(found)
    decided[:, part.columns_] = dense.reshape(n, -1) != 0
    return sparse.csr_array(decided)


def losses(truth: Sparse, decided: Sparse) -> tuple[Bools, Bools]:
    """(false negatives, false positives), dense: documents × categories."""
    true, yes = truth.toarray().astype(bool), decided.toarray().astype(bool)
    return true & ~yes, ~true & yes


def described(classifier: Any, signature: Signature | None, seed: int | None = None) -> Signature:
    """The signature given, or one that names the classifier."""
    return signature or Signature(classifier=" ".join(repr(classifier).split()), seed=seed)


def corrected(labels: Sparse, fn: Any, fp: Any) -> Counts:
    """A table from expected false negatives and positives, which are kept within what there is."""
    n, positives = labels.shape[0], np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
    fn, fp = np.clip(fn, 0, positives), np.clip(fp, 0, n - positives)
    return Counts(positives - fn, fp, fn, n - positives - fp)


def fold_rows(folds: Ints) -> list[tuple[Ints, Ints]]:
    """(held, kept) documents of each fold."""
    return [(np.flatnonzero(folds == k), np.flatnonzero(folds != k)) for k in np.unique(folds)]
