"""Take files of a corpus from what the user has: one file, a folder that holds them, or an unpacked archive."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from rubricate.atomic import temporary
from rubricate.corpora.catalogue.folders import stem
from rubricate.corpora.catalogue.source import DataFile
from rubricate.corpora.fetching.verification import sha256, verify
from rubricate.errors import InvalidFile

__all__ = ["chosen", "take", "writing"]


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
