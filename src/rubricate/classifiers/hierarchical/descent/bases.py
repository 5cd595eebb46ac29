"""The base classifier of the problems of a hierarchy: ours or scikit-learn's, for a label matrix or for one column.

A classifier that takes no label matrix, such as scikit-learn's `LogisticRegression`, is fitted for each problem by
itself; the machine of a group is then the tuple of the fitted ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from rubricate.classifiers.base.scorer import Scorer
from rubricate.classifiers.svm.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.folds import score_matrix
from rubricate.types import Bools, Floats

__all__ = ["base_scores", "default_base", "fit_base", "natural_cut"]


def default_base(base: Any) -> Any:
    """Return the base, or by default a linear SVM with C = 2, since groups are small and far from balanced."""
    if base is None:
        return SVM(C=2.0, bias="penalised")
    if isinstance(base, type) or not callable(getattr(base, "fit", None)):
        raise InvalidInput(f"base must be a classifier, such as rb.SVM() or LogisticRegression(), got {base!r}")
    return base


def natural_cut(base: Any) -> float:
    """Return the score above which a classifier says yes: its own, 0, or ½ where it has only probabilities."""
    if isinstance(base, Scorer):
        return float(base._natural_cut)
    return 0.0 if hasattr(base, "decision_function") else 0.5


def fit_base(base: Any, X: Any, labels: Bools, *, weights: Floats | None) -> Any:
    """Fit a clone on all columns of the labels; for a base that takes one column, a tuple with one per column."""
    if weights is not None and not has_fit_parameter(base, "sample_weight"):
        raise InvalidInput(f"{type(base).__name__} takes no sample weights; leave them out, or give another base")
    weighed = {} if weights is None else {"sample_weight": weights}
    if isinstance(base, Scorer):
        return clone(base).fit(X, sparse.csr_array(labels), **weighed)
    columns, tags = labels.astype(np.int64), get_tags(base)
    if not tags.target_tags.single_output:  # MultiOutputClassifier and chains: never a single column
        return clone(base).fit(X, columns, **weighed)
    many = tags.target_tags.multi_output or (tags.classifier_tags is not None and tags.classifier_tags.multi_label)
    if many:
        return clone(base).fit(X, columns[:, 0] if labels.shape[1] == 1 else columns, **weighed)
    return tuple(clone(base).fit(X, column, **weighed) for column in columns.T)


def base_scores(machine: Any, X: Any, wanted: int) -> Floats:
    """Return the scores of a fitted base less its natural cut, documents × the problems it has learned."""
    if isinstance(machine, tuple):
        return np.column_stack([base_scores(single, X, 1) for single in machine])
    scores = score_matrix(machine, X)
    if wanted == 1 and scores.shape[1] == 2:  # the probabilities of no and yes
        scores = scores[:, 1:]
    margins: Floats = scores - natural_cut(machine)
    return margins
