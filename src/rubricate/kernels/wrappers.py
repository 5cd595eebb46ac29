"""What Numba compiles around a kernel: options that leave out the wrappers nobody calls.

A wrapper takes as long to compile as a small function, and longer where arguments are named tuples of arrays.

    FROM_PYTHON    called from Python: no wrapper for C
    FROM_KERNELS   called from kernels alone: no wrapper at all
    NO_REFERENCES  makes no array: references to arrays are not counted, which takes a third of a microsecond for a call
                   with named tuples of them. Numba refuses to compile such a function if it does make one.

A call of the second kind from Python would end the process: `tests/kernels/test_wrappers.py` looks for such calls.
"""

from __future__ import annotations

from typing import Any

__all__ = ["FROM_KERNELS", "FROM_PYTHON", "NO_REFERENCES"]

FROM_PYTHON: Any = {"no_cfunc_wrapper": True}
FROM_KERNELS: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
NO_REFERENCES: Any = {"_nrt": False}
