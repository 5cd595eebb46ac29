"""Up to sixteen linear SVMs over the same few documents at once, by dual coordinate descent in single precision.

Problem: that of `svm_local`, for sixteen categories (lanes). A visit of a row is one pass over its terms for the scores
of all lanes and one for all steps, so that sixteen machines cost about as much as one.

Given  rows whose mean square length is near 1 (terms uint32, values float32), and `SiblingLanes`: bit c of `labels` is
       y in lane c, `weights` what a row counts for, squares |x_i|², β (rows × 16), and the `state` with a start of the
       bias and the costs. β and bias change in place. For `measure_lanes` any rows, all floats float64.
Return `solve_lanes`    the sweeps done; the gap that ends them is measured as the rows pass, in single precision
       `measure_lanes`  w and the relative duality gap of every lane, exactly
       `lanes_visit`    a bit for every lane that moved, see there
Cost   a sweep is four 512-bit operations per stored value (see `svm_lanes`). No row sleeps: nearly every document
       supports the machine of some sibling, and those that sleep too early cost more sweeps than they save.
Ties   rows are visited in a new random order each sweep, from `seed` alone.
Edge   lanes whose costs are 0 keep β = 0 and their bias. Numbers beyond single precision end in β that are not finite.

The steps are those of `svm_local`; the bias is damped less, since it starts near where it ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode
from rubricate.kernels.rows import Rows
from rubricate.kernels.splitmix import below
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot
from rubricate.kernels.svm_local import Search

__all__ = ["BIAS", "COSTS", "STATES", "SiblingLanes", "lanes_visit", "measure_lanes", "solve_lanes"]

RESIST, LEAST = 0.15, 15.0
"""The share of free rows by which a change of the bias is damped, and the fewest that are counted.

