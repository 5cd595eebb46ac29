"""The container of a model: an uncompressed zip archive of `.npy` arrays, a JSON manifest and its digest.

Any zip tool can list it and NumPy can read its arrays. Reading trusts nothing: see `read_container`.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile, UnreadableFile
from rubricate.storage import atomic

__all__ = ["read_container", "refuse", "write_container"]

MANIFEST, DIGEST = "manifest.json", "manifest.sha256"
EPOCH = (1980, 1, 1, 0, 0, 0)
KINDS = {f"{kind}{size}" for kind, sizes in {"i": "1248", "u": "1248", "f": "248"}.items() for size in sizes} | {"b1"}
"""Number types that an array may hold."""
LARGE = 1 << 30
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    RecursionError,
    SyntaxError,
    tokenize.TokenError,
    MemoryError,
)
"""Errors that Python's readers raise on a damaged archive."""
PASSING = {
    *(errno.EACCES, errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    *(errno.ENXIO, errno.EPERM, errno.ESTALE, errno.ETIMEDOUT),
}
"""Errors of the system that say nothing about the content of a file."""
AGAIN = "train or download the model again"


def refuse(path: Path, problem: str, remedy: str = AGAIN) -> NoReturn:
    """Raise InvalidFile for a model file."""
    raise InvalidFile(f"not a usable model: {problem}", path=path, remedy=remedy)


def write_container(path: Path, manifest: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
    """Write the arrays and the manifest, extended by the digest of every array; the file appears whole or not at all.

    The same content gives the same bytes. Memory: one array.
    """
    with atomic(path) as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
        digests = [_write_array(archive, *entry) for entry in zip(_names(len(arrays)), arrays, strict=True)]
        text = json.dumps({**manifest, "arrays": digests}, allow_nan=False).encode()
        archive.writestr(_info(MANIFEST), text)
        archive.writestr(_info(DIGEST), hashlib.sha256(text).hexdigest())


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = 0o644 << 16
    return info


class _Hashed:
    """A stream that digests what it writes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.digest = stream, hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self.stream.write(data)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> str:
    little = array.astype(array.dtype.newbyteorder("<"), order="K", copy=False)
    with archive.open(_info(name), "w", force_zip64=array.nbytes > LARGE) as raw:
        stream = _Hashed(raw)
        np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)
    return stream.digest.hexdigest()


def read_container(path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the manifest and the arrays, or raise InvalidFile (UnreadableFile where the file may be sound).

    Refused: compressed, encrypted, unexpected, missing or duplicate members; a wrong digest; arrays of anything but
    numbers and booleans; a shape that does not match the bytes that follow. So reading takes no more memory than the
    file has bytes, and nothing in the file is ever executed.
    """
    if not path.is_file():
        refuse(path, "no such file", "check the path")
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path)
    except DAMAGED as error:
        if isinstance(error, InvalidFile):
            raise
        _explain(path, error)


def _explain(path: Path, error: BaseException) -> NoReturn:
    passing = _passing(error)
    if passing is not None:
        reason = "not enough memory" if isinstance(passing, MemoryError) else passing.strerror
        remedy = "check permissions, free memory, open files and the disk, then try again; the file itself may be sound"
        raise UnreadableFile(f"cannot be read now ({reason})", path=path, remedy=remedy) from error
    if isinstance(error, zipfile.BadZipFile) and not zipfile.is_zipfile(path):
        refuse(path, "not a Rubricate model file, or truncated")
    refuse(path, f"it is damaged ({str(error) or type(error).__name__:.100})")


def _passing(error: BaseException | None) -> MemoryError | OSError | None:
    """Return the error of the system behind an error; zipfile says "not a zip file" where a read fails."""
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in PASSING):
            return error
        error = error.__cause__ or error.__context__
    return None


def _read(archive: zipfile.ZipFile, path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    members = _members(archive, path)
    text = archive.read(members[MANIFEST])
    if archive.read(members[DIGEST]) != hashlib.sha256(text).hexdigest().encode():
        refuse(path, "its manifest was changed (the digest differs)")
    manifest = json.loads(text)
    digests = manifest.get("arrays") if isinstance(manifest, dict) else None
    if not isinstance(digests, list) or set(members) != {MANIFEST, DIGEST, *_names(len(digests))}:
        refuse(path, "the manifest does not match the members of the archive")
    arrays = []
    for name, digest in zip(_names(len(digests)), digests, strict=True):
        with archive.open(members[name]) as stream:
            data = stream.read()
        if hashlib.sha256(data).hexdigest() != digest:
            refuse(path, f"{name} was changed (the digest differs)")
        arrays.append(_array(data, name, path))
    return manifest, arrays


def _names(count: int) -> list[str]:
    return [f"arrays/{i}.npy" for i in range(count)]


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    members = {info.filename: info for info in infos}
    if len(members) != len(infos):
        refuse(path, "a member of the archive occurs twice")
    if not {MANIFEST, DIGEST} <= members.keys():
        refuse(path, "a zip archive without a manifest", "give a file that 'rubricate train' wrote")
    room = path.stat().st_size
    for info in infos:
        if not re.fullmatch(r"manifest\.(json|sha256)|arrays/\d+\.npy", info.filename):
            refuse(path, f"unexpected member {info.filename!r:.100}")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
            refuse(path, f"member {info.filename!r} is compressed or encrypted")
        room -= info.file_size
    if room < 0:
        refuse(path, "its members claim more bytes than the file has")
    return members


def _array(data: bytes, name: str, path: Path) -> NDArray[Any]:
    """Return the array of a `.npy` file of version 1.0; its header must announce exactly the bytes that follow."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        refuse(path, f"{name} has another version of the .npy format")
    try:
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    except TypeError as error:  # NumPy sorts the keys of the header, whatever they are
        raise ValueError(f"the header of {name} cannot be read: {error}") from error
    if dtype.str[1:] not in KINDS or dtype.str[0] == ">":
        refuse(path, f"{name} holds {dtype.str!r:.60}, not numbers or booleans")
    count = 1
    for length in shape:
        count *= length
    if min(shape, default=0) < 0 or count * dtype.itemsize != len(data) - stream.tell():
        refuse(path, f"{name} declares the shape {shape!r:.60}, which does not match the number of its values")
    flat = np.frombuffer(data, dtype, offset=stream.tell()).copy()
    if dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        refuse(path, f"{name} holds booleans that are neither true nor false")
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)
