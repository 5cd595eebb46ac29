"""Cells of CSV files that a spreadsheet would run as formulas."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["inert"]

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula starts with; some spreadsheets take the full-width forms for the plain ones."""

Cell = TypeVar("Cell")


def inert(cell: Cell) -> Cell | str:
    """Return a cell that no spreadsheet runs: a text that starts like a formula gets a `'` in front.

    >>> inert("=1+1"), inert("wheat"), inert(-0.5)
    ("'=1+1", 'wheat', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(STARTS) else cell
