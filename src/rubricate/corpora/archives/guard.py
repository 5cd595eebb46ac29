"""ArchiveLimits on the content of an archive, and the guard that counts while it is read.

A member whose name would leave the folder (`../`, absolute, a drive), a link or a device is refused although
nothing is ever written, so that a hostile archive is reported as such and never half-read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rubricate.errors import UnsafeArchive

__all__ = ["ArchiveLimits", "Guard"]

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
