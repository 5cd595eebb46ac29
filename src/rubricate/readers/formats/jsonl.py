"""JSON lines: one object per line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from rubricate.errors import InvalidFile
from rubricate.readers.document_batches import documents_of
from rubricate.readers.input_file import InputFile, Roles
from rubricate.readers.json_lists import write_json_lines
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record
from rubricate.readers.tables import json_objects
from rubricate.types import Documents

__all__ = ["JSONL"]

Pairs: TypeAlias = list[tuple[str, str]]
"""Roles and the keys that have them."""


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; empty lines are skipped. Memory: one line.

    Every line must have the id and the split if the first one has; `null` is an empty text, no label, no title.
    """
    for number, (line, entry, pairs) in enumerate(_entries(file), 1):
        yield file.record(number, line, {role: entry.get(name) for role, name in pairs})


def _entries(file: InputFile) -> Iterator[tuple[int, dict[str, Any], Pairs]]:
    """Yield the line, the object on it, and the roles that its keys have: the same list for the same keys."""
    known: dict[tuple[str, ...], Pairs] = {}
    first: Roles | None = None
    for line, entry in json_objects(file.lines(), file.path):
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


JSONL = Reader(
    _records,
    suffixes=(".jsonl", ".ndjson", ".json"),
    sniff=lambda start: start.startswith(b"{"),
    write=write_json_lines,
    batches=_batches,
)
