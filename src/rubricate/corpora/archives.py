"""ArchiveLimits on the content of an archive, and the guard that counts while it is read.

A member whose name would leave the folder (`../`, absolute, a drive), a link or a device is refused although
nothing is ever written, so that a hostile archive is reported as such and never half-read.
"""

from __future__ import annotations

import gzip
import io
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rubricate.errors import InvalidFile, UnsafeArchive

__all__ = ["ArchiveLimits", "Guard", "Member", "members"]

_MEGABYTE = 1 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_DISTRUST = "do not use this archive; if you trust it, unpack it yourself and give the folder"


@dataclass(frozen=True)
class ArchiveLimits:
    """Most members, bytes per member, per header and in total, and most times the size of the archive.

    The ratio applies once `ratio_from` bytes have come out: a small file of zeros packs well and floods nothing.
    """

    members: int = 2_000_000
    member_bytes: int = 4096 * _MEGABYTE
    header_bytes: int = _MEGABYTE
    total_bytes: int = 16384 * _MEGABYTE
    ratio: float = 200.0
    ratio_from: int = 64 * _MEGABYTE


class Guard:
    """Counts what comes out of one archive and raises UnsafeArchive past a limit."""

    def __init__(self, path: Path, limits: ArchiveLimits) -> None:
        self.path, self.limits = path, limits
        self._packed, self._out, self._members = max(path.stat().st_size, 1), 0, 0

    def name(self, name: str) -> str:
        """Return the name of a member with `/` between folders and without `./`; refuse one that leaves the folder.

        A backslash separates folders too, as it does on Windows.
        """
        parts = name.replace("\\", "/").split("/")
        if ".." in parts or not parts[0] or _DRIVE.match(name) or "\0" in name:
            raise self.refuse(f"member {name!r} would leave the folder")
        return "/".join(part for part in name.split("/") if part not in ("", "."))

    def member(self, name: str, size: int) -> None:
        """Count a member of this declared size."""
        self._members += 1
        if self._members > self.limits.members:
            raise self.refuse(f"holds more than {self.limits.members:,} members")
        if size > self.limits.member_bytes:
            raise self.refuse(f"member {name!r} has {size:,} bytes, more than {self.limits.member_bytes:,}")

    def header(self, size: int) -> None:
        """Refuse a header (a long name, extended attributes) that would fill the memory."""
        if size > self.limits.header_bytes:
            raise self.refuse(f"a header has {size:,} bytes, more than {self.limits.header_bytes:,}")

    def bytes(self, count: int) -> None:
        """Count bytes that came out, or are declared to."""
        self._out += count
        if self._out > self.limits.total_bytes:
            raise self.refuse(f"unpacks to more than {self.limits.total_bytes:,} bytes")
        if self._out > self.limits.ratio_from and self._out > self.limits.ratio * self._packed:
            raise self.refuse(f"unpacks to more than {self.limits.ratio:g} times its size")

    def plain(self, name: str, is_plain: bool) -> None:
        """Refuse links, devices and sparse files."""
        if not is_plain:
            raise self.refuse(f"member {name!r} is a link, a device or a sparse file")

    def refuse(self, problem: str) -> UnsafeArchive:
        """Return the error to raise."""
        return UnsafeArchive(problem, path=self.path, remedy=_DISTRUST)


_BLOCK = 1 << 20
_TAR_ENDINGS = (".tar", ".tar.gz", ".gtar.gz", ".tgz")
_DAMAGE = (EOFError, OSError, zlib.error, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)
_LONG_HEADERS = (
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
)
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_Want = Callable[[str], bool]


