"""Parameters of an SVM: checked, and turned into costs and a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.kernel import Kernel
from rubricate.errors import InvalidInput, UnknownName
from rubricate.native.kernel_svm import KINDS
from rubricate.types import Floats, Sparse

__all__ = ["PENALTIES", "check_options", "class_costs", "make_kernel"]

PENALTIES = {"free": 0.0, "penalised": 1.0, None: np.inf}
"""The λ of ½ λ b² for each kind of bias."""


def _positive(name: str, value: Any, kind: Any = Real) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        what = "a positive number" if kind is Real else "a positive whole number"
        raise InvalidInput(f"SVM: {name} must be {what}, got {value!r}")


def check_options(svm: Any) -> None:
    """Check the parameters of an SVM; raise what is wrong."""
    if svm.kernel not in KINDS:
        raise UnknownName("kernel", str(svm.kernel), KINDS)
    if svm.bias not in PENALTIES:
        raise InvalidInput(f"SVM: bias must be 'free', 'penalised' or None, got {svm.bias!r}")
    for name in ("C", "tol", "cache_size"):
        _positive(name, getattr(svm, name))
    for name in ("degree", "max_sweeps", *([] if svm.threads is None else ["threads"])):
        _positive(name, getattr(svm, name), Integral)
    if svm.gamma not in ("scale", "auto"):
        _positive("gamma", svm.gamma)
    if not isinstance(svm.centroid, Real) or isinstance(svm.centroid, bool) or not 0 <= float(svm.centroid) < np.inf:
        raise InvalidInput(f"SVM: centroid must be a number of 0 or more, got {svm.centroid!r}")
    if svm.centroid and svm.kernel != "linear":
        raise InvalidInput(f"SVM: centroid={svm.centroid!r} needs the linear kernel, got kernel={svm.kernel!r}")
    if svm.probability not in (False, "sigmoid"):
        raise InvalidInput(f"SVM: probability must be False or 'sigmoid', got {svm.probability!r}")


def make_kernel(svm: Any, X: Any) -> Kernel:
    """Return the kernel with its γ: the parameter, or 1 / (terms · variance of all values of X), or 1 / terms."""
    gamma = svm.gamma
    if gamma == "auto":
        gamma = 1 / X.shape[1]
    elif gamma == "scale":
        cells = X.shape[0] * X.shape[1]
        values = X.data if sparse.issparse(X) else np.ravel(X)
        variance = float((values**2).sum() / cells - (values.sum() / cells) ** 2)
        gamma = 1 / (X.shape[1] * variance) if variance > 0 else 1.0
    return Kernel(svm.kernel, float(gamma), int(svm.degree), float(svm.coef0))


def class_costs(class_weight: Any, classes: Any, labels: Sparse, *, weights: Floats) -> Floats:
    """Return the factors of the cost of negatives and of positives, 2 × categories.

    For a y of two classes `labels` has one column, and each class has its factor. `weights` are those of the documents.
    """
    costs = np.ones((2, labels.shape[1]))
    if class_weight is None:
        return costs
    if class_weight == "balanced":
        inside, total = labels.T @ weights, weights.sum()
        for row, own in ((0, total - inside), (1, inside)):
            costs[row] = np.where(own > 0, total / (2 * np.where(own > 0, own, 1)), 1.0)
        return costs
    if not isinstance(class_weight, Mapping):
        raise InvalidInput(f"SVM: class_weight must be None, 'balanced' or a mapping, got {class_weight!r}")
    known = list(classes)
    for name, factor in class_weight.items():
        if name not in known:
            raise InvalidInput(f"SVM: class_weight names {name!r}, which is not a class of y")
        _positive(f"class_weight[{name!r}]", factor)
        if labels.shape[1] == 1 and len(known) == 2:
            costs[known.index(name), 0] = factor
        else:
            costs[1, known.index(name)] = factor
    return costs
