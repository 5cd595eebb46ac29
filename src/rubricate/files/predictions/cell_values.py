"""Cells of files of predictions: names, scores and decisions, or an error that names the line."""

from __future__ import annotations

import math
from typing import Any

from rubricate.errors import InvalidFile
from rubricate.files.predictions.pairs import Gather

__all__ = ["as_decision", "as_number", "as_text"]

YES = frozenset({"1", "1.0", "true", "yes", "y", "t"})
BOOLEANS = {"true": 1.0, "false": 0.0, "": math.nan}
NO = frozenset({"0", "0.0", "false", "no", "n", "f", ""})


def as_text(cell: Any) -> str:
    """A name without blanks around it; empty for None and NaN. A whole number loses its `.0`."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def as_number(gather: Gather, cell: Any, line: int, comma: bool) -> float:
    """A score; NaN for an empty cell. A cell that says NaN is an error."""
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = _odd_number(gather, cell, line, comma)
        if math.isnan(value):
            return value
    if math.isnan(value):
        raise InvalidFile("the score is NaN", path=gather.path, line=line, remedy="give a number, or leave it empty")
    return value


def _odd_number(gather: Gather, cell: Any, line: int, comma: bool) -> float:
    """A cell that is no plain number: empty (NaN), true or false, or with a decimal comma."""
    said = "" if cell is None else str(cell).strip()
    if said.lower() in BOOLEANS:
        return BOOLEANS[said.lower()]
    try:
        return float(said.replace(",", ".")) if comma and "," in said else float(said)
    except ValueError:
        problem = f"{cell!r} is no number"
        raise InvalidFile(problem, path=gather.path, line=line, remedy="give a number, or leave it empty") from None


def as_decision(gather: Gather, cell: Any, line: int) -> int:
    """1 for yes, 0 for no or an empty cell."""
    said = as_text(cell).lower()
    if said in YES or said in NO:
        return int(said in YES)
    raise InvalidFile(f"{cell!r} is no decision", path=gather.path, line=line, remedy="write 1 or 0, yes or no")
