"""Any system as one that learns from a label matrix and decides: what the resampling estimators repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.training.aligned import Aligned
from rubricate.training.execution import Execution
from rubricate.training.material import Material
from rubricate.training.settings import Settings
from rubricate.training.targets import Target, count
from rubricate.types import AnyClassifier, Bools, Counts, Edges, Signature, Sparse

__all__ = ["Decide", "Learner", "corrected", "described", "learn", "losses"]

Decide: TypeAlias = Callable[[Any], Sparse]
"""Vectors or texts → boolean matrix, documents × categories."""


@dataclass(frozen=True, eq=False)
class Learner:
    """Settings of a training and what they need beside documents and labels, to be learned again and again."""

    settings: Settings
    categories: tuple[str, ...]
    taxonomy: Edges | None = None
    engine: Engine | str = "threads"

    def learn(self, X: Any, labels: Sparse) -> Decide:
        """Run the whole procedure on some documents, cuts included, and return what decides."""
        target = Target(labels, self.categories, "sparse", np.array(self.categories, dtype=str))
        target.check()
        material = Material(X, target, taxonomy=self.taxonomy)
        return Execution(self.settings.procedure(material), material, engine=self.engine).model().decide


def learn(classifier: AnyClassifier, X: Any, labels: Sparse, *, single: bool = False) -> Decide:
    """Fit a copy and return what decides.

    A `Categorizer` and a `Learner` learn everything anew, cuts included. Any other classifier decides by its own
    `predict`: with `single` the best class of each document, else each category by itself. A category that none or all
    of the documents have is not shown to it, and is never or always assigned.
    """
    if isinstance(classifier, Learner):
        return classifier.learn(X, labels)
    if not hasattr(classifier, "fit") or isinstance(classifier, type):
        raise InvalidInput(f"expected a classifier such as rb.SVM(C=1), got {classifier!r}")
    if hasattr(classifier, "settings"):
        names = tuple(map(str, range(labels.shape[1])))
        return Learner(classifier.settings(), names, engine=classifier.engine).learn(X, labels)
    part = Aligned(classifier, form="classes" if single else "matrix", classes=np.arange(labels.shape[1]))
    part.fit(X, labels)
    return lambda rows: _decide(part, rows, single=single)


def _decide(part: Aligned, rows: Any, *, single: bool) -> Sparse:
    n, columns = count(rows), len(part.constants_)
    decided = np.tile(part.constants_ > 0, (n, 1))
    if part.classifier_ is None:
        return sparse.csr_array(decided)
    classes = part.classifier_.predict(rows)
    if single:
        return sparse.csr_array((np.ones(n, bool), np.asarray(classes, np.int64), np.arange(n + 1)), shape=(n, columns))
    dense = classes.toarray() if sparse.issparse(classes) else np.asarray(classes)
    decided[:, part.columns_] = dense.reshape(n, -1) != 0
    return sparse.csr_array(decided)


def losses(truth: Sparse, decided: Sparse) -> tuple[Bools, Bools]:
    """Return false negatives and false positives, dense: documents × categories."""
    true, yes = truth.toarray().astype(bool), decided.toarray().astype(bool)
    return true & ~yes, ~true & yes


def described(classifier: AnyClassifier, signature: Signature | None, seed: int | None = None) -> Signature:
    """Return the signature given, or one that names the classifier."""
    return signature or Signature(classifier=" ".join(repr(classifier).split()), seed=seed)


def corrected(labels: Sparse, fn: Any, fp: Any) -> Counts:
    """Return a table from expected false negatives and positives, which are kept within what there is."""
    n, positives = labels.shape[0], np.bincount(labels.indices, minlength=labels.shape[1]).astype(np.float64)
    fn, fp = np.clip(fn, 0, positives), np.clip(fp, 0, n - positives)
    return Counts(positives - fn, fp, fn, n - positives - fp)
