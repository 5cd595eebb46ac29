"""Cells of CSV files that a spreadsheet would run as formulas."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from rubricate.errors import InvalidFile, InvalidInput, UnsafeArchive

__all__ = [
    "MOST_TIMES",
    "RATIO_FROM",
    "Openable",
    "StandardInput",
    "decode",
    "inert",
    "lines_of",
    "opened",
    "text_lines",
    "unpacked",
]

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula starts with; some spreadsheets take the full-width forms for the plain ones."""

Cell = TypeVar("Cell")


def inert(cell: Cell) -> Cell | str:
    """Return a cell that no spreadsheet runs: a text that starts like a formula gets a `'` in front.

    >>> inert("=1+1"), inert("wheat"), inert(-0.5)
    ("'=1+1", 'wheat', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(STARTS) else cell


MOST_TIMES = 200
"""Most times its own size that a file may unpack to; texts reach 3 to 20, repeated lines up to about 1,000."""
RATIO_FROM = 64 << 20
"""Bytes below which the ratio does not count: a small file of equal lines packs well and floods nothing."""


def unpacked(raw: IO[bytes], path: Any) -> io.BufferedReader:
    """Return the unpacked bytes of an open gzipped file; UnsafeArchive past the limit."""
    size = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    return io.BufferedReader(_Limited(gzip.GzipFile(fileobj=raw), max(RATIO_FROM, MOST_TIMES * size), path), 1 << 18)


class _Limited(io.RawIOBase):
    """Bytes that come out of a gzipped file, counted."""

    def __init__(self, stream: gzip.GzipFile, most: int, path: Any) -> None:
        super().__init__()
        self._stream, self._most, self._left, self._path = stream, most, most, path

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer and return how many bytes came out."""
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            problem = f"unpacks to more than {self._most:,} bytes, {MOST_TIMES} times its size or more"
            raise UnsafeArchive(problem, path=Path(str(self._path)), remedy="unpack it yourself if you trust it")
        return count


class _Unread(io.RawIOBase):
    """Standard input as bytes; reports itself seekable so that a buffered reader can step back within its buffer."""

    def __init__(self, source: Any) -> None:
        self._source, self._count = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._count

    def readinto(self, buffer: Any) -> int:
        data = self._source.read1(len(buffer))
        buffer[: len(data)] = data
        self._count += len(data)
        return len(data)


class StandardInput:
    """Standard input in place of a path; it can be read once."""

    def __init__(self) -> None:
        self._stream = io.BufferedReader(_Unread(sys.stdin.buffer), 1 << 16)

    def start(self) -> bytes:
        """Return the first bytes, without byte order mark and white space; they stay to be read."""
        return self._stream.peek(64).removeprefix(b"\xef\xbb\xbf").lstrip()

    def open(self, mode: str) -> Any:
        """Return the bytes, whatever the mode: they can only be read."""
        return self._stream

    def __fspath__(self) -> str:
        return "<stdin>"

    __str__ = __fspath__


class Openable(Protocol):
    """A path, or what stands in for one."""

    def open(self, mode: str) -> Any:
        """Return the bytes."""

    def __fspath__(self) -> str: ...


BLOCK = 1 << 16
"""Bytes of whole lines that are read and decoded together."""
_GZIP = b"\x1f\x8b"
_OTHER_KINDS = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"%PDF": "a PDF file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite": "a database",
}


