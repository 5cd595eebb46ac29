"""Change inputs at random: bits, bytes, blocks, numbers, lines; parts of other inputs are spliced in."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["mutated"]

INTERESTING = (
    b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"-1", b"0", b"9" * 30, b"1e400", b"nan", b"-inf",
    b"\r\n", b"\n\n", b'"', b"'", b"\\", b";", b",", b"\t", b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"&", b"/",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", "é".encode(), "\u202e".encode(), b"null",
    b"true", b"[" * 300, b"(" * 300, b"{\"a\":" * 300, b"a/" * 300, b"not " * 300,
    b"@prefix", b"=1+1", b"__label__", b"\x1b[2J",
)  # fmt: skip
"""What parsers stumble over: limits of numbers, quotes, brackets, marks of encodings, deep nesting."""
LONGEST = 1 << 16


def _flip(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    if data:
        data[at % len(data)] ^= 1 << generator.randrange(8)


def _byte(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    data[at : at + 1] = bytes([generator.randrange(256)])


def _insert(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    data[at:at] = generator.choice(INTERESTING)


def _delete(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    del data[at : at + generator.randrange(1, 20)]


def _repeat(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    data[at:at] = data[at : at + generator.randrange(1, 40)] * generator.choice((1, 1, 2, 2, 3, 50))


def _cut(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    del data[at:]


def _splice(data: bytearray, at: int, others: Sequence[bytes], generator: random.Random) -> None:
    other = generator.choice(others)
    start = generator.randrange(len(other) + 1)
    data[at:] = other[start:]


CHANGES: tuple[Callable[[bytearray, int, Sequence[bytes], random.Random], None], ...] = (
    _flip, _flip, _byte, _byte, _insert, _insert, _delete, _repeat, _cut, _splice,
)  # fmt: skip


def mutated(data: bytes, others: Sequence[bytes], generator: random.Random) -> bytes:
    """Return the input after one to eight changes."""
    changed = bytearray(data)
    for _ in range(generator.choice((1, 1, 1, 2, 2, 4, 8))):
        generator.choice(CHANGES)(changed, generator.randrange(len(changed) + 1), others, generator)
    return bytes(changed[:LONGEST])
