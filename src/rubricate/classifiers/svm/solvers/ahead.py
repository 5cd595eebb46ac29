"""Compile the kernels of linear SVMs, half of what a first training compiles, in a second process.

python -m rubricate.classifiers.svm.solvers.ahead
"""

from __future__ import annotations

from rubricate.kernels import ahead, is_compiled

__all__ = ["compile_ahead"]

FILES = ("svm_joint", "svm_lanes", "svm_local", "svm_bias", "svm_weights")


def compile_ahead() -> bool:
    """Start the second process unless the code is there already; return whether it was started."""
    return not is_compiled("svm_local", "solve_block") and ahead.start(__name__, FILES)


def _compile() -> None:
    """Solve a problem so small that it takes no time, with arrays of the types of every other."""
    import numpy as np
    from scipy import sparse

    from rubricate.classifiers.svm.svm import SVM

    rows = np.arange(12)
    X = sparse.csr_array(np.eye(12)[rows % 6] + 0.1)
    labels = sparse.csr_array((rows[:, None] % 3 == np.arange(3)).astype(np.int8))
    SVM().fit(X, labels).decision_function(X)


if __name__ == "__main__":
    _compile()
