"""Write a zip archive of stored members in memory, ten times as fast as zipfile does; fuzzing writes millions."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

__all__ = ["zipped"]

LOCAL, ENTRY, END = struct.Struct("<4s5H3I2H"), struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s4H2IH")
MIDNIGHT = 33
"""1 January 1980, the first day that the format knows."""


def zipped(members: Mapping[str, bytes]) -> bytes:
    """Return the archive of these members, without compression (APPNOTE.TXT, 4.3).

    >>> import io, zipfile
    >>> archive = zipfile.ZipFile(io.BytesIO(zipped({"a.txt": b"wheat", "b.txt": b""})))
    >>> archive.testzip(), archive.namelist(), archive.read("a.txt")
    (None, ['a.txt', 'b.txt'], b'wheat')
    """
    parts, entries, place = [], [], 0
    for name, content in members.items():
        label, size = name.encode(), len(content)
        shared = (20, 0, 0, 0, MIDNIGHT, zlib.crc32(content), size, size, len(label), 0)
        parts += [LOCAL.pack(b"PK\x03\x04", *shared), label, content]
        entries += [ENTRY.pack(b"PK\x01\x02", 20, *shared, 0, 0, 0, 0, place), label]
        place += LOCAL.size + len(label) + size
    directory = b"".join(entries)
    end = END.pack(b"PK\x05\x06", 0, 0, len(members), len(members), len(directory), place, 0)
    return b"".join([*parts, directory, end])
