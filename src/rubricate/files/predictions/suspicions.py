"""What an evaluation accepts although it is probably a mistake: percentages, missing columns, copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubricate.files.predictions.pairs import Pairs, listed

__all__ = ["Problem", "Seen", "suspicions"]

PERCENT = 20.0
"""Scores from 0 to 100 of which one is above this look like percent: no sum of term weights is bounded by 100."""

MOSTLY = 0.9
"""Where this share of the scores lies within 0 and 1 they are probabilities, and the others are mistakes."""


@dataclass(frozen=True)
class Problem:
    """A problem of a file: where, what, and how to fix it; `rows` counts the lines that have it.

    `stops` tells whether an evaluation refuses the file; the others are suspicious only.
    """

    path: Path
    line: int | None
    problem: str
    remedy: str
    stops: bool = True
    rows: int = 1

    def __str__(self) -> str:
        where = f"{self.path}" + (f", line {self.line}" if self.line is not None else "")
        more = f" (and {self.rows - 1:,} more lines like it)" if self.rows > 1 else ""
        return f"{where}: {self.problem}{more}. Fix: {self.remedy}."


Seen: TypeAlias = dict[tuple[int, int, int, int], Path]
"""The content of the files read so far, as fingerprints."""


def suspicions(pairs: Pairs, known: set[str], seen: Seen) -> Iterator[Problem]:
    """Yield what is odd about a file though it can be read; `seen` learns its content."""
    lacking = known - set(pairs.categories)
    if pairs.layout == "matrix" and lacking:
        problem = f"no column for {len(lacking)} of the {len(known)} categories ({listed(lacking)})"
        remedy = "add the columns; without them these categories are never assigned"
        yield Problem(pairs.path, 1, problem, remedy, stops=False)
    yield from _of_scores(pairs)
    first = seen.setdefault(_fingerprint(pairs), pairs.path)
    if first is not pairs.path:
        remedy = "leave out one of them, or check that the right file was submitted"
        yield Problem(pairs.path, None, f"the same predictions as {first}", remedy, stops=False)


def _of_scores(pairs: Pairs) -> list[Problem]:
    """Return what is odd about the scores of a file: percent, or a few values outside 0 and 1."""
    given = ~np.isnan(pairs.scores) & np.isfinite(pairs.scores)
    scores, lines = pairs.scores[given], pairs.lines[given]
    if not len(scores) or (scores.min() >= 0 and scores.max() <= 1):
        return []
    if scores.min() >= 0 and PERCENT < scores.max() <= 100:
        at, remedy = int(np.argmax(scores > 1)), "divide by 100, or cut them as percent (--cut 50)"
        problem = f"the scores look like percent, up to {scores.max():g}; expected probabilities from 0 to 1"
        return [Problem(pairs.path, int(lines[at]), problem, remedy, stops=False)]
    outside = (scores < 0) | (scores > 1)
    if outside.mean() > 1 - MOSTLY:
        return []
    at = int(np.argmax(outside))
    problem = f"{int(outside.sum()):,} scores outside 0 and 1, such as {scores[at]:g}; the others are within"
    return [Problem(pairs.path, int(lines[at]), problem, "give probabilities from 0 to 1", stops=False)]


def _fingerprint(pairs: Pairs) -> tuple[int, int, int, int]:
    """Return four numbers that are equal for files that say the same, in whatever order and layout."""
    documents = np.array([hash(name) for name in pairs.documents], np.int64).astype(np.uint64)
    categories = np.array([hash((name, 1)) for name in pairs.categories], np.int64).astype(np.uint64)
    values = np.nan_to_num(pairs.scores, nan=-7.0).view(np.uint64) + pairs.decided.astype(np.uint64)
    cells = _mixed(_mixed(documents[pairs.rows] + categories[pairs.columns]) + values)
    return len(documents), int(_mixed(documents).sum()), int(cells.sum()), int(np.bitwise_xor.reduce(cells, initial=0))


def _mixed(numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Scatter 64-bit numbers (the finaliser of SplitMix64), so that sums of them do not collide."""
    z = numbers.astype(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
