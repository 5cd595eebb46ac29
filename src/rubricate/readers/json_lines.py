"""JSON lines as records: one object a line (`.jsonl`, `.ndjson`, and `.json` of that form)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rubricate.readers.columns import Columns, Roles
from rubricate.readers.record import Record
from rubricate.readers.text_lines import text_lines

__all__ = ["json_records"]


def json_records(columns: Columns, *, encoding: str = "utf-8") -> Iterator[Record]:
    """The records of a JSON lines file; empty lines are passed over. Memory: one line.

    Every line must have the id and the split if the first one has; `null` is an empty text, no label, no title.
    """
    known: dict[tuple[str, ...], Roles] = {}
    number = 0
    for line, text in enumerate(text_lines(columns.path, encoding), 1):
        if text.isspace():
            continue
        entry, number = _object(columns, text, line), number + 1
        keys = tuple(entry)
        if keys not in known:
            known[keys] = _roles(columns, keys, line, next(iter(known.values()), None))
        yield columns.record(number, line, {role: entry.get(name) for role, name in known[keys].pairs()})


def _object(columns: Columns, text: str, line: int) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError) as error:
        whole = line == 1 and text.lstrip().startswith("[")
        remedy = "write one object a line, not one list" if whole else "mend or remove this line"
        columns.fail(f"broken JSON ({error})", line, remedy)
    if not isinstance(entry, dict):
        columns.fail(f"an object expected, {type(entry).__name__} found", line, "write one object a line, not one list")
    return entry


def _roles(columns: Columns, keys: tuple[str, ...], line: int, first: Roles | None) -> Roles:
    roles = columns.roles((*keys, columns.title) if columns.title else keys, line)
    if first is not None and (roles.id, roles.split) != (first.id, first.split):
        columns.fail("id or split are not as in the first line", line, "give them in every line or in none")
    return roles
