"""One linear SVM on all of its documents, for problems in which most documents support it.

Problem (see `svm_joint`): max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ |w|² − (Σ β_i)² / 2λ,  w = Σ β_i x_i.

Given  the rows and a `Dual` with a feasible start β, whose w is zero on entry; room for the scores of all rows.
Return (primal, dual, sweeps): both values exact, over all rows. β, w, b and the scores (with b) change in place.
Cost   a sweep is two operations per stored value of the rows still active, a measurement of the gap is one.
Edge   ends after `sweeps` sweeps even where the gap is larger than asked for.

Working sets (`svm_local.solve_block`) save nothing here: copies would be as large as the documents, and a gap that is
exact on all rows needs no further check. The sweeps first ask for `EASE` times the gap, since the gap that they measure
as rows pass is above the one at their end.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_local import Dual, Search, add_row, balance, dot_row, solve_rows

__all__ = ["solve_whole"]

EASE = 2.0
"""What the first sweeps ask for, in units of the gap. From an earlier prototype; others were not compared."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _values(rows: Rows, dual: Dual, penalty: float, scores: np.ndarray) -> tuple[float, float]:
    """Return the primal and the dual value; set b where it is free, and the scores."""
    y, cap, beta = dual.y, dual.cap, dual.beta
    half, total, size, loss = 0.0, 0.0, 0.0, 0.0
    for i in range(len(y)):
        scores[i] = dot_row(rows, i, dual.w)
        half += 0.5 * beta[i] * scores[i]
        total += beta[i]
        size += abs(beta[i])
    if penalty == 0:
        dual.bias[0] = best_bias(scores, y, cap)
    b = dual.bias[0]
    for i in range(len(y)):
        scores[i] += b
        loss += cap[i] * max(0.0, 1 - y[i] * scores[i])
    if 0 < penalty < np.inf:
        return half + loss + 0.5 * penalty * b * b, size - half - total * total / (2 * penalty)
    return half + loss, size - half


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_whole(rows: Rows, dual: Dual, search: Search, scores: np.ndarray) -> tuple[float, float, int]:
    """Sweep until the exact gap is at most `tol` · primal."""
    for i in range(len(dual.beta)):
        if dual.beta[i] != 0:
            add_row(rows, i, dual.beta[i], dual.w)
    ask, done, primal, value = EASE * search.tol, 0, np.inf, -np.inf
    while done < search.sweeps:
        _, _, more = solve_rows(rows, dual, Search(search.penalty, ask, search.sweeps - done, search.seed + done))
        done += more
        if search.penalty == 0:
            balance(rows, dual)
        primal, value = _values(rows, dual, search.penalty, scores)
        if primal - value <= search.tol * primal:
            break
        ask *= 0.5
    return primal, value, done