def text_lines(path: Openable, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines with their ends; a byte order mark is dropped.

    Memory: `BLOCK` bytes, or one line. InvalidFile for a byte that the encoding does not know, a NUL, or a file of
    another kind.
    """
    with opened(path) as stream:
        yield from lines_of(stream, path, encoding)


def lines_of(stream: IO[bytes], path: Openable, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of an open file, as `text_lines` does."""
    codec = _codec(encoding)
    if "\n".encode(codec) != b"\n":
        yield from _wide_lines(stream, path, codec)
        return
    number = 1
    while lines := stream.readlines(BLOCK):
        yield from _decoded_lines(lines, path, codec, first=number)
        number += len(lines)


@contextmanager
def opened(path: Openable) -> Iterator[IO[bytes]]:
    """Open the bytes of a file, unpacked if gzipped; errors of the system or of a damaged file become InvalidFile."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            stream = unpacked(raw, path) if packed else raw
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"a gzip file that is damaged or cut short ({error})"
        raise InvalidFile(problem, path=path, remedy="make or fetch it again") from error
    except OSError as error:
        raise InvalidFile(f"cannot be read ({error.strerror})", path=path, remedy="check the path") from error


def decode(raw: bytes, path: Openable, encoding: str) -> str:
    """Decode the bytes of a whole file, with the same errors."""
    codec = _codec(encoding)
    if "\n".encode(codec) == b"\n":
        return _decoded(raw, path, codec, line=1)
    return "".join(_wide_lines(io.BytesIO(raw), path, codec))


def _decoded_lines(lines: list[bytes], path: Openable, codec: str, *, first: int) -> Iterator[str]:
    """Yield lines decoded together; where that fails, one by one, up to the one that is wrong."""
    together = b"".join(lines)
    if first > 1 and b"\0" not in together:
        try:
            yield from io.StringIO(together.decode(codec), newline="\n")
        except UnicodeError:
            pass  # nothing was given out yet
        else:
            return
    for number, raw in enumerate(lines, first):
        yield _decoded(raw, path, codec, line=number)


def _decoded(raw: bytes, path: Openable, codec: str, *, line: int) -> str:
    if line == 1:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    if b"\0" in raw:
        raise _not_text(raw, path, line)
    try:
        return raw.decode(codec)
    except UnicodeError as error:
        start = getattr(error, "start", 0)  # codecs such as idna do not say where
        if line == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, *_OTHER_KINDS)):
            raise _not_text(raw, path, line) from error
        problem = f"byte 0x{raw[start]:02x} is not {codec}"
        remedy = f"save it as UTF-8, or give its encoding, {_likely_encoding(codec)}"
        line += raw.count(b"\n", 0, start)
        raise InvalidFile(problem, path=path, line=line, remedy=remedy) from error


def _wide_lines(stream: IO[bytes], path: Openable, codec: str) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(io.TextIOWrapper(stream, encoding=codec, newline="\n"), 1):
            if "\0" in line:
                raise InvalidFile("a NUL character", path=path, line=number, remedy="remove it")
            yield line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeError as error:
        remedy = "give the file's encoding"
        raise InvalidFile(f"not {codec} ({error})", path=path, line=number + 1, remedy=remedy) from error


def _not_text(raw: bytes, path: Openable, line: int) -> InvalidFile:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        remedy = "save it as UTF-8, or give encoding='utf-16' (--encoding utf-16)"
        return InvalidFile("UTF-16 text", path=path, line=line, remedy=remedy)
    kind = next((kind for start, kind in _OTHER_KINDS.items() if raw.startswith(start)), "")
    problem = f"this is {kind}, not text" if kind and line == 1 else "a NUL byte: not a text file"
    return InvalidFile(problem, path=path, line=line, remedy="give CSV, TSV, JSON lines, Parquet or a folder")


def _likely_encoding(codec: str) -> str:
    """Return a hint: files from Windows are cp1252, which has curly quotes and € where Latin-1 has invisible signs."""
    if codec == "cp1252":
        return "such as encoding='latin-1' (--encoding latin-1)"
    return "such as encoding='cp1252' (--encoding cp1252) for one from Windows"


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "\n".encode(name)
    except (LookupError, ValueError) as error:  # ValueError: a NUL in the name, or a codec that refuses a line break
        raise InvalidInput(f"no encoding named {encoding!r}; common ones are utf-8, latin-1, cp1252, utf-16") from error
    return "utf-8" if name == "utf-8-sig" else name
