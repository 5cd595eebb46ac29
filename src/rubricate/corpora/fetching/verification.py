"""Check that a file is the one on record: by its own sha256, or by those of its members if packed differently."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from rubricate.corpora.archives.archive import Member, members
from rubricate.corpora.catalogue.source import DataFile
from rubricate.errors import DigestMismatch, UnreadableFile

__all__ = ["sha256", "verify"]

_BLOCK = 1 << 20


def sha256(path: Path) -> str:
    """Return the digest of a file; UnreadableFile where the system cannot read it now."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        remedy = "check permissions, open files and the disk, then try again"
        raise UnreadableFile(f"cannot be read now ({error.strerror or error})", path=path, remedy=remedy) from error


def verify(path: Path, file: DataFile, *, whole: bool = True) -> None:
    """Raise DigestMismatch unless `path` (a file, or its archive unpacked) is `file`.

    An unpacked archive must have all members on record, unless `whole` is False: then only those that are there count.
    Without a digest on record, a file named as gzipped must be, and be whole by its own checksum; an unpacked archive
    without digests of its members cannot be checked.
    """
    own = sha256(path) if file.sha256 and path.is_file() else ""
    if own and own == file.sha256:
        return
    if file.members:
        _verify_members(path, file, whole=whole or path.is_file())
    elif own:
        raise _mismatch(path, f"sha256 is {own}, expected {file.sha256}")
    elif path.is_file() and file.name.endswith((".gz", ".tgz")):
        _verify_gzip(path)


def _verify_gzip(path: Path) -> None:
    with path.open("rb") as stream:
        if stream.read(2) != b"\x1f\x8b":
            raise _mismatch(path, "expected a gzipped file, its content is something else")
    for member in members(path):
        while member.read(_BLOCK):
            pass


def _verify_members(path: Path, file: DataFile, *, whole: bool) -> None:
    def name_of(name: str) -> str:
        return PurePosixPath(name).name

    seen: dict[str, str] = {}
    for member in members(path, lambda name: name_of(name) in file.members):
        name = name_of(member.name)
        seen[name] = _digest(member)
        if seen[name] != file.members[name]:
            raise _mismatch(path, f"member {name} has sha256 {seen[name]}, expected {file.members[name]}")
    if whole and (missing := sorted(file.members.keys() - seen.keys())):
        raise _mismatch(path, f"member {missing[0]} is missing ({len(missing)} of {len(file.members)} are)")


def _digest(member: Member) -> str:
    digest = hashlib.sha256()
    while block := member.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _mismatch(path: Path, problem: str) -> DigestMismatch:
    return DigestMismatch(problem, path=path, remedy="fetch it again, or give the original with --from PATH")
