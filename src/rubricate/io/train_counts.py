"""Training documents per category: read as counts, or counted in labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.io.tables import OpenFile, open_file, tables
from rubricate.types import Decisions, Ints

__all__ = ["TrainCounts", "read_train_counts"]


@dataclass(frozen=True)
class TrainCounts:
    """Training documents per category."""

    counts: dict[str, int]

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the categories that training knows."""
        return tuple(self.counts)

    def over(self, categories: Sequence[str]) -> Ints:
        """Return the counts of these categories; 0 for a category that training did not have."""
        return np.array([self.counts.get(name, 0) for name in categories], np.int64)

    @classmethod
    def of(cls, labels: Decisions) -> TrainCounts:
        """Count the training labels."""
        counts = np.bincount(labels.values.indices, minlength=len(labels.categories))
        return cls(dict(zip(labels.categories, counts.tolist(), strict=True)))


def read_train_counts(path: str | Path, encoding: str = "utf-8") -> TrainCounts:
    """Read counts from a table with the columns category and count, or from a JSON object {category: count}."""
    place = Path(path)
    with open_file(place, encoding) as file:
        return TrainCounts(_from_json(file, place) if file.start.startswith("{") else _from_table(file, place))


def _from_table(file: OpenFile, path: Path) -> dict[str, int]:
    if file.kind == "text" and not file.start:
        raise InvalidFile("the file is empty", path=path, remedy="give two columns, category and count")
    counts: dict[str, int] = {}
    for table in tables(file):
        if len(table.names) != 2:
            problem = f"expected two columns, category and count, got {len(table.names)}"
            raise InvalidFile(problem, path=path, line=1, remedy="for a file of training labels use --train")
        for line, (name, count) in table.rows:
            if name in counts:
                problem = f"category {name!r} occurs twice"
                raise InvalidFile(problem, path=path, line=line, remedy="keep one of the rows")
            counts[str(name)] = _whole(count, path, line)
    return counts


def _from_json(file: OpenFile, path: Path) -> dict[str, int]:
    try:
        counts = json.loads("".join(file.lines))
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"not JSON ({error})", path=path, remedy="write one object {category: count}") from None
    return {str(name): _whole(count, path, None) for name, count in counts.items()}


def _whole(cell: object, path: Path, line: int | None) -> int:
    text = str(cell).strip()
    if not text.isdecimal():
        raise InvalidFile(f"{cell!r} is not a count", path=path, line=line, remedy="give whole numbers from 0")
    return int(text)
