"""Sixteen rows of a working set at once: which of them lie outside their interval, by how much, and multiples added.

Given  one-dimensional float32 arrays, and matrices K of whole numbers of 16 bits (products of `unit` each, which is
       part of the factors given), all with a multiple of 16 numbers in a row; rows of K may be longer than the arrays.
Return `lanes_off`      a bit for every row of block k with f + up < low or f + down > high
       `lanes_seek`     the next block with such a row, and its bits
       `lanes_reached`  the next block with a margin that a multiple of K[a] would bring below what it may be
       `lanes_short`    a bit for every lane in which a margin falls short of 1 by more than the level
       `lanes_move`     f[c] += step · K[a, c] for all c
       `lanes_shift`    out[c] = f[c] + step · g[c] − back · K[a, c] for all c
       `lanes_lack`     (Σ s², Σ (now − before) s) over all rows, s being what f + b lacks to lie within [low, high]
       `lanes_lack_without`  the same for what `lanes_shift` would set, with the shares of the rows as factors of s
Cost   one to four 512-bit operations per 16 numbers; LLVM splits them on narrower machines. Rows of 16 bits take
       half the time of float32 where K does not fit the second-level cache (1,100 rows).
Edge   no number (nan) is never off. Blocks and rows are not checked against the bounds. Sums are of float32, sixteen
       apart, which are added in order at the end: the same on every machine.

Written as LLVM vectors (see `lane_code`): Numba's own loops over 64 rows take about ten times as long for the first and
twice as long for the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode

__all__ = [
    "lanes_lack",
    "lanes_lack_without",
    "lanes_move",
    "lanes_off",
    "lanes_reached",
    "lanes_seek",
    "lanes_shift",
    "lanes_short",
]

_I64 = ir.IntType(64)
_intrinsic: Any = intrinsic


@_intrinsic
def lanes_off(typing: Any, f: Any, low: Any, high: Any, block: Any, up: Any, down: Any) -> Any:
    """Return a bit for every row of a block of sixteen with f + up < low or f + down > high."""
    signature = types.int64(f, low, high, types.int64, f.dtype, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        return _off(
            lanes, [lanes.rows(k) for k in range(3)], arguments[3], [lanes.splat(each) for each in arguments[4:]]
        )

    return signature, generate


@_intrinsic
def lanes_seek(typing: Any, f: Any, low: Any, high: Any, block: Any, up: Any, down: Any) -> Any:
    """Return (k, bits) of the first block k from `block` on whose bits, those of `lanes_off`, are not all zero.

    k is the number of blocks if there is none.
    """
    signature = types.UniTuple(types.int64, 2)(f, low, high, types.int64, f.dtype, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        arrays, bounds = [lanes.rows(k) for k in range(3)], [lanes.splat(each) for each in arguments[4:]]
        return _first_block(builder, arguments[3], count, lambda block: _off(lanes, arrays, block, bounds))

    return signature, generate


def _first_block(builder: Any, start: Any, count: Any, bits_of: Callable[[Any], Any]) -> Any:
    """Return (k, bits) of the first block k from `start` on whose bits are not all zero, or (count, 0)."""
    zero = ir.Constant(_I64, 0)
    place, found = (cgutils.alloca_once_value(builder, each) for each in (start, zero))
    test, body, after, end = (builder.append_basic_block(name) for name in ("test", "body", "after", "end"))
    builder.branch(test)
    builder.position_at_end(test)
    builder.cbranch(builder.icmp_signed("<", builder.load(place), count), body, end)
    builder.position_at_end(body)
    bits = bits_of(builder.load(place))
    builder.store(bits, found)
    builder.cbranch(builder.icmp_signed("==", bits, zero), after, end)
    builder.position_at_end(after)
    builder.store(builder.add(builder.load(place), ir.Constant(_I64, 1)), place)
    builder.branch(test)
    builder.position_at_end(end)
    return cgutils.pack_array(builder, [builder.load(place), builder.load(found)])


def _off(lanes: LaneCode, arrays: list[Any], block: Any, bounds: list[Any]) -> Any:
    """Return the bits of `lanes_off` for a block of f, low and high, and (up, down)."""
    builder = lanes.builder
    f, low, high = (lanes.load(builder.gep(each, [block])) for each in arrays)
    below = builder.fcmp_ordered("<", builder.fadd(f, bounds[0]), low)
    above = builder.fcmp_ordered(">", builder.fadd(f, bounds[1]), high)
    return lanes.bits(builder.or_(below, above))


@_intrinsic
def lanes_reached(
    typing: Any, y: Any, spare: Any, K: Any, row: Any, block: Any, back: Any, shift: Any, level: Any
) -> Any:
    """Return (k, bits) of the first block k from `block` on with some y (back · K[row] − shift) > spare + level.

    k is the number of blocks if there is none.
    """
    signature = types.UniTuple(types.int64, 2)(y, spare, K, types.int64, types.int64, y.dtype, y.dtype, y.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        y, spare, products = _loaded(lanes, 0), _loaded(lanes, 1), _coded(lanes, 2, arguments[3])
        back, shift, level = (lanes.splat(each) for each in arguments[5:])

        def bits(k: Any) -> Any:
            fall = builder.fmul(y(k), builder.fsub(builder.fmul(back, products(k)), shift))
            return lanes.bits(builder.fcmp_ordered(">", fall, builder.fadd(spare(k), level)))

        return _first_block(builder, arguments[4], count, bits)

    return signature, generate


@_intrinsic
def lanes_short(typing: Any, change: Any, shift: Any, levels: Any, y: Any, spare: Any) -> Any:
    """Return a bit for every one of sixteen lanes with spare + level + y (change + shift) < 0."""
    signature = types.int64(change, shift, levels, change.dtype, change.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = LaneCode(context, builder, signature, arguments, like=0)
        change, shift, levels = (lanes.load(lanes.rows(k)) for k in range(3))
        y, spare = (lanes.splat(each) for each in arguments[3:])
        margin = lanes.multiply_add(y, builder.fadd(change, shift), builder.fadd(spare, levels))
        return lanes.bits(builder.fcmp_ordered("<", margin, lanes.constant(0.0)))

    return signature, generate


def _lanes_and_blocks(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[LaneCode, Any]:
    """Return vectors of sixteen, and how many blocks of sixteen the first argument has."""
    shape = context.make_array(signature.args[0])(context, builder, arguments[0]).shape
    blocks = builder.lshr(builder.extract_value(shape, 0), ir.Constant(_I64, 4))
    return LaneCode(context, builder, signature, arguments, like=0), blocks


def _coded(lanes: LaneCode, argument: int, row: Any) -> Callable[[Any], Any]:
    """Return a function that loads blocks of a row of a matrix of whole numbers of 16 bits, as floats."""
    builder, short = lanes.builder, ir.VectorType(ir.IntType(16), lanes.lanes)
    matrix = lanes.context.make_array(lanes.types[argument])(lanes.context, builder, lanes.values[argument])
    blocks = builder.lshr(builder.extract_value(matrix.shape, 1), ir.Constant(_I64, 4))
    start = builder.gep(builder.bitcast(matrix.data, ir.PointerType(short)), [builder.mul(row, blocks)])
    return lambda block: builder.sitofp(builder.load(builder.gep(start, [block]), align=2), lanes.vector)


@_intrinsic
def lanes_move(typing: Any, f: Any, K: Any, row: Any, step: Any) -> Any:
    """Add step · K[row] to f, as far as f goes."""
    signature = types.void(f, K, types.int64, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        values, step = lanes.rows(0), lanes.splat(arguments[3])
        products = _coded(lanes, 1, arguments[2])
        with cgutils.for_range(builder, count) as loop:
            place = builder.gep(values, [loop.index])
            lanes.store(lanes.multiply_add(products(loop.index), step, lanes.load(place)), place)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def lanes_shift(typing: Any, out: Any, f: Any, g: Any, K: Any, row: Any, step: Any, back: Any) -> Any:
    """Set out = f + step · g − back · K[row], as far as `out` goes."""
    signature = types.void(out, f, g, K, types.int64, f.dtype, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        out, f, g = (lanes.rows(k) for k in range(3))
        shifted = _shifted(lanes, f, g, _coded(lanes, 3, arguments[4]), arguments[5:])
        with cgutils.for_range(builder, count) as loop:
            lanes.store(shifted(loop.index), builder.gep(out, [loop.index]))
        return context.get_dummy_value()

    return signature, generate


def _shifted(lanes: LaneCode, f: Any, g: Any, products: Callable[[Any], Any], factors: Any) -> Callable[[Any], Any]:
    """Return a function that gives blocks of f + step · g − back · products."""
    builder, step = lanes.builder, lanes.splat(factors[0])
    back = lanes.splat(builder.fneg(factors[1]))

    def block(k: Any) -> Any:
        plus = lanes.multiply_add(lanes.load(builder.gep(g, [k])), step, lanes.load(builder.gep(f, [k])))
        return lanes.multiply_add(products(k), back, plus)

    return block


@_intrinsic
def lanes_lack(typing: Any, f: Any, low: Any, high: Any, before: Any, now: Any, b: Any) -> Any:
    """Return (Σ s², Σ (now − before) s), s being low − f − b if that is positive, high − f − b if that is negative."""
    signature = types.UniTuple(f.dtype, 2)(f, low, high, before, now, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        f, low, high, before, now = (_loaded(lanes, k) for k in range(5))
        bias = lanes.splat(arguments[5])

        def terms(k: Any) -> tuple[Any, Any]:
            return _lack(lanes, builder.fadd(f(k), bias), low(k), high(k)), builder.fsub(now(k), before(k))

        return _sums(lanes, count, terms)

    return signature, generate


@_intrinsic
def lanes_lack_without(
    typing: Any, f: Any, low: Any, high: Any, share: Any, g: Any, K: Any, row: Any, step: Any, back: Any, b: Any
) -> Any:
    """Return (Σ s², Σ share · s), s being that of `lanes_lack` for f + step · g − back · K[row] instead of f."""
    signature = types.UniTuple(f.dtype, 2)(f, low, high, share, g, K, types.int64, f.dtype, f.dtype, f.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, count = _lanes_and_blocks(context, builder, signature, arguments)
        low, high, share = (_loaded(lanes, k) for k in (1, 2, 3))
        products, bias = _coded(lanes, 5, arguments[6]), lanes.splat(arguments[9])
        shifted = _shifted(lanes, lanes.rows(0), lanes.rows(4), products, arguments[7:9])

        def terms(k: Any) -> tuple[Any, Any]:
            return _lack(lanes, builder.fadd(shifted(k), bias), low(k), high(k)), share(k)

        return _sums(lanes, count, terms)

    return signature, generate


def _loaded(lanes: LaneCode, argument: int) -> Callable[[Any], Any]:
    """Return a function that loads blocks of an array."""
    start = lanes.rows(argument)
    return lambda block: lanes.load(lanes.builder.gep(start, [block]))


def _lack(lanes: LaneCode, score: Any, low: Any, high: Any) -> Any:
    """Return low − score where that is positive, high − score where that is negative, else 0."""
    zero = lanes.constant(0.0)
    short = lanes.choose(">", lanes.builder.fsub(low, score), zero)
    return lanes.builder.fadd(short, lanes.choose("<", lanes.builder.fsub(high, score), zero))


def _sums(lanes: LaneCode, count: Any, terms: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Return (Σ s², Σ s t) over all blocks; `terms` gives s and t of a block."""
    builder = lanes.builder
    sums = [cgutils.alloca_once_value(builder, lanes.constant(0.0)) for _ in range(2)]
    with cgutils.for_range(builder, count) as loop:
        lack, other = terms(loop.index)
        for total, factor in zip(sums, (lack, other), strict=True):
            builder.store(lanes.multiply_add(lack, factor, builder.load(total)), total)
    return cgutils.pack_array(builder, [lanes.sum(builder.load(each)) for each in sums])