@dataclass(frozen=True)
class Member:
    """A regular file in an archive; readable until the next member is asked for."""

    name: str
    path: Path
    stream: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, by default all that are left; empty at the end."""
        with _readable(self.path):
            return self.stream.read(size)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines with their ends."""
        with _readable(self.path):
            yield from self.stream


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn whatever a damaged archive raises into InvalidFile."""
    try:
        yield
    except _DAMAGE as error:
        reason = str(error) or type(error).__name__
        raise InvalidFile(f"damaged or cut short ({reason})", path=path, remedy="fetch it again") from error


def members(path: str | Path, want: _Want | None = None, *, limits: ArchiveLimits | None = None) -> Iterator[Member]:
    """Yield the files whose name is wanted, in the order of the archive; a folder is read in sorted order.

    Names have `/` between folders and no leading `./`; `want` takes such a name. A file that is not an archive is its
    own only member, without `.gz` in its name.
    """
    path, wanted = Path(path), want or (lambda _: True)
    if path.is_dir():
        yield from _folder(path, wanted)
        return
    if not path.is_file():
        raise InvalidFile("no such file", path=path, remedy="check the path")
    guard = Guard(path, limits or ArchiveLimits())
    with _readable(path), path.open("rb") as raw:
        yield from _archive(raw, wanted, guard)


def _folder(path: Path, wanted: _Want) -> Iterator[Member]:
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and wanted(name):
            with file.open("rb") as stream:
                yield Member(name, file, stream)


def _archive(raw: IO[bytes], wanted: _Want, guard: Guard) -> Iterator[Member]:
    path, start = guard.path, raw.read(4)
    raw.seek(0)
    packed = start.startswith(b"\x1f\x8b")
    if start in (b"PK\x03\x04", b"PK\x05\x06"):
        yield from _zip(wanted, guard, raw)
        return
    _expect(path, packed or not path.name.endswith((".gz", ".tgz")), "gzipped file")
    _expect(path, path.suffix != ".zip", "zip archive")
    metered = _Metered(gzip.GzipFile(fileobj=raw) if packed else raw, guard)
    stream = io.BufferedReader(metered, _BLOCK)
    if _is_tar(stream.peek(tarfile.BLOCKSIZE)):
        yield from _tar(wanted, guard, stream)
        if metered.tail != bytes(tarfile.BLOCKSIZE):  # tarfile takes a cut between two members for the end
            raise tarfile.ReadError("no end-of-archive block")
    else:
        _expect(path, not path.name.endswith(_TAR_ENDINGS), "tar archive")
        name = path.name.removesuffix(".gz")
        if wanted(name):
            yield Member(name, path, stream)


def _expect(path: Path, fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise InvalidFile(
            f"its name says {what}, but its content is something else", path=path, remedy="fetch it again"
        )


class _Metered(io.RawIOBase):
    """Bytes that come out of an archive, counted by the guard; `tail` is the last block of them."""

    def __init__(self, stream: Any, guard: Guard) -> None:
        super().__init__()
        self._stream, self._guard, self.tail = stream, guard, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._guard.bytes(len(data))
        self.tail = (self.tail + data[-tarfile.BLOCKSIZE :])[-tarfile.BLOCKSIZE :]
        buffer[: len(data)] = data
        return len(data)


def _is_tar(start: bytes) -> bool:
    header = start[: tarfile.BLOCKSIZE]
    if header == bytes(tarfile.BLOCKSIZE):  # an archive without members
        return True
    try:
        tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _tar(wanted: _Want, guard: Guard, stream: IO[bytes]) -> Iterator[Member]:
    headers = _headers(guard)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=headers, errors="surrogateescape", bufsize=_BLOCK) as archive:
        while (info := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # else it keeps every header it has seen
            name = guard.name(info.name)
            guard.member(name, info.size)
            guard.plain(name, (info.isreg() and not info.issparse()) or info.isdir())
            if info.isreg() and wanted(name) and (content := archive.extractfile(info)) is not None:
                yield Member(name, guard.path, content)
    while stream.read(_BLOCK):  # to the end, where gzip keeps its checksum
        pass


def _headers(guard: Guard) -> type[tarfile.TarInfo]:
    """Make headers that the guard sees first: tarfile reads long names of any length and sparse maps into memory."""

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: Any, encoding: str, errors: str) -> Any:
            header = super().frombuf(buf, encoding, errors)
            guard.plain(header.name, header.type != tarfile.GNUTYPE_SPARSE)
            if header.type in _LONG_HEADERS:
                guard.header(header.size)
            return header

    return Header


def _zip(wanted: _Want, guard: Guard, raw: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(raw) as archive:
        if archive.start_dir > 0 and not archive.infolist():  # zipfile takes a directory of size 0 for an empty archive
            raise zipfile.BadZipFile("members, but an empty directory of them")
        for info in archive.infolist():
            name = guard.name(info.filename)
            guard.member(name, info.file_size)
            guard.bytes(info.file_size)
            kind = stat.S_IFMT(info.external_attr >> 16)
            guard.plain(name, kind in (0, stat.S_IFREG, stat.S_IFDIR))
            if info.flag_bits & 1:
                raise InvalidFile(f"member {name!r} is encrypted", path=guard.path, remedy="decrypt it first")
            if info.compress_type not in _ZIP_METHODS:
                problem = f"member {name!r} is not compressed by deflate"
                raise InvalidFile(problem, path=guard.path, remedy="pack it again, or unpack it and give the folder")
            if not info.is_dir() and wanted(name):
                with archive.open(info) as content:
                    yield Member(name, guard.path, content)