Sweeps × stored values of the 216 parents of WikiVitals: 12.1 to 12.9 million with shares of .05 to .15 and at least 15
or 30 rows, 13.4 with a share of .2, 17.5 with .4. With 5 rows and a start at 0, a category of one document swings for
32 sweeps."""
STILL = np.float32(1e-6)
"""Steps that change a score by less are noise in single precision, and would cost a pass over the row."""

SCORES, BIAS, STEPS, COSTS, PULL, GAP, LOSS, NORM, FREE, STATES = 0, 1, 2, 3, 5, 6, 7, 8, 9, 10
"""Rows of the state, and their number: room for scores, the bias, room for steps, costs of negatives and of positives,
how far the bias moves with Σ β; and of the sweep under way Σ C ξ − α (1 − y f), Σ C ξ, Σ β w·x, the free rows."""

_I16, _I64 = ir.IntType(16), ir.IntType(64)
_BITS = ir.VectorType(ir.IntType(1), LANES)
_intrinsic: Any = intrinsic


class SiblingLanes(NamedTuple):
    """Sixteen SVMs under way, see the top of the file; `state` is STATES × 16."""

    labels: np.ndarray
    weights: np.ndarray
    squares: np.ndarray
    beta: np.ndarray
    state: np.ndarray


@_intrinsic
def lanes_visit(typing: Any, state: Any, beta: Any, label: Any, weight: Any, square: Any, still: Any) -> Any:
    """Make one coordinate step in every lane, with the bias moving along; return a bit for every lane that moved.

    With f = score + bias, y = ±1, α = yβ and C = weight · cost: α becomes α + (1 − y f) / (square + pull) within 0 and
    C, unless f would change by `still` or less; the bias moves by pull · step. The sums of the sweep get this row's
    share, with β before the step.
    """
    signature = types.int64(state, beta, types.int64, state.dtype, state.dtype, state.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        row = [builder.gep(lanes.rows(0), [ir.Constant(_I64, k)]) for k in range(STATES)]
        score, bias, _, negative, positive, pull, gap, loss, norm, free = (lanes.load(pointer) for pointer in row)
        weight, square, still = (lanes.splat(arguments[k]) for k in (3, 4, 5))
        zero, one, flat = lanes.constant(0.0), lanes.constant(1.0), lanes.constant(1e-30)
        is_positive = builder.bitcast(builder.trunc(arguments[2], _I16), _BITS)
        y = builder.select(is_positive, one, lanes.constant(-1.0))
        cap = builder.fmul(weight, builder.select(is_positive, positive, negative))
        old = lanes.load(lanes.rows(1))
        alpha = builder.fmul(y, old)
        lack = builder.fsub(one, builder.fmul(y, builder.fadd(score, bias)))
        hinge = builder.fmul(cap, lanes.choose(">", lack, zero))
        lanes.store(builder.fadd(gap, builder.fsub(hinge, builder.fmul(alpha, lack))), row[GAP])
        lanes.store(builder.fadd(loss, hinge), row[LOSS])
        lanes.store(lanes.multiply_add(old, score, norm), row[NORM])
        # A row of zeros without a bias has no curvature: its α goes to the bound that the gradient points to.
        curve = lanes.choose(">", builder.fadd(square, pull), flat)
        wanted = builder.fadd(alpha, builder.fdiv(lack, curve))
        new = lanes.choose("<", lanes.choose(">", wanted, zero), cap)
        inside = builder.and_(builder.fcmp_ordered(">", new, zero), builder.fcmp_ordered("<", new, cap))
        lanes.store(builder.fadd(free, builder.select(inside, one, zero)), row[FREE])
        change = builder.fsub(new, alpha)
        size = builder.fmul(curve, lanes.choose(">", change, builder.fsub(zero, change)))
        moved = builder.or_(builder.fcmp_ordered(">", size, still), builder.fcmp_ordered("<=", curve, flat))
        step = builder.select(moved, builder.fmul(y, change), zero)
        lanes.store(builder.fadd(old, step), lanes.rows(1))
        lanes.store(step, row[STEPS])
        lanes.store(lanes.multiply_add(pull, step, bias), row[BIAS])
        return lanes.bits(moved)

    return signature, generate


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _room(rows: int, like: np.ndarray) -> np.ndarray:
    """Return zeros, rows × 16, that start at a line of the cache: a row across lines takes half as long again."""
    room = np.zeros((rows + 1) * LANES, like.dtype)
    skip = -room.ctypes.data % 64 // like.itemsize
    return room[skip : skip + rows * LANES].reshape(rows, LANES)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _gaps(block: SiblingLanes, penalty: float, lean: np.ndarray) -> np.ndarray:
    """Return the relative gap of every lane, from the sums of a sweep; `lean` becomes Σ β − λ b."""
    beta, state, gaps = block.beta, block.state, np.zeros(LANES)
    lean[:] = 0.0
    for r in range(len(beta)):
        for c in range(LANES):
            lean[c] += beta[r, c]
    for c in range(LANES):
        gap, primal, b = state[GAP, c], state[LOSS, c] + 0.5 * state[NORM, c], state[BIAS, c]
        if penalty < np.inf:
            lean[c] -= penalty * b
            gap += lean[c] ** 2 / (2 * penalty) if penalty > 0 else abs(b * lean[c]) + 0.5 * lean[c] ** 2
            primal += 0.5 * penalty * b * b
        if state[COSTS, c] > 0:
            gaps[c] = gap / max(primal, 1e-300)
    return gaps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _prepare(block: SiblingLanes, penalty: float, size: float) -> None:
    """Set the sums of the next sweep to 0, and how far each bias moves by the free rows of the last one."""
    state = block.state
    for c in range(LANES):
        resistance = RESIST * max(state[FREE, c], LEAST) / max(size, 1e-30)
        state[PULL, c] = 1 / (penalty + resistance) if state[COSTS, c] > 0 else 0.0
        state[GAP:STATES, c] = 0.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_lanes(rows: Rows, block: SiblingLanes, terms: int, search: Search) -> int:
    """Sweep from β = 0 until every gap is about `tol` · primal, or for `sweeps` sweeps; return the sweeps done."""
    labels, weights, squares, beta, state = block
    n, penalty, lean, size, done = len(labels), search.penalty, np.zeros(LANES), 0.0, 0
    W, order, drawn = _room(terms, state), np.arange(n), np.array([np.uint64(search.seed)])
    for square in squares:
        size += square / n
    while done < search.sweeps:
        for a in range(n - 1):
            j = a + below(drawn, n - a)
            order[a], order[j] = order[j], order[a]
        _prepare(block, penalty, size)
        for r in order:
            lanes_dot(rows, r, W, state[SCORES])
            if lanes_visit(state, beta[r], np.int64(labels[r]), weights[r], squares[r], STILL):
                lanes_add(rows, r, W, state[STEPS])
        done += 1
        if _gaps(block, penalty, lean).max() <= search.tol:
            break
        # The step of the multiplier of Σ β = λ b (augmented Lagrangian).
        for c in range(LANES):
            state[BIAS, c] += state[PULL, c] * lean[c]
    return done


@numba.njit(cache=True, nogil=True, error_model="numpy")
def measure_lanes(rows: Rows, block: SiblingLanes, terms: int, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Return from β and the biases, in the precision of the block: w of every lane (terms × 16) and the relative gaps.

    The sums in `state` change, nothing else does.
    """
    labels, weights, _, beta, state = block
    W, one, never = _room(terms, state), state.dtype.type(1), state.dtype.type(np.inf)
    for r in range(len(labels)):
        lanes_add(rows, r, W, beta[r])
    state[GAP:STATES] = 0.0
    for r in range(len(labels)):
        lanes_dot(rows, r, W, state[SCORES])
        # A visit in which no step is large enough only adds to the sums.
        lanes_visit(state, beta[r], np.int64(labels[r]), weights[r], one, never)
    return W, _gaps(block, penalty, np.zeros(LANES))
