"""Read archives as a stream, without unpacking: tar, tar.gz, zip, a gzipped file, or a folder in place of one.

`members` yields the regular files one by one. `guard` limits what a hostile or damaged archive can do: UnsafeArchive
for names that escape, links, devices and floods; InvalidFile for what is cut short or not an archive.
Memory: what the caller reads of one member; cost: one pass over the archive.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rubricate.corpora.archives.guard import ArchiveLimits, Guard
from rubricate.errors import InvalidFile

__all__ = ["ArchiveLimits", "Member", "members"]

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
