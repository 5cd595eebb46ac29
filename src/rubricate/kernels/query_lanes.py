"""Thirty-two queries at once: a sparse row times an array terms × 32, and which queries reach their bar.

Given  row i of `Rows` (starts int64, terms uint32, values float32) and rows of 32 lanes in float32.
Return `lanes_total` totals[c] += Σ_t values[t] · weights[terms[t], c];  peaks[c] = max(peaks[c], totals[c])
       `lanes_count` counts[c] = the number of the first n rows whose lane c is at least bars[c]
       `lanes_reach` a bit for every lane whose total is at least its bar
       `prefetch`    nothing: it asks for the cache line of array[i] ahead of its use
Cost   two 512-bit operations per stored value; twice that where an array does not begin at a multiple of 64 bytes,
       for which there is `aligned_lanes`.
Edge   an empty row adds nothing. Terms are not checked against the bounds.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode

__all__ = ["LANES", "aligned_lanes", "lanes_count", "lanes_reach", "lanes_total", "prefetch"]

LANES = 32
_LINE = 64
"""Bytes of a cache line."""
_intrinsic: Any = intrinsic


@_intrinsic
def lanes_total(typing: Any, rows: Any, i: Any, weights: Any, totals: Any, peaks: Any) -> Any:
    """Add row i times `weights` to the totals, and raise the peaks to them."""
    signature = types.void(rows, types.int64, weights, totals, peaks)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=2, lanes=LANES)
        totals, peaks = lanes.rows(3), lanes.rows(4)
        total = lanes.times_row(lanes.rows(2), lanes.load(totals))
        lanes.store(total, totals)
        lanes.store(lanes.choose(">", total, lanes.load(peaks)), peaks)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_reach(typing: Any, totals: Any, bars: Any) -> Any:
    """Return a bit for every lane whose total is at least its bar."""
    signature = types.int64(totals, bars)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0, lanes=LANES)
        return lanes.bits(builder.fcmp_ordered(">=", lanes.load(lanes.rows(0)), lanes.load(lanes.rows(1))))

    return signature, generate


@_intrinsic
def lanes_count(typing: Any, rows: Any, size: Any, bars: Any, counts: Any) -> Any:
    """Set each lane of `counts` to the number of the first `size` rows that reach its bar."""
    signature = types.void(rows, types.int64, bars, counts)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0, lanes=LANES)
        rows, bars = lanes.rows(0), lanes.load(lanes.rows(2))
        total = cgutils.alloca_once_value(builder, lanes.constant(0.0))
        with cgutils.for_range(builder, arguments[1]) as loop:
            reached = builder.fcmp_ordered(">=", lanes.load(builder.gep(rows, [loop.index])), bars)
            one = builder.select(reached, lanes.constant(1.0), lanes.constant(0.0))
            builder.store(builder.fadd(builder.load(total), one), total)
        lanes.store(builder.load(total), lanes.rows(3))
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def prefetch(typing: Any, array: Any, i: Any) -> Any:
    """Ask for the cache line of array[i]; nothing happens where there is none."""
    signature = types.void(array, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.PointerType(ir.IntType(8)))
        kind = ir.FunctionType(ir.VoidType(), [address.type, *[ir.IntType(32)] * 3])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        # To read (0), into all caches (3), data (1).
        builder.call(call, [address, *(ir.Constant(ir.IntType(32), hint) for hint in (0, 3, 1))])
        return context.get_dummy_value()

    return signature, generate


@numba.njit(cache=True, nogil=True)
def aligned_lanes(rows: int) -> np.ndarray:
    """Return zeros, rows × 32 in float32, that begin at a cache line: no load of 64 bytes crosses two."""
    memory = np.zeros(rows * LANES + _LINE // 4, np.float32)
    start = (-memory.ctypes.data % _LINE) // 4
    return memory[start : start + rows * LANES].reshape(rows, LANES)
