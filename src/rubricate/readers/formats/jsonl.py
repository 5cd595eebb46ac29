"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rubricate.readers.input_file import InputFile, Roles
from rubricate.readers.json_lists import write_json_lines
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["JSONL"]


def _records(file: InputFile) -> Iterator[Record]:
    """Yield the records of a file; empty lines are skipped. Memory: one line.

    Every line must have the id and the split if the first one has; `null` is an empty text, no label, no title.
    """
    known: dict[tuple[str, ...], Roles] = {}
    number = 0
    for line, text in enumerate(file.lines(), 1):
        if text.isspace():
            continue
        entry, number = _object(file, text, line), number + 1
        keys = tuple(entry)
        if keys not in known:
            known[keys] = _roles(file, keys, line, first=next(iter(known.values()), None))
        yield file.record(number, line, {role: entry.get(name) for role, name in known[keys].pairs()})


def _object(file: InputFile, text: str, line: int) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        whole = line == 1 and text.lstrip().startswith("[")
        remedy = (
            "write one object per line, not one list; for an export give --format labelstudio or argilla"
            if whole
            else "correct or remove this line"
        )
        file.fail(f"broken JSON ({error})", line, remedy)
    if not isinstance(entry, dict):
        file.fail(f"expected an object, got {type(entry).__name__}", line, "write one object per line, not one list")
    return entry


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
)
