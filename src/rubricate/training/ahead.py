"""Compile the kernels of linear SVMs, half of what a first training compiles, in a second process.

python -m rubricate.training.ahead

Imports are within the functions: the sooner the second process starts, the better.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

from rubricate.kernels import ahead, is_compiled

__all__ = ["compile_ahead", "compile_meanwhile"]

SVMS = ("svm_joint", "svm_lanes", "svm_local", "svm_bias", "svm_checks", "svm_fold", "svm_weights")
LONGEST = ("svm_local", "_solve_block")
"""The kernel that takes longest to compile: where its code is there, that of the others is."""
TEXTS = ("wheat from the north", "the price of wheat")


def compile_ahead() -> bool:
    """Start the second process unless the code is there already; return whether it was started."""
    return not is_compiled(*LONGEST) and ahead.start(__name__, SVMS)


def compile_meanwhile(representations: Iterable[Any]) -> None:
    """Compile what comparing representations needs besides SVMs, for which this process would only wait."""
    from sklearn.base import clone

    if ahead.underway(SVMS[0]):
        for representation in representations:
            clone(representation).fit_transform(TEXTS)


def _labels() -> Any:
    import numpy as np
    from scipy import sparse

    return sparse.csr_array(np.arange(12)[:, None] % 3 == np.arange(3))


def _compile_svms() -> None:
    """Solve a problem so small that it takes no time, with arrays of the types of every other.

    Without `SVM`, which would import scikit-learn: that takes longer than many a kernel.
    """
    import numpy as np
    from scipy import sparse

    from rubricate.classifiers.svm.solvers.kernel import squared_lengths
    from rubricate.classifiers.svm.solvers.linear import solve_linear
    from rubricate.classifiers.svm.solvers.team import team_of
    from rubricate.classifiers.svm.solvers.weights import WeightSums

    X, labels = sparse.csr_array(np.eye(12)[np.arange(12) % 6] + 0.1), _labels()
    options: dict[str, Any] = {
        "weights": np.ones(12),
        "costs": np.ones((2, 3)),
        "squares": lambda: squared_lengths(X),
        "penalty": 0.0,
        "tol": 1e-3,
        "max_sweeps": 99,
    }
    with team_of(1) as team:
        coef = WeightSums(X, 3, team)
        coef.matrix(solve_linear(X, labels, np.arange(3), seed=0, coef=coef, **options).beta)


def _compile() -> None:
    """Compile, and say which files are done."""
    gc.disable()  # a twelfth of the time; the process ends soon
    _compile_svms()
    print(*SVMS, flush=True)


if __name__ == "__main__":
    _compile()
