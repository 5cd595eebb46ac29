"""How many training documents each category has: given as counts, or counted in a file of labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.files.predictions.records import csv_rows, first_line, opened
from rubricate.types import Decisions, Ints

__all__ = ["TrainCounts", "read_train_counts"]


@dataclass(frozen=True)
class TrainCounts:
    """Training documents by category."""

    counts: dict[str, int]

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that are known from training."""
        return tuple(self.counts)

    def over(self, categories: Sequence[str]) -> Ints:
        """The counts of these categories; 0 for one that training did not have."""
        return np.array([self.counts.get(name, 0) for name in categories], np.int64)

    @classmethod
    def of(cls, labels: Decisions) -> TrainCounts:
        """Counted in training labels."""
        counts = np.bincount(labels.values.indices, minlength=len(labels.categories))
        return cls(dict(zip(labels.categories, counts.tolist(), strict=True)))


def read_train_counts(path: str | Path) -> TrainCounts:
    """Counts from a CSV with the columns category and count, or a JSON object {category: count}."""
    place = Path(path)
    if first_line(place).startswith("{"):
        return TrainCounts(_from_json(place))
    counts: dict[str, int] = {}
    with opened(place) as text:
        header, _, rows = csv_rows(place, text)
        if len(header) != 2:
            raise InvalidFile(
                f"two columns, category and count, were expected, got {len(header)}",
                path=place,
                line=1,
                remedy="for a file of training labels use --train",
            )
        for line, (name, count) in rows:
            if name in counts:
                raise InvalidFile(
                    f"category {name!r} comes twice", path=place, line=line, remedy="keep one of the rows"
                )
            counts[name] = _whole(count, place, line)
    return TrainCounts(counts)


def _from_json(path: Path) -> dict[str, int]:
    with opened(path) as text:
        try:
            found = json.load(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InvalidFile(f"not JSON ({error})", path=path, remedy="write one object {category: count}") from None
    return {str(name): _whole(count, path, None) for name, count in found.items()}


def _whole(cell: object, path: Path, line: int | None) -> int:
    text = str(cell).strip()
    if not text.isdecimal():
        raise InvalidFile(f"{cell!r} is no count", path=path, line=line, remedy="give whole numbers from 0")
    return int(text)
