"""Argilla: the JSON of a dataset's records, as `dataset.records.to_json(path)` writes it.

The labels of a record are those of the first response that was submitted, to the question named by `labels`, or to
the only question there is; suggestions are not labels. See https://docs.argilla.io.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from rubricate.readers.input_file import InputFile
from rubricate.readers.json_lists import json_objects, object_roles, write_json_list
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["ARGILLA"]


def _records(file: InputFile) -> Iterator[Record]:
    for number, entry in json_objects(file, "records"):
        fields, metadata = entry.get("fields"), entry.get("metadata") or {}
        if not isinstance(fields, dict) or not isinstance(metadata, dict):
            file.fail(f"record {number} has no fields", number, "write it by dataset.records.to_json(path)")
        known = {**metadata, **fields}
        cells = {role: known.get(name) for role, name in object_roles(file, known).pairs()}
        if "id" not in cells and isinstance(entry.get("id"), (int, str)):
            cells["id"] = entry["id"]
        if "labels" in cells:
            cells["labels"] = _response(file, entry.get("responses") or {}, number)
        yield file.record(number, number, cells)


def _response(file: InputFile, responses: Any, number: int) -> Any:
    """Return the labels of the response that counts; [] where nobody answered."""
    if not isinstance(responses, dict):
        file.fail(f"record {number}: responses must be an object", number, "write it by dataset.records.to_json(path)")
    asked = file.reading.labels
    if asked not in responses and len(responses) > 1:
        remedy = f"name the question: --labels {next(iter(responses))}"
        file.fail(f"record {number} answers {len(responses)} questions, none named {asked!r}", number, remedy)
    answers = responses.get(asked, next(iter(responses.values()), []))
    answers = [answer for answer in answers or () if isinstance(answer, dict)]
    given: dict[str, Any] = next((a for a in answers if a.get("status", "submitted") == "submitted"), {})
    return given.get("value") if given.get("value") is not None else []


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
    write_json_list(map(_entry, records), stream)


def _entry(record: Record) -> dict[str, Any]:
    fields = {"text": record.text} | ({} if record.title is None else {"title": record.title})
    answer = [{"value": list(record.labels), "status": "submitted"}]
    return {
        "id": record.id,
        "fields": fields,
        "metadata": {} if record.split is None else {"split": record.split},
        "suggestions": {},
        "responses": {"labels": answer} if record.labels else {},
    }


ARGILLA = Reader(_records, streams=False, write=_write)
