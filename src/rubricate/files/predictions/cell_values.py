"""Cells of prediction files: names, scores and decisions, or an error that names the line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidFile

__all__ = ["as_decision", "as_number", "as_text"]

YES = frozenset({"1", "1.0", "true", "yes", "y", "t"})
NO = frozenset({"0", "0.0", "false", "no", "n", "f", ""})
WORDS = {"true": 1.0, "false": 0.0, "": math.nan}
"""Cells that stand for a score although they are not numbers."""


def as_text(cell: Any) -> str:
    """Return a name without surrounding blanks, empty for None and NaN. A whole number loses its `.0`."""
    if isinstance(cell, str):
        return cell.strip()
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell).strip()


def as_number(cell: Any, line: int, *, path: Path, comma: bool = False) -> float:
    """Return a score, NaN for an empty cell; with `comma` a decimal comma is allowed. A cell "NaN" is an error."""
    value: float | None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        text = "" if cell is None else str(cell).strip()
        if text.lower() in WORDS:
            return WORDS[text.lower()]
        value = _decimal(text.replace(",", ".") if comma else text)
    if value is None or math.isnan(value):
        problem = "the score is NaN" if value is not None else f"{cell!r} is not a number"
        raise InvalidFile(problem, path=path, line=line, remedy="give a number, or leave it empty")
    return value


def _decimal(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def as_decision(cell: Any, line: int, *, path: Path) -> int:
    """Return 1 for yes, 0 for no or an empty cell."""
    text = as_text(cell).lower()
    if text in YES or text in NO:
        return int(text in YES)
    raise InvalidFile(f"{cell!r} is not a decision", path=path, line=line, remedy="write 1 or 0, yes or no")
