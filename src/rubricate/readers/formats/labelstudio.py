"""Label Studio: the JSON export of a project for text classification, and the same file as an import.

Of a task with several annotations the one marked as ground truth counts, else the first that was not skipped;
predictions are not labels. Choices of all controls are joined. See https://labelstud.io/guide/export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from rubricate.readers.input_file import InputFile
from rubricate.readers.json_lists import json_objects, object_roles, write_json_list
from rubricate.readers.reader import Reader
from rubricate.readers.record import Record

__all__ = ["LABELSTUDIO"]

_CHOICES = ("choices", "taxonomy")


def _records(file: InputFile) -> Iterator[Record]:
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


def _write(records: Iterable[Record], stream: IO[bytes]) -> None:
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


LABELSTUDIO = Reader(_records, streams=False, write=_write)
