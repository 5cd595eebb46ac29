"""Folders that Hugging Face `datasets` writes by `save_to_disk`, read by pyarrow alone (extra `frames`).

A folder of splits has `dataset_dict.json` and one folder per split; one split has `state.json`, `dataset_info.json` and
Arrow files. Numbers of a `ClassLabel` column become the names of its classes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubricate.errors import MissingExtra
from rubricate.io.reader import SPLITS, InputFile, Record, reader

__all__ = ["dataset"]

_SPLITS, _STATE, _INFO = "dataset_dict.json", "state.json", "dataset_info.json"


def _split_records(file: InputFile, folder: Path, *, split: str | None, number: int) -> Iterator[Record]:
    features = _json(file, folder / _INFO).get("features") or {}
    shards = [
        entry.get("filename") for entry in _listed(file, folder / _STATE, "_data_files") if isinstance(entry, dict)
    ]
    for shard in shards:
        for cells in _rows(file, _inside(file, folder, shard)):
            number += 1
            roles = file.roles(list(cells)).pairs()
            values = {role: _named(file, cells[name], features.get(name), number) for role, name in roles}
            if split is not None:
                values["split"] = split
            yield file.record(number, number, values)


def _rows(file: InputFile, path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("frames", "Arrow files") from error
    try:
        with pyarrow.memory_map(str(path)) as source:
            for batch in pyarrow.ipc.open_stream(source):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        file.fail(f"{path.name} is not an Arrow stream ({reason})", None, "save the dataset again by save_to_disk")


def _named(file: InputFile, value: Any, feature: Any, number: int) -> Any:
    """Return a value with the numbers of classes replaced by their names; -1 means no label."""
    if isinstance(feature, list) and feature:
        feature = {"feature": feature[0]}
    if not isinstance(feature, dict):
        return value
    if isinstance(value, list):
        return [_named(file, item, feature.get("feature"), number) for item in value]
    names = feature.get("names")
    if feature.get("_type") != "ClassLabel" or not isinstance(names, list) or value is None or value == -1:
        return None if value == -1 and feature.get("_type") == "ClassLabel" else value
    if not isinstance(value, int) or not 0 <= value < len(names):
        file.fail(f"class {value!r} of {len(names)}", number, "save the dataset again by save_to_disk")
    return names[value]


def _inside(file: InputFile, folder: Path, name: Any) -> Path:
    """Return the path of a part; a name that leads out of the folder is refused."""
    if not isinstance(name, str) or Path(name).name != name or name in ("", ".", ".."):
        file.fail(f"a part named {name!r:.60}", None, "save the dataset again by save_to_disk")
    return folder / name


def _listed(file: InputFile, path: Path, key: str) -> list[Any]:
    entries = _json(file, path).get(key)
    if not isinstance(entries, list):
        file.fail(f"{path.name} lists no {key}", None, "save the dataset again by save_to_disk")
    return entries


def _json(file: InputFile, path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        file.fail(f"{path.name} cannot be read ({error})", None, "save the dataset again by save_to_disk")
    return content if isinstance(content, dict) else {}


@reader("dataset", streams=False, folder=lambda path: (path / _SPLITS).is_file() or (path / _STATE).is_file())
def dataset(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    root = Path(file.path)
    if not (root / _SPLITS).is_file():
        yield from _split_records(file, root, split=None, number=0)
        return
    number = 0
    for split in _listed(file, root / _SPLITS, "splits"):
        if str(split).lower() not in SPLITS:
            file.fail(f"a split named {split!r}", None, f"rename it to one of {', '.join(SPLITS)}, or load it alone")
        for record in _split_records(file, _inside(file, root, split), split=split, number=number):
            number += 1
            yield record
