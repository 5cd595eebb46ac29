"""Bring a corpus to this machine: from its published address, or from a file or folder that the user has.

Every file is checked against its digests before it takes its name, and takes it in one step (`os.replace`): a fetch
that fails or is interrupted leaves at most the `….part` of an unfinished download, from which the next one resumes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

from rubricate.corpora._download import Progress, download, part_of
from rubricate.corpora._folders import cache_folder, find, search_path, stem
from rubricate.corpora._source import DataFile, Source
from rubricate.corpora._verify import verify
from rubricate.errors import CorpusMissing, DigestMismatch, InvalidFile

__all__ = ["fetch"]


def _silent(name: str, here: int, total: int | None) -> None:
    return None


def fetch(
    source: Source,
    *,
    origin: str | Path | None = None,
    folder: str | Path | None = None,
    progress: Progress = _silent,
) -> list[Path]:
    """The paths of the corpus's files, each brought to `folder` (the user's cache by default) unless it is there.

    `origin` is a file of the corpus, or a folder that holds its files or its unpacked archive. Without it, a file
    that is found where `load` looks and has the right digest stays where it is; else it is downloaded.
    """
    goal = Path(folder) if folder is not None else cache_folder()
    return [_one(source, file, origin, goal, [goal, *search_path(folder)], progress) for file in source.files]


def _one(
    source: Source, file: DataFile, origin: str | Path | None, goal: Path, places: list[Path], progress: Progress
) -> Path:
    target = goal / file.name
    if origin is not None:
        return _take(_choose(Path(origin), file), file, target)
    here = find(file, places)
    if here is not None:
        verify(here, file)
        return here
    target.parent.mkdir(parents=True, exist_ok=True)
    return _get(source, file, target, progress)


def _choose(origin: Path, file: DataFile) -> Path:
    """The file that is meant: `origin` itself, or a file in the folder `origin`, or that folder as unpacked archive."""
    if not origin.exists():
        raise InvalidFile("no such file or folder", path=origin, remedy="check the path after --from")
    base = PurePosixPath(file.name).name
    inside = (origin / file.name, origin / base, origin / stem(base))
    return next((path for path in inside if path.exists()), origin)


def _take(origin: Path, file: DataFile, target: Path) -> Path:
    """Check what the user has and copy it."""
    if origin.is_dir():
        if not file.members:
            raise InvalidFile(f"no {file.name} in this folder", path=origin, remedy="give the file itself")
        target = target.with_name(stem(target.name))
    verify(origin, file)
    if target.exists() and target.samefile(origin):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if origin.is_dir():
            shutil.copytree(origin, scratch)
            shutil.rmtree(target, ignore_errors=True)
        else:
            shutil.copyfile(origin, scratch)
        return scratch.replace(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True) if scratch.is_dir() else scratch.unlink(missing_ok=True)


def _get(source: Source, file: DataFile, target: Path, progress: Progress) -> Path:
    """Download from the first address that gives the right file."""
    troubles: list[Exception] = []
    for address in file.addresses:
        try:
            return _from_address(address, file, target, progress)
        except (OSError, InvalidFile) as error:
            troubles.append(error)
    if troubles and all(isinstance(error, InvalidFile) for error in troubles):
        raise troubles[0]
    raise _missing(source, file, target, troubles)


def _from_address(address: str, file: DataFile, target: Path, progress: Progress) -> Path:
    """Resume or start; when a resumed file turns out wrong, start again, for its beginning may be from elsewhere."""
    resumed = part_of(target).exists()
    part = download(address, target, progress=progress)
    try:
        verify(part, file)
    except InvalidFile as error:
        part.unlink()
        if resumed:
            return _from_address(address, file, target, progress)
        problem = f"{address} sends something else than the file on record: {error.problem}"
        remedy = "find the original and give it with --from PATH"
        raise DigestMismatch(problem, path=target, remedy=remedy) from error
    return part.replace(target)


def _missing(source: Source, file: DataFile, target: Path, troubles: list[Exception]) -> CorpusMissing:
    tried = "; ".join(str(error) for error in troubles) or "no address is known"
    where = f" from {' or '.join(file.addresses)}" if file.addresses else ""
    kept = " What has come so far is kept; fetching again resumes." if part_of(target).exists() else ""
    return CorpusMissing(
        f"could not download {file.name} ({tried}).{kept} Without a network: get it{where} on another machine, then "
        f"run 'rubricate corpus fetch {source.name} --from PATH', or put it into {target.parent}."
    )
