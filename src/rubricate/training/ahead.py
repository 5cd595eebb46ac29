"""Compile the kernels of intervals, which a first training needs, in a second process.

python -m rubricate.training.ahead

Imports are within the functions: the sooner the second process starts, the better.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

from rubricate.kernels import ahead, is_compiled

__all__ = ["compile_ahead", "compile_meanwhile"]

INTERVALS = ("ratio_errors",)
LONGEST = ("ratio_errors", "ratio_errors")
"""The kernel that takes longest to compile: where its code is there, that of the others is."""
TEXTS = ("wheat from the north", "the price of wheat")


def compile_ahead() -> bool:
    """Start the second process unless the code is there already; return whether it was started."""
    return not is_compiled(*LONGEST) and ahead.start(__name__, INTERVALS)


def compile_meanwhile(representations: Iterable[Any]) -> None:
    """Compile what comparing representations needs besides SVMs, for which this process would only wait."""
    from sklearn.base import clone

    from rubricate.measures import counts

    if ahead.underway(INTERVALS[0]):
        for representation in representations:
            clone(representation).fit_transform(TEXTS)
        for by in ("category", "document"):
            counts(_labels(), _labels(), by=by)


def _labels() -> Any:
    import numpy as np
    from scipy import sparse

    return sparse.csr_array(np.arange(12)[:, None] % 3 == np.arange(3))


def _compile_intervals() -> None:
    import numpy as np

    from rubricate.kernels.rows import Rows
    from rubricate.measures.intervals.studentized import RatioParts

    one = Rows(np.arange(2, dtype=np.int64), np.zeros(1, np.int32), np.ones(1))
    RatioParts(one, one, 1).drawn(np.ones((1, 1)))


def _compile() -> None:
    """Compile group by group, in the order of use, and say which files are done."""
    gc.disable()  # a twelfth of the time; the process ends soon
    for work, files in ((_compile_intervals, INTERVALS),):
        work()
        print(*files, flush=True)


if __name__ == "__main__":
    _compile()
