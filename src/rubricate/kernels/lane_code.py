"""Vectors of 16 floats or more in code that is generated for Numba: loads, stores, sums, comparisons of whole lanes.

Numba's own loops over lanes keep sums in memory and take four times as long, which is why a few inner loops are
written as LLVM vectors. An intrinsic makes a `LaneCode` from what Numba hands it and builds its code with the methods.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

__all__ = ["LaneCode", "lined", "lowest_lane"]

LINE = 64
"""Bytes of a line of the cache."""

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_ONE = ir.Constant(_I64, 1)
_intrinsic: Any = intrinsic


class LaneCode:
    """Vectors of `lanes` numbers in the code being generated, of the type of the array argument `like`."""

    def __init__(
        self, context: Any, builder: Any, signature: Any, arguments: Any, *, like: int, lanes: int = 16
    ) -> None:
        self.context, self.builder = context, builder
        self.types, self.values = signature.args, arguments
        element = context.get_value_type(signature.args[like].dtype)
        self.single = isinstance(element, ir.FloatType)
        self.size = signature.args[like].dtype.bitwidth // 8
        self.lanes = lanes
        self.vector = ir.VectorType(element, lanes)

    def _pointer(self, kind: Any, value: Any) -> Any:
        return self.context.make_array(kind)(self.context, self.builder, value).data

    def rows(self, argument: int) -> Any:
        """Return the pointer to the data of an array argument, as rows of lanes."""
        data = self._pointer(self.types[argument], self.values[argument])
        return self.builder.bitcast(data, ir.PointerType(self.vector))

    def _sparse(self, part: int) -> Any:
        """Return the pointer to the starts, terms or values of `Rows`, which is argument 0."""
        return self._pointer(self.types[0].types[part], self.builder.extract_value(self.values[0], part))

    def bounds(self) -> tuple[Any, Any]:
        """Return the first position of the row that argument 1 names, and the one after its last."""
        starts, row = self._sparse(0), self.values[1]
        following = self.builder.add(row, _ONE)
        return tuple(self.builder.load(self.builder.gep(starts, [i])) for i in (row, following))

    def load(self, pointer: Any) -> Any:
        """Return the vector at a pointer."""
        return self.builder.load(pointer, align=self.size)

    def store(self, vector: Any, pointer: Any) -> None:
        """Write a vector to a pointer."""
        self.builder.store(vector, pointer, align=self.size)

    def constant(self, number: float) -> Any:
        """Return a number in every lane."""
        return ir.Constant(self.vector, [number] * self.lanes)

    def splat(self, scalar: Any) -> Any:
        """Return a computed scalar in every lane."""
        undefined = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
        return self.builder.shuffle_vector(
            first, undefined, ir.Constant(ir.VectorType(_I32, self.lanes), [0] * self.lanes)
        )

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        """Return a · b + c."""
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fmuladd.v{self.lanes}f{32 if self.single else 64}"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), [a, b, c])

    def choose(self, sign: str, a: Any, b: Any) -> Any:
        """Return the larger (">") or smaller ("<") of two vectors, lane by lane."""
        return self.builder.select(self.builder.fcmp_ordered(sign, a, b), a, b)

    def sum(self, vector: Any) -> Any:
        """Return the sum of all lanes, one after the other."""
        parts = [self.builder.extract_element(vector, ir.Constant(_I32, lane)) for lane in range(self.lanes)]
        return reduce(self.builder.fadd, parts)

    def value(self, position: Any) -> tuple[Any, Any]:
        """Return term and value (in every lane) at a position of the rows."""
        term = self.builder.zext(self.builder.load(self.builder.gep(self._sparse(1), [position])), _I64)
        return term, self.splat(self.builder.load(self.builder.gep(self._sparse(2), [position])))

    def times_row(self, weights: Any, start: Any) -> Any:
        """Return start + Σ value · weights[term] over the row that argument 1 names.

        Even and odd positions are summed apart, so that the two sums do not wait for each other.
        """
        builder, (first, last) = self.builder, self.bounds()
        sums = [cgutils.alloca_once_value(builder, own) for own in (start, self.constant(0.0))]

        def step(position: Any, total: Any) -> None:
            term, value = self.value(position)
            row = self.load(builder.gep(weights, [term]))
            builder.store(self.multiply_add(value, row, builder.load(total)), total)

        count = builder.sub(last, first)
        with cgutils.for_range(builder, builder.ashr(count, _ONE)) as loop:
            even = builder.add(first, builder.shl(loop.index, _ONE))
            step(even, sums[0])
            step(builder.add(even, _ONE), sums[1])
        with builder.if_then(builder.icmp_signed("==", builder.and_(count, _ONE), _ONE)):
            step(builder.sub(last, _ONE), sums[0])
        return builder.fadd(builder.load(sums[0]), builder.load(sums[1]))

    def bits(self, condition: Any) -> Any:
        """Return the lanes of a condition as bits of a whole number."""
        bits = self.builder.bitcast(condition, ir.IntType(self.lanes))
        return bits if self.lanes == 64 else self.builder.zext(bits, _I64)


def lined(rows: int, kind: Any = np.float64, *, lanes: int = 16, make: Any = np.zeros) -> Any:
    """Return an array, rows × lanes, that starts at a line of the cache: rows across two take half as long again."""
    kind = np.dtype(kind)
    room = make(rows * lanes + LINE // kind.itemsize, kind)
    skip = -room.ctypes.data % LINE // kind.itemsize
    return room[skip : skip + rows * lanes].reshape(rows, lanes)


@_intrinsic
def lowest_lane(typing: Any, bits: Any) -> Any:
    """Return the number of the lowest bit that is set; that of 0 is undefined."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
