"""Training documents per category: read as counts, or counted in labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.files.predictions.table_rows import csv_rows, first_line, opened
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


def read_train_counts(path: str | Path) -> TrainCounts:
    """Read counts from a CSV with the columns category and count, or from a JSON object {category: count}."""
    place = Path(path)
    if first_line(place).startswith("{"):
        return TrainCounts(_from_json(place))
    counts: dict[str, int] = {}
    with opened(place) as text:
        header, _, rows = csv_rows(place, text)
        if len(header) != 2:
            raise InvalidFile(
                f"expected two columns, category and count, got {len(header)}",
                path=place,
                line=1,
                remedy="for a file of training labels use --train",
            )
        for line, (name, count) in rows:
            if name in counts:
                raise InvalidFile(
                    f"category {name!r} occurs twice", path=place, line=line, remedy="keep one of the rows"
                )
            counts[name] = _whole(count, place, line)
    return TrainCounts(counts)


def _from_json(path: Path) -> dict[str, int]:
    with opened(path) as text:
        try:
            counts = json.load(text)
        except (ValueError, RecursionError) as error:
            raise InvalidFile(f"not JSON ({error})", path=path, remedy="write one object {category: count}") from None
    return {str(name): _whole(count, path, None) for name, count in counts.items()}


def _whole(cell: object, path: Path, line: int | None) -> int:
    text = str(cell).strip()
    if not text.isdecimal():
        raise InvalidFile(f"{cell!r} is not a count", path=path, line=line, remedy="give whole numbers from 0")
    return int(text)
