"""The program that parses uploads: `python -m rubricate.service.upload_worker [warm]`.

The first line of its standard input says what to do, `{"task": …, "options": …}`; the bytes of the upload follow. It
prints JSON lines. With the argument `warm` it loads the code of all tasks before it reads that line.

Memory, processor time and file sizes are limited, so that a hostile file ends this process and nothing else.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rubricate.errors import RubricateError
from rubricate.service.upload_process import UNNAMED

__all__ = ["main"]

MEMORY = 4 << 30
FILE = 8 << 30
PROCESSOR_SECONDS = 600
BATCH, CHARACTERS = 256, 1 << 20
"""Most documents and characters of one line."""


def _limit() -> None:
    """Limit this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, PROCESSOR_SECONDS), (resource.RLIMIT_FSIZE, FILE))
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


def _records(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file in a format that can be streamed, some at a time."""
    from rubricate.io.reader import InputFile
    from rubricate.io.reading import Reading
    from rubricate.io.text_files import StandardInput
    from rubricate.io.user_files import stream

    return _batches(stream(InputFile(StandardInput(), Reading(**options))))


def _batches(records: Iterator[Any]) -> Iterator[dict[str, Any]]:
    from rubricate.io.batches import batched

    for part in batched(records, BATCH, CHARACTERS):
        yield {"records": [_entry(record) for record in part]}


def _entry(record: Any) -> dict[str, Any]:
    labels = list(record.labels) or None  # an empty cell: not labelled yet
    return {"id": record.id, "text": record.text, "title": record.title, "labels": labels}


def _file(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file in any format; titles and labels are read where they are there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload.{options['format']}"
        with path.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield from _objects(path) if options["format"] == "jsonl" else _batches(_rows(path))


def _rows(path: Path) -> Iterator[Any]:
    """Yield the records of a table; of the columns title and labels those that it has."""
    from rubricate.errors import InvalidFile
    from rubricate.io.reader import InputFile
    from rubricate.io.reading import Reading
    from rubricate.io.user_files import stream

    columns: dict[str, Any] = {"title": "title", "labels": "labels"}
    for _ in range(len(columns)):
        try:
            next(stream(InputFile(path, Reading(split=None, **columns))), None)
        except InvalidFile as error:
            missing = next((role for role in columns if f"no column {role!r}" in str(error)), None)
            if missing is None:
                raise
            columns[missing] = None
    return stream(InputFile(path, Reading(split=None, **columns), prefix=UNNAMED))


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines as they are; the service checks their fields."""
    from rubricate.io.batches import batched
    from rubricate.io.tables import json_objects
    from rubricate.io.text_files import text_lines

    objects = (entry for _, entry in json_objects(text_lines(path), path))
    for part in batched(objects, BATCH, CHARACTERS, length=_length):
        yield {"records": part}


def _length(entry: dict[str, Any]) -> int:
    return sum(len(value) for value in entry.values() if isinstance(value, str))


def _evaluate(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    from rubricate.service.upload_evaluation import evaluate_files

    yield evaluate_files(options)


def _compare(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    from rubricate.service.upload_evaluation import compare_files

    yield compare_files(options)


TASKS: dict[str, Callable[[dict[str, Any]], Iterator[dict[str, Any]]]] = {
    "records": _records,
    "file": _file,
    "evaluate": _evaluate,
    "compare": _compare,
}


def _message(error: RubricateError) -> str:
    """Return what is wrong without the path that the file has here."""
    return re.sub(r"(<stdin>|\S*/(?=(?:upload\.|truth|run-\d)))", "", str(error)).lstrip(", ")


def main() -> None:
    """Run one task; errors of the input are the last line, under `refused`."""
    _limit()
    if sys.argv[1:] == ["warm"]:
        import rubricate.service.upload_evaluation  # noqa: F401
    first = sys.stdin.buffer.readline()
    if not first:  # the service has ended
        return
    asked = json.loads(first)
    try:
        for answer in TASKS[asked["task"]](asked["options"]):
            print(json.dumps(answer), flush=True)
    except RubricateError as error:
        print(json.dumps({"refused": _message(error)}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
