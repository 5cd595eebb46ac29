"""Read safetensors files: a JSON header, then the bytes of the tensors. Nothing in such a file can be executed.

    8 bytes     length of the header, little-endian
    header      JSON: name → {"dtype", "shape", "data_offsets": [begin, end]}; "__metadata__" is left alone
    the rest    the tensors, back to back, as the header says

A file from anywhere may be hostile, so everything is checked before a byte of data is touched: the header has at most
`MOST_HEADER` bytes and lies inside the file, shapes are not negative, every tensor has exactly the bytes that its
shape needs, and the tensors cover the data without gap or overlap, as the format demands.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile

__all__ = ["TensorFile", "read_json"]

MOST_HEADER = 1 << 24
MOST_TENSORS = 1 << 16
MOST_JSON = 1 << 26
"""Bytes of a JSON file of an encoder; the largest tokenizers of today have 35 MB."""
BFLOAT16 = "BF16"
TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", BFLOAT16: "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
    "I8": "i1", "U8": "u1", "BOOL": "?",
}  # fmt: skip
FLOATS = ("F64", "F32", "F16", BFLOAT16)


@dataclass(frozen=True)
class _TensorPlace:
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class TensorFile:
    """The tensors of a file by name; each is read when it is asked for.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start, self._places = self._header()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors."""
        return tuple(self._places)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self._place(name).shape

    def floats(self, name: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
        """Return a tensor in single precision; it must have this shape, and finite numbers only."""
        place = self._place(name)
        if shape is not None and place.shape != shape:
            raise self._refuse(f"{name} has the shape {place.shape}, expected {shape}")
        if place.dtype not in FLOATS:
            raise self._refuse(f"{name} holds {place.dtype}, expected floating-point numbers")
        count = (place.end - place.begin) // np.dtype(TYPES[place.dtype]).itemsize
        raw = np.fromfile(self.path, TYPES[place.dtype], count, offset=self._start + place.begin)
        if len(raw) != count:
            raise self._refuse(f"the file ends inside {name}")
        if place.dtype == BFLOAT16:  # the upper half of a single-precision number
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        values = raw.astype(np.float32, copy=False).reshape(place.shape)
        if not np.isfinite(values).all():
            raise self._refuse(f"{name} holds NaN or infinite numbers")
        return values

    def _place(self, name: str) -> _TensorPlace:
        if name not in self._places:
            raise self._refuse(f"no tensor named {name!r}")
        return self._places[name]

    def _header(self) -> tuple[int, dict[str, _TensorPlace]]:
        try:
            size = self.path.stat().st_size
            with self.path.open("rb") as stream:
                length = int.from_bytes(stream.read(8), "little")
                if size < 8 or length > min(MOST_HEADER, size - 8):
                    raise self._refuse(f"its header would have {length:,} bytes of {size:,}")
                text = stream.read(length)
        except OSError as error:
            raise self._refuse(f"cannot be read ({error.strerror or error})") from error
        places = {
            name: self._parse(name, entry) for name, entry in self._members(text).items() if name != "__metadata__"
        }
        if len(places) > MOST_TENSORS:
            raise self._refuse(f"{len(places):,} tensors; more than {MOST_TENSORS:,}")
        self._check_cover(places, size - 8 - length)
        return 8 + length, places

    def _members(self, text: bytes) -> dict[str, Any]:
        try:
            return parse_object(text)
        except ValueError as error:
            raise self._refuse(f"its header is not a JSON object ({error})") from None

    def _parse(self, name: str, entry: Any) -> _TensorPlace:
        try:
            dtype, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        except (KeyError, TypeError, ValueError):
            raise self._refuse(f"the entry of {name!r:.60} is not complete") from None
        if not isinstance(dtype, str) or dtype not in TYPES:
            raise self._refuse(f"{name!r:.60} has the unknown type {dtype!r:.20}")
        if any(type(number) is not int or number < 0 for number in (*shape, begin, end)):
            raise self._refuse(f"{name!r:.60} has a shape or place that is not a whole number from 0 on")
        if end - begin != math.prod(shape) * np.dtype(TYPES[dtype]).itemsize:
            raise self._refuse(f"{name!r:.60} has {end - begin:,} bytes, which its shape does not")
        return _TensorPlace(dtype, shape, begin, end)

    def _check_cover(self, places: dict[str, _TensorPlace], size: int) -> None:
        at = 0
        for place in sorted(places.values(), key=lambda each: (each.begin, each.end)):
            if place.begin != at:
                raise self._refuse("its tensors overlap or leave gaps")
            at = place.end
        if at != size:
            raise self._refuse(f"its tensors have {at:,} bytes, the file has {size:,}")

    def _refuse(self, problem: str) -> InvalidFile:
        return InvalidFile(problem, path=self.path, remedy="get the encoder's files again")


def parse_object(text: bytes) -> dict[str, Any]:
    """Return a JSON object; ValueError where the text is something else, names a key twice or is nested too deep."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise ValueError("a name comes twice")
        return made

    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=members)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError(f"a {type(value).__name__}, not an object")
    return value


def read_json(path: Path) -> Any:
    """Return the JSON of a file of an encoder, or raise InvalidFile."""
    try:
        if path.stat().st_size > MOST_JSON:
            raise InvalidFile(f"more than {MOST_JSON:,} bytes", path=path, remedy="get the encoder's files again")
        return json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror or error})", path=path) from error
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"not JSON ({error!s:.100})", path=path, remedy="get the encoder's files again") from None
