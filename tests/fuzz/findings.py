"""What fuzzing found: inputs tried, faults, and the record of all runs in `docs/fuzz.jsonl`."""

from __future__ import annotations

import hashlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

__all__ = ["RECORD", "Findings", "totals"]

RECORD = Path(__file__).parents[2] / "docs" / "fuzz.jsonl"


class Findings:
    """Runs inputs of one parser, counts them, and keeps those that crash it, one for each place."""

    def __init__(self, parser: str, folder: Path, run: Callable[[str, bytes], Any]) -> None:
        self.parser, self.folder, self.run = parser, folder, run
        self.executions, self.places, self.began = 0, set[str](), time.monotonic()

    def run_one(self, data: bytes) -> None:
        """Give one input to the parser."""
        self.executions += 1
        try:
            self.run(self.parser, data)
        except Exception as error:
            self._keep(data, error)

    def _keep(self, data: bytes, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{type(error).__name__} {Path(frames[-1].filename).name}:{frames[-1].lineno}"
        if place not in self.places:
            self.places.add(place)
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{self.parser}-{hashlib.sha256(data).hexdigest()[:12]}"
            (self.folder / name).write_bytes(data)
            print(f"{self.parser}: {place}: {error} ({self.folder / name})", file=sys.stderr)

    def report(self) -> dict[str, Any]:
        """Return the line of this parser."""
        seconds = round(time.monotonic() - self.began, 1)
        return {"parser": self.parser, "executions": self.executions, "crashes": len(self.places), "seconds": seconds}


def totals(lines: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the executions and crashes of each parser over all runs of a record, one JSON object per line.

    >>> totals(['{"parser": "csv", "executions": 7, "crashes": 1}', '{"parser": "csv", "executions": 2, "crashes": 0}'])
    {'csv': (9, 1)}
    """
    summed: dict[str, tuple[int, int]] = {}
    for line in map(json.loads, lines):
        executions, crashes = summed.get(line["parser"], (0, 0))
        summed[line["parser"]] = executions + line["executions"], crashes + line["crashes"]
    return summed
