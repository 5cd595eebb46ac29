"""Sixteen weight vectors at once: a sparse row times an array terms × 16, as explicit vector code.

Given  row i of `Rows` (starts int64, terms uint32) and a C-contiguous array `weights`, terms × 16, of the same float
       type as the values; or rows of 16 lanes.
Return `lanes_dot`  out[c] = Σ_t values[t] · weights[terms[t], c]
       `lanes_add`  weights[terms[t], c] += values[t] · factors[c]
       `lanes_step` one clipped coordinate step in some or all lanes, see there
       `lanes_near` a bit for every lane whose β is not zero or whose margin is below a limit
       `lanes_within` a bit for every lane whose margin y (score + bias) is not above its own limit
Cost   one (float32) or two (float64) 512-bit operations per stored value; LLVM splits them on narrower machines.
Edge   an empty row gives zeros. Terms are not checked against the bounds.

Written as LLVM vectors (see `lane_code`). The order of sums is the same on every machine.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode

__all__ = ["LANES", "lanes_add", "lanes_dot", "lanes_near", "lanes_step", "lanes_within"]

LANES = 16

_I16, _I64 = ir.IntType(16), ir.IntType(64)
_intrinsic: Any = intrinsic
_BITS = ir.VectorType(ir.IntType(1), LANES)


@_intrinsic
def lanes_dot(typing: Any, rows: Any, i: Any, weights: Any, out: Any) -> Any:
    """Set out[c] to Σ values · weights[terms, c] over row i."""
    signature = types.void(rows, types.int64, weights, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=2)
        lanes.store(lanes.times_row(lanes.rows(2), lanes.constant(0.0)), lanes.rows(3))
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_add(typing: Any, rows: Any, i: Any, weights: Any, factors: Any) -> Any:
    """Add values · factors[c] to weights[terms, c] over row i."""
    signature = types.void(rows, types.int64, weights, factors)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=2)
        (first, last), factors, weights = lanes.bounds(), lanes.load(lanes.rows(3)), lanes.rows(2)
        with cgutils.for_range(builder, builder.sub(last, first)) as loop:
            term, value = lanes.value(builder.add(first, loop.index))
            row = builder.gep(weights, [term])
            lanes.store(lanes.multiply_add(value, factors, lanes.load(row)), row)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_step(
    typing: Any, state: Any, beta: Any, label: Any, among: Any, weight: Any, inverse: Any, smallest: Any
) -> Any:
    """Make one coordinate step of the dual in the lanes whose bit of `among` is set; return a bit for each that moved.

    `state` is 5 × 16: scores, bias, steps, costs of negatives, costs of positives; bit c of `label` says that the
    document is positive in lane c. With f = score + bias, y = ±1 and 0 <= y β <= weight · cost:
    steps = clip(β − (f − y) · inverse) − β, zero unless larger than `smallest`; β += steps; scores = y f.
    """
    signature = types.int64(state, beta, types.int64, types.int64, state.dtype, state.dtype, state.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        row = [builder.gep(lanes.rows(0), [ir.Constant(_I64, k)]) for k in range(5)]
        score, bias, _, negative, positive = (lanes.load(pointer) for pointer in row)
        weight, inverse, smallest = (lanes.splat(arguments[k]) for k in (4, 5, 6))
        zero, one = lanes.constant(0.0), lanes.constant(1.0)
        is_positive, may_move = (builder.bitcast(builder.trunc(arguments[k], _I16), _BITS) for k in (2, 3))
        # The bounds of β = yα: 0 and weight · cost for a positive, minus that and 0 for a negative.
        y = builder.select(is_positive, one, lanes.constant(-1.0))
        high = builder.select(is_positive, builder.fmul(weight, positive), zero)
        low = builder.select(is_positive, zero, builder.fsub(zero, builder.fmul(weight, negative)))
        f = builder.fadd(score, bias)
        old = lanes.load(lanes.rows(1))
        # Newton's step with the curvature |x|², clipped; tiny steps are dropped so that the row need not be added.
        wanted = builder.fsub(old, builder.fmul(builder.fsub(f, y), inverse))
        step = builder.fsub(lanes.choose("<", lanes.choose(">", wanted, low), high), old)
        large = builder.fcmp_ordered(">", lanes.choose(">", step, builder.fsub(zero, step)), smallest)
        moved = builder.and_(large, may_move)
        step = builder.select(moved, step, zero)
        lanes.store(builder.fadd(old, step), lanes.rows(1))
        lanes.store(step, row[2])
        # The row of scores becomes the margins y f, before the step, for `lanes_near`.
        lanes.store(builder.fmul(y, f), row[0])
        return lanes.bits(moved)

    return signature, generate


@_intrinsic
def lanes_near(typing: Any, beta: Any, margin: Any, limit: Any) -> Any:
    """Return a bit for every lane with β ≠ 0 or margin < limit."""
    signature = types.int64(beta, margin, margin.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        supports = builder.fcmp_unordered("!=", lanes.load(lanes.rows(0)), lanes.constant(0.0))
        close = builder.fcmp_ordered("<", lanes.load(lanes.rows(1)), lanes.splat(arguments[2]))
        return lanes.bits(builder.or_(supports, close))

    return signature, generate


@_intrinsic
def lanes_within(typing: Any, scores: Any, bias: Any, limits: Any, label: Any) -> Any:
    """Return a bit for every lane whose y (score + bias) is at most its limit, or is nan."""
    signature = types.int64(scores, bias, limits, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        score, bias, limit = (lanes.load(lanes.rows(k)) for k in range(3))
        is_positive = builder.bitcast(builder.trunc(arguments[3], _I16), _BITS)
        y = builder.select(is_positive, lanes.constant(1.0), lanes.constant(-1.0))
        margin = builder.fmul(y, builder.fadd(score, bias))
        return lanes.bits(builder.fcmp_unordered("<=", margin, limit))

    return signature, generate
