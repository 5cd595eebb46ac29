"""Category similarities from a CSV file: a square table with category names in the first row and column."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.measures.hierarchical.similarity import Similarity
from rubricate.types import Floats

__all__ = ["read_similarity"]

_REMEDY = "write a square table: 'category,corn,wheat' above, 'corn,1,.7' below it; half of it is enough"


def read_similarity(path: str | Path) -> Similarity:
    """Read a file like table 3 of sunlim2001; cells above or below the diagonal may be empty.

    Further rows, such as one with the average, are an error; an empty diagonal counts as 1.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidFile(f"cannot be read ({problem})", path=path, remedy="give a CSV file in UTF-8") from None
    rows = [(number, row) for number, row in enumerate(csv.reader(lines), 1) if any(map(str.strip, row))]
    names = [cell.strip() for cell in rows[0][1][1:]] if rows else []
    if not names or "" in names or len(set(names)) < len(names):
        raise InvalidFile("no header with the names of the categories", path=path, line=1, remedy=_REMEDY)
    values = np.full((len(names), len(names)), math.nan)
    for number, row in rows[1:]:
        if row[0].strip() not in names or len(row) > len(names) + 1:
            raise InvalidFile(f"a row for {row[0]!r} with {len(row)} cells", path=path, line=number, remedy=_REMEDY)
        for column, cell in enumerate(row[1:]):
            values[names.index(row[0].strip()), column] = _number(path, number, cell)
    return _symmetric(path, names, values)


def _number(path: Path, line: int, cell: str) -> float:
    try:
        return float(cell) if cell.strip() else math.nan
    except ValueError:
        raise InvalidFile(f"{cell!r} is not a number", path=path, line=line, remedy="write .7, or nothing") from None


def _symmetric(path: Path, names: list[str], values: Floats) -> Similarity:
    both = np.where(np.isnan(values), values.T, values)
    np.fill_diagonal(both, np.where(np.isnan(np.diag(both)), 1.0, np.diag(both)))
    if np.isnan(both).any():
        a, b = (names[i] for i in np.argwhere(np.isnan(both))[0])
        raise InvalidFile(f"no similarity of {a!r} and {b!r}", path=path, remedy=_REMEDY)
    try:
        return Similarity.of_matrix(both, names)
    except InvalidInput as problem:
        raise InvalidFile(str(problem), path=path, remedy=_REMEDY) from None
