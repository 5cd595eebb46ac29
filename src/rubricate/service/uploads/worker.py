"""The program that parses uploads: `python -m rubricate.service.uploads.worker TASK OPTIONS`.

It reads bytes from standard input and prints JSON lines. Memory, processor time and file sizes are limited, so that a
hostile file ends this process and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from rubricate.errors import RubricateError

__all__ = ["main"]

MEMORY = 4 << 30
PROCESSOR_SECONDS = 600
BATCH, CHARACTERS = 256, 1 << 20
"""Most documents and characters of one line."""


def _limit() -> None:
    """Limit this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, PROCESSOR_SECONDS)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


def _records(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file in any format that can be streamed, some at a time."""
    from rubricate.readers.input_file import InputFile
    from rubricate.readers.reading import Reading
    from rubricate.readers.standard_input import StandardInput
    from rubricate.readers.user_files import stream

    batch: list[dict[str, Any]] = []
    size = 0
    for record in stream(InputFile(StandardInput(), Reading(**options))):
        batch.append({"id": record.id, "text": record.text, "title": record.title, "labels": list(record.labels)})
        size += len(record.text)
        if len(batch) >= BATCH or size >= CHARACTERS:
            yield {"records": batch}
            batch, size = [], 0
    yield {"records": batch}


TASKS: dict[str, Callable[[dict[str, Any]], Iterator[dict[str, Any]]]] = {"records": _records}


def main() -> None:
    """Run one task; errors of the input are the last line, under `refused`."""
    _limit()
    task, options = sys.argv[1], json.loads(sys.argv[2])
    try:
        for answer in TASKS[task](options):
            print(json.dumps(answer), flush=True)
    except RubricateError as error:
        print(json.dumps({"refused": str(error).replace("<stdin>", "the file")}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
