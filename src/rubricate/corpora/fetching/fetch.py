"""Bring files on record to this machine: from their published address, or from a file or folder that the user has.

Every file is checked against its digests before it takes its name, and takes it in one step (`os.replace`): a fetch
that fails or is interrupted leaves at most the `….part` of an unfinished download, from which the next one resumes.
Fetches of one file at the same time take turns: the second one finds the file of the first. Corpora and encoders are
downloaded by the same function, `fetch_file`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rubricate.corpora.catalogue.folders import find, search_path
from rubricate.corpora.catalogue.source import DataFile, Source
from rubricate.corpora.fetching.download import download, part_of
from rubricate.corpora.fetching.lock import locked
from rubricate.corpora.fetching.taking import chosen, take, writing
from rubricate.corpora.fetching.verification import verify
from rubricate.errors import CorpusMissing, DigestMismatch, InvalidFile, RubricateError, UnreadableFile
from rubricate.types import Progress
from rubricate.user_folders import cache_folder

__all__ = ["fetch", "fetch_file"]


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
