"""Sixty-four queries at once in whole numbers of 16 bits: a sparse row times terms × 64, and who reaches its bar.

Given  row i of `Rows` (starts int64, terms unsigned, values int16) and rows of 64 lanes in int16.
Return `lanes_total` totals[c] += Σ_t ⌊values[t] · weights[terms[t], c] / 2¹⁶⌋;  peaks[c] = max(peaks[c], totals[c])
       `lanes_count` counts[c] = the number of the first n rows whose lane c is at least bars[c]
       `lanes_reach` a bit for every lane whose total is at least its bar
       `lanes_above` the number of all lanes of the first n rows that are at least a bar
       `prefetch`    nothing: it asks for the cache line of array[i] ahead of its use
Cost   two 512-bit products and two sums per stored value; twice that where an array does not begin at a multiple of 64
       bytes, for which there is `aligned_lanes`.
Edge   an empty row adds nothing. Sums beyond 16 bits wrap. Terms are not checked against the bounds.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode

__all__ = ["LANES", "aligned_lanes", "lanes_above", "lanes_count", "lanes_reach", "lanes_total", "prefetch"]

LANES = 64
_LINE = 64
"""Bytes of a cache line."""
_intrinsic: Any = intrinsic


def _upper_half(lanes: LaneCode, a: Any, b: Any) -> Any:
    """Return ⌊a · b / 2¹⁶⌋: LLVM knows these five steps as one instruction of most processors."""
    wide = ir.VectorType(ir.IntType(32), lanes.lanes)
    product = lanes.builder.mul(lanes.builder.sext(a, wide), lanes.builder.sext(b, wide))
    shift = ir.Constant(wide, [16] * lanes.lanes)
    return lanes.builder.trunc(lanes.builder.lshr(product, shift), lanes.vector)


@_intrinsic
def lanes_total(typing: Any, rows: Any, i: Any, weights: Any, totals: Any, peaks: Any) -> Any:
    """Add the upper halves of row i times `weights` to the totals, and raise the peaks to them."""
    signature = types.void(rows, types.int64, weights, totals, peaks)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=2, lanes=LANES)
        weights, totals, peaks = lanes.rows(2), lanes.rows(3), lanes.rows(4)
        total = cgutils.alloca_once_value(builder, lanes.load(totals))
        first, last = lanes.bounds()
        with cgutils.for_range(builder, builder.sub(last, first)) as loop:
            term, value = lanes.value(builder.add(first, loop.index))
            product = _upper_half(lanes, value, lanes.load(builder.gep(weights, [term])))
            builder.store(builder.add(builder.load(total), product), total)
        own, peak = builder.load(total), lanes.load(peaks)
        lanes.store(own, totals)
        lanes.store(builder.select(builder.icmp_signed(">", own, peak), own, peak), peaks)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_reach(typing: Any, totals: Any, bars: Any) -> Any:
    """Return a bit for every lane whose total is at least its bar."""
    signature = types.int64(totals, bars)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0, lanes=LANES)
        reached = builder.icmp_signed(">=", lanes.load(lanes.rows(0)), lanes.load(lanes.rows(1)))
        return lanes.bits(reached)

    return signature, generate


@_intrinsic
def lanes_count(typing: Any, rows: Any, size: Any, bars: Any, counts: Any) -> Any:
    """Set each lane of `counts` to the number of the first `size` rows that reach its bar."""
    signature = types.void(rows, types.int64, bars, counts)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0, lanes=LANES)
        rows, bars = lanes.rows(0), lanes.load(lanes.rows(2))
        total = cgutils.alloca_once_value(builder, lanes.constant(0))
        with cgutils.for_range(builder, arguments[1]) as loop:
            reached = builder.icmp_signed(">=", lanes.load(builder.gep(rows, [loop.index])), bars)
            builder.store(builder.sub(builder.load(total), builder.sext(reached, lanes.vector)), total)
        lanes.store(builder.load(total), lanes.rows(3))
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_above(typing: Any, rows: Any, size: Any, bar: Any) -> Any:
    """Return how many of the lanes of the first `size` rows reach the bar."""
    signature = types.int64(rows, types.int64, types.int16)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0, lanes=LANES)
        rows, bars = lanes.rows(0), lanes.splat(arguments[2])
        total = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(64), 0))
        with cgutils.for_range(builder, arguments[1]) as loop:
            bits = lanes.bits(builder.icmp_signed(">=", lanes.load(builder.gep(rows, [loop.index])), bars))
            builder.store(builder.add(builder.load(total), builder.ctpop(bits)), total)
        return builder.load(total)

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
    """Return room for rows × 64 in int16 that begins at a cache line: no load of 64 bytes crosses two."""
    memory = np.empty(rows * LANES + _LINE // 2, np.int16)
    start = (-memory.ctypes.data % _LINE) // 2
    return memory[start : start + rows * LANES].reshape(rows, LANES)
