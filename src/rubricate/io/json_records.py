"""JSON as labelling tools export it, one list of objects, and as lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, TypeAlias

from rubricate.errors import InvalidFile
from rubricate.io.batches import documents_of
from rubricate.io.reader import InputFile, Record, Roles, reader
from rubricate.io.tables import json_objects as tables_json_objects
from rubricate.io.text_files import decode, opened
from rubricate.types import Documents

__all__ = ["json_objects", "jsonl", "object_roles", "write_json_lines", "write_json_list"]


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


Pairs: TypeAlias = list[tuple[str, str]]
"""Roles and the keys that have them."""


def _entries(file: InputFile) -> Iterator[tuple[int, dict[str, Any], Pairs]]:
    """Yield the line, the object on it, and the roles that its keys have: the same list for the same keys."""
    known: dict[tuple[str, ...], Pairs] = {}
    first: Roles | None = None
    for line, entry in tables_json_objects(file.lines(), file.path):
        keys = tuple(entry)
        pairs = known.get(keys)
        if pairs is None:
            roles = _roles(file, keys, line, first=first)
            first, pairs = first or roles, roles.pairs()
            known[keys] = pairs
        yield line, entry, pairs


def _batches(file: InputFile, batch: int, characters: int) -> Iterator[Documents]:
    """Yield the documents without labels, some at a time."""
    rows = _Rows(file, [])
    entries, number = _entries(file), 1
    while True:
        try:
            line, entry, pairs = next(entries)
        except StopIteration:
            break
        except InvalidFile:
            rows.documents(number)  # an earlier line may be wrong as well: it is named first
            raise
        if rows.lines and (pairs is not rows.pairs or len(rows.lines) >= batch or rows.size >= characters):
            yield rows.documents(number)
            number += len(rows.lines)
            rows = _Rows(file, pairs)
        elif not rows.lines:
            rows = _Rows(file, pairs)
        rows.add(line, entry)
    if rows.lines:
        yield rows.documents(number)


class _Rows:
    """Lines whose objects have their roles under the same keys, by column."""

    def __init__(self, file: InputFile, pairs: Pairs) -> None:
        self.file, self.pairs = file, pairs
        self.columns: dict[str, list[Any]] = {role: [] for role, _ in pairs}
        self.lines: list[int] = []
        self.size = 0
        self._add = [(self.columns[role].append, name) for role, name in pairs]

    def add(self, line: int, entry: dict[str, Any]) -> None:
        for append, name in self._add:
            append(entry.get(name))
        self.lines.append(line)
        self.size += len(self.columns["text"][-1] or "") if isinstance(self.columns["text"][-1], str) else 0

    def documents(self, number: int) -> Documents:
        return documents_of(self.file, self.columns, numbers=range(number, number + len(self.lines)), lines=self.lines)


def _roles(file: InputFile, keys: tuple[str, ...], line: int, *, first: Roles | None) -> Roles:
    title = file.reading.title
    roles = file.roles((*keys, title) if title else keys, line)
    if first is not None and (roles.id, roles.split) != (first.id, first.split):
        file.fail("id or split differ from the first line", line, "give them in every line or in none")
    return roles


@reader(
    "jsonl",
    suffixes=(".jsonl", ".ndjson", ".json"),
    sniff=lambda start: start.startswith(b"{"),
    write=write_json_lines,
    batches=_batches,
)
def jsonl(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; empty lines are skipped. Memory: one line.

    Every line must have the id and the split if the first one has; `null` is an empty text, no label, no title.
    """
    for number, (line, entry, pairs) in enumerate(_entries(file), 1):
        yield file.record(number, line, {role: entry.get(name) for role, name in pairs})
