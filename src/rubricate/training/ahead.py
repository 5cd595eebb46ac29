"""Compile the kernels of linear SVMs and of intervals, half of what a first training compiles, in a second process.

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
INTERVALS = ("ratio_errors",)
LONGEST = ("svm_local", "_solve_block")
"""The kernel that takes longest to compile: where its code is there, that of the others is."""
TEXTS = ("wheat from the north", "the price of wheat")


def compile_ahead() -> bool:
    """Start the second process unless the code is there already; return whether it was started."""
    return not is_compiled(*LONGEST) and ahead.start(__name__, (*SVMS, *INTERVALS))


def compile_meanwhile(representations: Iterable[Any]) -> None:
    """Compile what comparing representations needs besides SVMs, for which this process would only wait."""
    from sklearn.base import clone

    from rubricate.measures import counts

    if ahead.underway(SVMS[0]):
        for representation in representations:
            clone(representation).fit_transform(TEXTS)
        for by in ("category", "document"):
            counts(_labels(), _labels(), by=by)


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


def _compile_intervals() -> None:
    import numpy as np

    from rubricate.kernels.rows import Rows
    from rubricate.measures.intervals.studentized import RatioParts

    one = Rows(np.arange(2, dtype=np.int64), np.zeros(1, np.int32), np.ones(1))
    RatioParts(one, one, 1).drawn(np.ones((1, 1)))


def _compile() -> None:
    """Compile group by group, in the order of use, and say which files are done."""
    gc.disable()  # a twelfth of the time; the process ends soon
    for work, files in ((_compile_svms, SVMS), (_compile_intervals, INTERVALS)):
        work()
        print(*files, flush=True)


if __name__ == "__main__":
    _compile()
