"""Where corpora are on this machine: the folder that `RUBRICATE_DATA` names, then the user's cache.

Both have one layout: each file under the name that its `DataFile` gives it. An archive may also be there unpacked,
as a folder with the archive's name without its endings (`reuters21578.tar.gz` → `reuters21578/`).
"""

from __future__ import annotations

import os
from pathlib import Path

from rubricate.corpora.catalogue.source import DataFile, Source
from rubricate.errors import CorpusMissing
from rubricate.user_folders import cache_folder

__all__ = ["DATA_VARIABLE", "find", "locate", "missing", "search_path", "stem"]

DATA_VARIABLE = "RUBRICATE_DATA"
_ENDINGS = (".tar.gz", ".gtar.gz", ".tgz", ".tar", ".zip", ".gz")


def search_path(folder: str | Path | None = None) -> list[Path]:
    """Return the folders to search, in order; a folder that is given is the only one."""
    if folder is not None:
        return [Path(folder)]
    named = os.environ.get(DATA_VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]


def stem(name: str) -> str:
    """Return the name of an archive without its endings.

    >>> stem("webkb-data.gtar.gz"), stem("rcv1/rcv1.topics.hier.orig")
    ('webkb-data', 'rcv1/rcv1.topics.hier.orig')
    """
    return next((name[: -len(ending)] for ending in _ENDINGS if name.endswith(ending)), name)


def find(file: DataFile, folders: list[Path]) -> Path | None:
    """Return the path of a file, or of what it unpacks to; None when no folder has it."""
    for folder in folders:
        if (path := folder / file.name).exists():
            return path
        if (unpacked := folder / stem(file.name)).exists():
            return unpacked
    return None


def missing(source: Source, split: str | None = None, folder: str | Path | None = None) -> list[str]:
    """Return the files of a split (of all splits by default) that no folder has."""
    folders = search_path(folder)
    return [file.name for file in (source.files if split is None else source.needs(split)) if not find(file, folders)]


def locate(source: Source, split: str, folder: str | Path | None = None) -> dict[str, Path]:
    """Return the path of each file that a split needs; CorpusMissing says what to do when one is missing."""
    folders = search_path(folder)
    if absent := missing(source, split, folder):
        looked = ", ".join(str(each) for each in folders)
        command = f"rubricate corpus fetch {source.name}" + (f" --split {split}" if split != source.splits[0] else "")
        raise CorpusMissing(
            f"corpus {source.name!r} is not here: no {', '.join(absent)} in {looked}. Run '{command}' to download it, "
            f"'{command} --from PATH' if you have the file, or set {DATA_VARIABLE} to the folder that holds it."
        )
    paths = ((file.name, find(file, folders)) for file in source.needs(split))
    return {name: path for name, path in paths if path is not None}
