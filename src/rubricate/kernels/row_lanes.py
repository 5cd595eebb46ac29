"""Sixteen rows of a working set at once: which of them lie outside their interval, and a multiple added to all.

Given  one-dimensional float32 arrays and matrices whose rows have a multiple of 16 numbers.
Return `lanes_off`   a bit for every row of block k with f + up < low or f + down > high
       `lanes_move`  f[c] += step · K[a, c] for all c
Cost   one 512-bit operation per 16 numbers; LLVM splits it on narrower machines.
Edge   no number (nan) is never off. Blocks and rows are not checked against the bounds.

Written as LLVM vectors (see `lane_code`): Numba's own loops over 64 rows take about ten times as long for the first and
twice as long for the second.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode

__all__ = ["lanes_move", "lanes_off"]

_I64 = ir.IntType(64)
_intrinsic: Any = intrinsic


@_intrinsic
def lanes_off(typing: Any, f: Any, low: Any, high: Any, block: Any, up: Any, down: Any) -> Any:
    """Return a bit for every row of a block of sixteen with f + up < low or f + down > high."""
    signature = types.int64(f, low, high, types.int64, f.dtype, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        f, low, high = (lanes.load(builder.gep(lanes.rows(k), [arguments[3]])) for k in range(3))
        below = builder.fcmp_ordered("<", builder.fadd(f, lanes.splat(arguments[4])), low)
        above = builder.fcmp_ordered(">", builder.fadd(f, lanes.splat(arguments[5])), high)
        return lanes.bits(builder.or_(below, above))

    return signature, generate


@_intrinsic
def lanes_move(typing: Any, f: Any, K: Any, row: Any, step: Any) -> Any:
    """Add step · K[row] to f; both have the same multiple of sixteen numbers."""
    signature = types.void(f, K, types.int64, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        shape = context.make_array(signature.args[0])(context, builder, arguments[0]).shape
        count = builder.lshr(builder.extract_value(shape, 0), ir.Constant(_I64, 4))
        values, step = lanes.rows(0), lanes.splat(arguments[3])
        products = builder.gep(lanes.rows(1), [builder.mul(arguments[2], count)])
        with cgutils.for_range(builder, count) as loop:
            place = builder.gep(values, [loop.index])
            product = lanes.load(builder.gep(products, [loop.index]))
            lanes.store(lanes.multiply_add(product, step, lanes.load(place)), place)
        return context.get_dummy_value()

    return signature, generate
