"""Exports of labelling tools: Argilla, doccano and Label Studio."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO, Any

from rubricate.io.json_records import json_objects, jsonl, object_roles, write_json_lines, write_json_list
from rubricate.io.reader import InputFile, Record, reader
from rubricate.io.reading import Reading

__all__ = ["argilla", "doccano", "labelstudio"]


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


@reader("argilla", streams=False, write=_write)
def argilla(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
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


def _write_doccano(records: Iterable[Record], stream: IO[bytes]) -> None:
    write_json_lines(records, stream, labels="label")


@reader("doccano", write=_write_doccano)
def doccano(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    reading = file.reading
    if reading.labels == Reading.labels:
        reading = replace(reading, labels="label")
    return jsonl.records(replace(file, reading=reading))


_CHOICES = ("choices", "taxonomy")


def _choices(annotations: Any) -> list[Any]:
    valid = [a for a in annotations or () if isinstance(a, dict) and not a.get("was_cancelled")]
    chosen = next((a for a in valid if a.get("ground_truth")), valid[0] if valid else {})
    labels: list[Any] = []
    for result in chosen.get("result") or ():
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, Mapping):
            for kind in _CHOICES:
                labels += [_name(choice) for choice in value.get(kind) or ()]
    return labels


def _name(choice: Any) -> Any:
    """Return the name of a choice; one of a taxonomy is a list, the path to it."""
    return "/".join(map(str, choice)) if isinstance(choice, list) else choice


def _write_labelstudio(records: Iterable[Record], stream: IO[bytes]) -> None:
    write_json_list((_task(number, record) for number, record in enumerate(records, 1)), stream)


def _task(number: int, record: Record) -> dict[str, Any]:
    optional = {"title": record.title, "split": record.split}
    data = {
        "id": record.id,
        "text": record.text,
        **{name: value for name, value in optional.items() if value is not None},
    }
    value = {"choices": list(record.labels)}
    result = {"from_name": "labels", "to_name": "text", "type": "choices", "value": value}
    return {"id": number, "data": data, "annotations": [{"result": [result]}] if record.labels else []}


@reader("labelstudio", streams=False, write=_write_labelstudio)
def labelstudio(file: InputFile) -> Iterator[Record]:
    """Yield the documents of a file in this format, one at a time."""
    for number, task in json_objects(file, "tasks"):
        data = task.get("data")
        if not isinstance(data, dict):
            file.fail(f"task {number} has no data", number, "give the JSON export of Label Studio (not JSON-MIN)")
        roles = object_roles(file, data)
        cells = {role: data.get(name) for role, name in roles.pairs()}
        if "id" not in cells and isinstance(task.get("id"), (int, str)):
            cells["id"] = task["id"]
        if "labels" in cells:
            cells["labels"] = _choices(task.get("annotations"))
        yield file.record(number, number, cells)
