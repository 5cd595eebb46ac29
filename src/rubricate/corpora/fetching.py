"""A lock between processes: two fetches of one file take turns, and the second finds the file of the first."""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from rubricate.corpora.archives import Member, members
from rubricate.corpora.sources import DataFile, Source, find, search_path, stem
from rubricate.errors import CorpusMissing, DigestMismatch, InvalidFile, InvalidInput, RubricateError, UnreadableFile
from rubricate.storage import cache_folder, temporary
from rubricate.types import Progress

__all__ = [
    "MAX_BYTES",
    "chosen",
    "download",
    "fetch",
    "fetch_file",
    "locked",
    "part_of",
    "sha256",
    "take",
    "verify",
    "writing",
]

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a target while the block runs; wait for it if another process or thread has it.

    The lock is a hidden empty file beside the target. It ends with the process, however that ends.
    """
    path = target.with_name(f".{target.name}.lock")
    handle = _acquired(path)
    try:
        yield
    finally:
        if sys.platform != "win32":  # an open file cannot be removed there
            path.unlink(missing_ok=True)
        os.close(handle)


def _acquired(path: Path) -> int:
    """Return a locked handle of the file that has this name now: its last owner removes it before unlocking."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except FileNotFoundError:
            pass  # removed between the two calls
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


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


_DOWNLOAD_BLOCK = 1 << 18
_SECONDS = 30.0
_ATTEMPTS = 3
_PARTIAL, _NO_SUCH_RANGE = 206, 416
MAX_BYTES = 2 << 30
"""Most bytes of one download; the largest file on record has less than a tenth of that."""


def part_of(target: Path) -> Path:
    """Return where an unfinished download of this target is kept."""
    return target.with_name(target.name + ".part")


def download(address: str, target: Path, *, progress: Progress | None = None, max_bytes: int = MAX_BYTES) -> Path:
    """Download a file and return the path of the finished part file; OSError when the address cannot be read."""
    if not (_is_https(address) or _is_local(address)):
        raise InvalidInput(f"cannot download {address!r}; give an https address")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            if _continue(address, target, progress, max_bytes=max_bytes):
                return part_of(target)
        except (OSError, http.client.HTTPException) as error:
            if attempt == _ATTEMPTS or isinstance(error, urllib.error.HTTPError):
                raise OSError(f"{address}: {error or type(error).__name__}") from error
    raise OSError(f"{address}: the connection ends before the file does")


def _is_https(address: str) -> bool:
    return urlsplit(address).scheme == "https"


def _is_local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTPS only; urllib would also follow them to plain HTTP and FTP."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if _is_https(newurl) or (_is_local(newurl) and _is_local(req.full_url)):
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        problem = f"redirects to {newurl!r:.200}, which is not an https address"
        raise urllib.error.HTTPError(req.full_url, code, problem, headers, fp)


def _continue(address: str, target: Path, progress: Progress | None, *, max_bytes: int) -> bool:
    """Fetch what is missing; return whether the whole file has arrived."""
    part = part_of(target)
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    try:
        with urllib.request.build_opener(_SafeRedirects).open(request, timeout=_SECONDS) as answer:
            have = have if answer.status == _PARTIAL else 0
            return _receive(answer, part, have, progress=progress, max_bytes=max_bytes)
    except urllib.error.HTTPError as error:
        if error.code != _NO_SUCH_RANGE or not have:
            raise
        if error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return True
        part.unlink()
        return False


def _receive(answer: Any, part: Path, have: int, *, progress: Progress | None, max_bytes: int) -> bool:
    length = answer.headers.get("Content-Length", "")
    total = have + int(length) if length.isdecimal() else None
    _check_size(part, max(have, total or 0), max_bytes)
    with part.open("ab" if have else "wb") as sink:
        if progress is not None:
            progress(have, total=total, text=part.name.removesuffix(".part"))
        while block := answer.read(_DOWNLOAD_BLOCK):
            sink.write(block)
            have += len(block)
            _check_size(part, have, max_bytes)
            if progress is not None:
                progress(len(block))
        sink.flush()
        os.fsync(sink.fileno())  # a power cut after the renaming must not leave other bytes than were checked
    return total is None or have == total


