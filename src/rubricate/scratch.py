"""Large arrays and texts in files instead of memory, for corpora that do not fit.

Inside `out_of_core()` whatever is large (texts and ids of documents, counts, vectors, the rows of a fold) lives in
memory-mapped files of a scratch folder. The system moves pages in and out as they are used; the code that works on
them, and every number, is the same. A file has no name once it is open, so that nothing is left behind, whatever
happens to the process; its space is taken before it is used, so that a full disk is an error and not a crash.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import Any, overload
from weakref import WeakSet

import numpy as np

from rubricate.errors import InvalidInput

__all__ = ["MappedTexts", "empty", "is_out_of_core", "memory_size", "out_of_core", "rest", "stored"]

EXTENT = 1 << 26
"""Bytes of the files that small arrays share."""
LARGE = 1 << 14
"""Bytes below which an array stays in memory."""
PIECE = 1 << 22
"""Characters of texts that are written together."""
SPARE = 1 << 28
"""Bytes of the scratch disk that are left free."""

_lock = RLock()
_areas: list[_Area] = []


class _Area:
    """The scratch files of one `out_of_core` block: small arrays share a file, large ones have their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._extent: Any = None
        self._used = 0
        self._maps: WeakSet[mmap.mmap] = WeakSet()

    def array(self, length: int, kind: Any) -> Any:
        size = length * kind.itemsize
        if size >= EXTENT:
            return _within(self._file(size), length, kind)
        with _lock:
            start = -(-self._used // 64) * 64
            if self._extent is None or start + size > EXTENT:
                self._extent, start = self._file(EXTENT), 0
            self._used = start + size
            return _within(self._extent, length, kind, start)

    def _file(self, size: int) -> mmap.mmap:
        with self.stream(size) as file:
            return self.map(file)

    def map(self, file: Any, access: int = mmap.ACCESS_WRITE) -> mmap.mmap:
        """Map a file into memory, and remember it for `rest`."""
        mapped = mmap.mmap(file.fileno(), 0, access=access)
        self._maps.add(mapped)
        return mapped

    def rest(self) -> None:
        """Give back the pages of all files; what is used again is read again, mostly from the system's cache."""
        for mapped in list(self._maps):
            mapped.madvise(mmap.MADV_DONTNEED)

    def stream(self, size: int = 0) -> Any:
        """Open a file without a name, with room for so many bytes."""
        try:
            file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            if size:
                reserve(file.fileno(), size, self.folder)
        except OSError as error:
            raise self.failure(error) from None
        return file

    def failure(self, error: OSError) -> InvalidInput:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        problem = "is full" if full else f"cannot be used ({error.strerror or error})"
        return InvalidInput(
            f"the scratch folder {self.folder} {problem}: vectors that do not fit into memory are kept there. "
            "Fix: make room, or name another folder by the variable TMPDIR"
        )


def _within(file: mmap.mmap, length: int, kind: Any, start: int = 0) -> Any:
    """Return an array within a file.

    It is a view of an array of its own length: SciPy copies the arrays of a sparse matrix into memory where they are
    views of something more than twice as long, be it in bytes.
    """
    return np.ndarray((length,), kind, buffer=file, offset=start)[:]


def reserve(handle: int, size: int, folder: Path) -> None:
    """Take the space of a file before it is mapped; OSError where the disk has no room for it."""
    if hasattr(os, "statvfs"):
        state = os.statvfs(folder)
        if state.f_bavail * state.f_frsize < size + SPARE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
    else:
        os.ftruncate(handle, size)


@contextmanager
def out_of_core(folder: str | Path | None = None) -> Iterator[None]:
    """Keep large arrays and texts that are made in this block in files of a folder (None: that for temporary files).

    Arrays may be used after the block; they are released with the last reference to them.

    >>> with out_of_core():
    ...     print(is_out_of_core(), empty(10, np.float64).shape)
    True (10,)
    """
    place = Path(tempfile.gettempdir() if folder is None else folder)
    if not place.is_dir():
        raise InvalidInput(f"the scratch folder {place} is not a folder; Fix: make it, or name another")
    area = _Area(place)
    with _lock:
        _areas.append(area)
    try:
        yield
    finally:
        with _lock:
            _areas.remove(area)


def is_out_of_core() -> bool:
    """Return whether large arrays are kept in files now."""
    return bool(_areas)


def empty(length: int, kind: Any) -> Any:
    """Return an array without content, in a file where `out_of_core` holds and it is not small."""
    dtype = np.dtype(kind)
    if not _areas or length * dtype.itemsize < LARGE:
        return np.empty(length, dtype)
    return _areas[-1].array(int(length), dtype)


def rest() -> None:
    """Let the process hold no page of what `out_of_core` keeps in files, for the moment; nothing is lost.

    Called where a step of a training is done with large arrays: else the process grows to the size of all that it ever
    looked at, and the system has to find out by itself what is not needed any more.
    """
    with _lock:
        for area in _areas if hasattr(mmap, "MADV_DONTNEED") else ():
            area.rest()


def stored(values: Any) -> Any:
    """Return an array, copied to a file where `out_of_core` holds and it is not small."""
    if not _areas or values.nbytes < LARGE:
        return values
    copy = empty(len(values), values.dtype)
    copy[:] = values
    return copy


class MappedTexts(Sequence[str]):
    """A list of texts in a scratch file, 8 bytes of memory each. Texts are added first, and read after that.

    >>> with out_of_core():
    ...     texts = MappedTexts(["plain", "naïve"])
    >>> texts[1], len(texts), list(texts[:1])
    ('naïve', 2, ['plain'])
    """

    outside_memory = True

    def __init__(self, texts: Iterable[str] = ()) -> None:
        if not _areas:
            raise InvalidInput("MappedTexts are made within out_of_core()")
        self._area = _areas[-1]
        self._file = self._area.stream()
        self._ends = array("q", [0])
        self._waiting: list[bytes] = []
        self._size = 0
        self._bytes: Any = None
        self._rows: Any = None
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text; half a surrogate pair, which no UTF-8 file can hold, is kept too."""
        raw = text.encode("utf-8", "surrogatepass")
        self._waiting.append(raw)
        self._ends.append(self._ends[-1] + len(raw))
        self._size += len(raw)
        if self._size >= PIECE:
            self._flush()

    def _flush(self) -> None:
        try:
            self._file.write(b"".join(self._waiting))
        except OSError as error:
            raise self._area.failure(error) from None
        self._waiting, self._size = [], 0

    def _mapped(self) -> Any:
        if self._bytes is None:
            self._flush()
            try:
                self._file.flush()
            except OSError as error:
                raise self._area.failure(error) from None
            self._bytes = self._area.map(self._file, mmap.ACCESS_READ) if self._ends[-1] else b""
        return self._bytes

    def take(self, rows: Iterable[int]) -> MappedTexts:
        """Return the texts at these positions; nothing is copied."""
        chosen = np.fromiter(rows, np.int64)
        taken = MappedTexts.__new__(MappedTexts)
        taken._area, taken._file, taken._ends, taken._bytes = self._area, self._file, self._ends, self._mapped()
        taken._waiting, taken._size = [], 0
        taken._rows = chosen if self._rows is None else self._rows[chosen]
        return taken

    def __len__(self) -> int:
        return len(self._ends) - 1 if self._rows is None else len(self._rows)

    def __iter__(self) -> Iterator[str]:
        raw, ends = self._mapped(), self._ends
        for row in range(len(ends) - 1) if self._rows is None else chain.from_iterable(_pieces(self._rows)):
            yield raw[ends[row] : ends[row + 1]].decode("utf-8", "surrogatepass")

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> MappedTexts: ...
    def __getitem__(self, position: int | slice) -> str | MappedTexts:
        if isinstance(position, slice):
            return self.take(range(*position.indices(len(self))))
        if not -len(self) <= position < len(self):
            raise IndexError(f"text {position} of {len(self)}")
        row = int(position) % len(self) if self._rows is None else int(self._rows[position])
        return bytes(self._mapped()[self._ends[row] : self._ends[row + 1]]).decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def _pieces(rows: Any) -> Iterator[list[int]]:
    """Yield numbers as lists of some thousand: a list of all would take 40 bytes for each."""
    for start in range(0, len(rows), 4096):
        yield rows[start : start + 4096].tolist()


def memory_size(text: str) -> int:
    """Return the bytes of a size such as 4G, 500M or 2.5GB.

    >>> memory_size("4G"), memory_size("500 MB")
    (4294967296, 524288000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise InvalidInput(f"{text!r} is not a size of memory; Fix: give a number with K, M, G or T, such as 4G")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))
