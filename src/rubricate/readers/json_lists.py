"""JSON as labelling tools export it, one list of objects, and as lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from rubricate.readers.input_file import InputFile, Roles
from rubricate.readers.record import Record
from rubricate.readers.text_lines import decode, opened

__all__ = ["json_objects", "object_roles", "write_json_lines", "write_json_list"]


def json_objects(file: InputFile, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a list with their numbers from 1; `what` names them in errors. Memory: the file."""
    with opened(file.path) as stream:
        text = decode(stream.read(), file.path, file.reading.encoding)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        file.fail(f"broken JSON ({error})", None, f"give the JSON export: one list of {what}")
    if not isinstance(entries, list):
        file.fail(f"expected a list of {what}, got {type(entries).__name__}", None, "give the JSON export, not JSONL")
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            file.fail(f"{what} {number} is no object but {type(entry).__name__}", number, "export the file again")
        yield number, entry


def object_roles(file: InputFile, names: Iterable[str]) -> Roles:
    """Return the roles among the fields of a document whose labels are kept elsewhere, and whose title may lack."""
    reading = file.reading
    return file.roles((*names, *(name for name in (reading.labels, reading.title) if name)))


def write_json_list(entries: Iterable[Mapping[str, Any]], stream: IO[bytes]) -> None:
    """Write a list of objects, one per line."""
    before = b"[\n"
    for entry in entries:
        stream.write(before + json.dumps(entry, ensure_ascii=False).encode())
        before = b",\n"
    stream.write(b"\n]\n" if before == b",\n" else b"[]\n")


def write_json_lines(records: Iterable[Record], stream: IO[bytes], labels: str = "labels") -> None:
    """Write one object per line, the labels under this key; title and split where there are any."""
    for record in records:
        optional = {"title": record.title, "split": record.split}
        entry = {"id": record.id, "text": record.text, labels: list(record.labels)}
        entry |= {name: value for name, value in optional.items() if value is not None}
        stream.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