def _check_size(part: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        part.unlink(missing_ok=True)
        problem = f"the server sends more than {max_bytes:,} bytes"
        raise InvalidFile(problem, path=part, remedy="get the file yourself and give it with --from PATH")


def chosen(origin: Path, files: Sequence[DataFile]) -> list[tuple[DataFile, Path]]:
    """Return which of the files `origin` holds, and where each is; a folder must hold all of them."""
    if not origin.exists():
        raise InvalidFile("no such file or folder", path=origin, remedy="check the path after --from")
    if not origin.is_dir():
        return [(_meant(origin, files), origin)]
    pairs = [(file, _inside(origin, file)) for file in files]
    if len(files) == 1 and files[0].members and pairs[0][1] is None:
        return [(files[0], origin)]
    if absent := [file.name for file, path in pairs if path is None]:
        raise InvalidFile(f"no {', '.join(absent)} in this folder", path=origin, remedy="give the files one by one")
    return [(file, path) for file, path in pairs if path is not None]


def _inside(folder: Path, file: DataFile) -> Path | None:
    base = PurePosixPath(file.name).name
    places = (folder / file.name, folder / base, folder / stem(base))
    return next((path for path in places if path.exists()), None)


def _meant(origin: Path, files: Sequence[DataFile]) -> DataFile:
    """Return which file `origin` is: the only one; or by its name, here or at its address; or by its digest."""
    if len(files) == 1:
        return files[0]
    named = next((file for file in files if origin.name in _names(file)), None)
    if named is not None:
        return named
    digest = sha256(origin)
    same = next((file for file in files if file.sha256 == digest), None)
    if same is None:
        known = ", ".join(PurePosixPath(file.name).name for file in files)
        raise InvalidFile(f"cannot tell which file it is; wanted are {known}", path=origin, remedy="rename it")
    return same


def _names(file: DataFile) -> set[str]:
    return {PurePosixPath(path).name for path in (file.name, *(urlsplit(address).path for address in file.addresses))}


def take(origin: Path, file: DataFile, target: Path) -> Path:
    """Check the user's file and copy it."""
    if origin.is_dir():
        if not file.members:
            raise InvalidFile(f"no {file.name} in this folder", path=origin, remedy="give the file itself")
        target = target.with_name(stem(target.name))
    verify(origin, file)
    if target.exists() and target.samefile(origin):
        return target
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        return _copied(origin, target)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn an error of the system while a file is written into InvalidFile."""
    try:
        yield
    except OSError as error:
        remedy = "give a folder that can be written with --folder"
        raise InvalidFile(f"cannot be written ({error.strerror or error})", path=target, remedy=remedy) from error


def _copied(origin: Path, target: Path) -> Path:
    """Copy a file or folder; the copy takes its name when it is whole."""
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if origin.is_dir():
            shutil.copytree(origin, scratch)
            shutil.rmtree(target, ignore_errors=True)
            return scratch.replace(target)
        with temporary(scratch):
            shutil.copyfile(origin, scratch)
            with scratch.open("rb+") as copy:
                os.fsync(copy.fileno())
            return scratch.replace(target)
    finally:
        if scratch.is_dir():
            shutil.rmtree(scratch, ignore_errors=True)


def fetch(
    source: Source,
    *,
    split: str | None = None,
    origin: str | Path | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Bring the files of a split to this machine and return their paths.

    Parameters
    ----------
    source
        The corpus.
    split
        The split whose files are needed, the first by default.
    origin
        One of the files, or a folder that holds them or their unpacked archive; only what it holds is brought.
        Without it, a correct file that `load` would find stays where it is; else it is downloaded.
    folder
        Where the files go; the user's cache by default.
    progress
        Called as a download proceeds.
    """
    goal = Path(folder) if folder is not None else cache_folder()
    files = source.needs(source.choose(split))
    if origin is not None and files:
        return [take(path, file, goal / file.name) for file, path in chosen(Path(origin), files)]
    places = [goal, *search_path(folder)]
    return [
        _checked(file, places)
        or fetch_file(file, goal, missing=partial(_missing, source, file, goal), progress=progress)
        for file in files
    ]


def _missing(source: Source, file: DataFile, goal: Path, problem: str) -> CorpusMissing:
    part = f" --split {file.splits[0]}" if file.splits and source.splits[0] not in file.splits else ""
    where = f" from {' or '.join(file.addresses)}" if file.addresses else ""
    return CorpusMissing(
        f"{problem} Without a network: get it{where} on another machine, then run 'rubricate corpus fetch "
        f"{source.name}{part} --from PATH', or put it into {(goal / file.name).parent}."
    )


def _checked(file: DataFile, places: list[Path]) -> Path | None:
    """Return the file that is already here; a wrong one is an error, never overwritten."""
    here = find(file, places)
    if here is not None:
        try:
            verify(here, file)
        except InvalidFile as error:
            remedy = "remove it and fetch again, or give the original with --from PATH"
            raise type(error)(error.problem, path=here, remedy=remedy) from error
    return here


def fetch_file(
    file: DataFile,
    goal: Path,
    *,
    missing: Callable[[str], RubricateError],
    progress: Progress | None = None,
) -> Path:
    """Download from the first address that gives the right file, unless another process just did.

    Parameters
    ----------
    file
        The file on record, with addresses and digests.
    goal
        The folder it goes to.
    missing
        Makes the error from what went wrong, if no address answers.
    progress
        Called with the bytes that arrive.
    """
    target = goal / file.name
    with ExitStack() as stack:
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(target))
        if (here := _checked(file, [goal])) is not None:
            return here
        troubles: list[Exception] = []
        for address in file.addresses:
            try:
                return _from_address(address, file, target, progress=progress)
            except (OSError, InvalidFile) as error:
                troubles.append(error)
    if troubles and all(isinstance(error, InvalidFile) for error in troubles):
        raise troubles[0]
    tried = "; ".join(str(error) for error in troubles) or "no address is known"
    stored = " What has arrived so far is kept; fetching again resumes." if part_of(target).exists() else ""
    raise missing(f"could not download {file.name} ({tried}).{stored}")


def _from_address(address: str, file: DataFile, target: Path, *, progress: Progress | None) -> Path:
    """Resume or start a download; if a resumed file is wrong, start again: its beginning may be another file's."""
    resumed = part_of(target).exists()
    part = download(address, target, progress=progress)
    try:
        verify(part, file)
    except UnreadableFile:  # what has arrived may be sound
        raise
    except InvalidFile as error:
        part.unlink()
        if resumed:
            return _from_address(address, file, target, progress=progress)
        problem = f"{address} sends something other than the file on record: {error.problem}"
        remedy = "find the original and give it with --from PATH"
        raise DigestMismatch(problem, path=target, remedy=remedy) from error
    return part.replace(target)
