"""MessagePack, as far as plain data need it: numbers, texts, bytes, lists and maps. See https://msgpack.org.

Lengths are compared with what is left of the input before anything is made, nesting is limited, and extension types
are refused: no input can make more than a small multiple of its own size.
"""

from __future__ import annotations

import struct
from typing import Any

__all__ = ["unpack"]

_DEEPEST = 64
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d",
    0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {
    0xC4: (bytes, ">B"), 0xC5: (bytes, ">H"), 0xC6: (bytes, ">I"),
    0xD9: (str, ">B"), 0xDA: (str, ">H"), 0xDB: (str, ">I"),
    0xDC: (list, ">H"), 0xDD: (list, ">I"), 0xDE: (dict, ">H"), 0xDF: (dict, ">I"),
}  # fmt: skip


def unpack(data: bytes) -> Any:
    """Return the value that the bytes hold; ValueError where they hold none, or more than one.

    >>> unpack(b"\\x82\\xa1a\\x01\\xa1b\\x92\\xc3\\xc0")
    {'a': 1, 'b': [True, None]}
    """
    value, end = _value(data, 0, 0)
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes too many")
    return value


def _value(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise ValueError(f"nested deeper than {_DEEPEST}")
    if at >= len(data):
        raise ValueError("cut short")
    first, at = data[at], at + 1
    if first < 0x80 or first >= 0xE0:
        return first if first < 0x80 else first - 256, at
    if first in _CONSTANTS:
        return _CONSTANTS[first], at
    if first in _NUMBERS:
        return _number(data, at, _NUMBERS[first])
    if first in _LENGTHS:
        kind, form = _LENGTHS[first]
        length, at = _number(data, at, form)
    elif first < 0xC0:  # short texts, lists and maps have their length in the same byte
        kind, length = (str, first & 0x1F) if first >= 0xA0 else (list if first >= 0x90 else dict, first & 0x0F)
    else:
        raise ValueError(f"type 0x{first:02x} is not plain data")
    if length * (2 if kind is dict else 1) > len(data) - at:
        raise ValueError("a length beyond the end")
    return _filled(data, at, kind, length=length, depth=depth + 1)


def _number(data: bytes, at: int, form: str) -> tuple[Any, int]:
    end = at + struct.calcsize(form)
    if end > len(data):
        raise ValueError("cut short")
    return struct.unpack_from(form, data, at)[0], end


def _filled(data: bytes, at: int, kind: type, *, length: int, depth: int) -> tuple[Any, int]:
    if kind in (bytes, str):
        raw = data[at : at + length]
        return raw if kind is bytes else raw.decode("utf-8"), at + length
    values = []
    for _ in range(length * (2 if kind is dict else 1)):
        value, at = _value(data, at, depth)
        values.append(value)
    if kind is list:
        return values, at
    if not all(isinstance(key, (str, int)) for key in values[::2]):
        raise ValueError("a key that is neither text nor a number")
    return dict(zip(values[::2], values[1::2], strict=True)), at
