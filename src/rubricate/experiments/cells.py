"""Lists of a reproduction: a published figure, ours, and whether they agree. One shape for every paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from rubricate.errors import InvalidInput

__all__ = ["Cell", "Tally", "Value", "make_cell", "tally", "to_json"]

Value: TypeAlias = float | int | str | None
"""A figure, a mark such as `>>`, or None where there is none."""


@dataclass(frozen=True)
class Cell:
    """One figure of a paper's table beside ours.

    `published`, `ours` and `agrees` may be None: nothing is published, or the figure could not be made here (corpus
    missing). Such cells are not counted. A cell that does not agree has a note. `origin` says where the settings
    behind ours come from: `paper`, or `recovered` when any came from scanning against the published figures.
    """

    paper: str
    table: str
    row: str
    column: str
    published: Value
    ours: Value
    tolerance: float | None
    agrees: bool | None
    note: str = ""
    origin: str = "paper"

    def __post_init__(self) -> None:
        if self.agrees is False and not self.note:
            raise InvalidInput(
                f"cell {self.table}, {self.row}, {self.column} of {self.paper} does not agree and has no note; "
                "say why in the notes of the reproduction"
            )


def make_cell(
    paper: str,
    table: str,
    *,
    row: str,
    column: str,
    published: Value,
    ours: Value,
    tolerance: float | None = None,
    better: int = 0,
    note: str = "",
    origin: str = "paper",
) -> Cell:
    """Return a cell with its verdict.

    Numbers agree within the tolerance, with `better` 1 (or −1) also where ours is larger (or smaller); the rest when
    they are equal. A figure of ours that is NaN counts as missing.

    >>> make_cell("p", "1", row="SVM", column="miF1", published=0.8599, ours=0.8633, tolerance=0.006).agrees
    True
    """
    ours = None if isinstance(ours, float) and math.isnan(ours) else ours
    agrees = None if published is None or ours is None else _agree(published, ours, tolerance=tolerance, better=better)
    if agrees is False and not note:
        note = "differs; no reason is on record"
    return Cell(paper, table, row, column, published, ours, tolerance, agrees, note, origin)


def _agree(published: Value, ours: Value, *, tolerance: float | None, better: int) -> bool:
    if isinstance(published, (int, float)) and isinstance(ours, (int, float)):
        apart = float(ours) - float(published)
        return better * apart > 0 or abs(apart) <= (tolerance or 0.0) + 1e-12
    return published == ours


@dataclass(frozen=True)
class Tally:
    """How many cells agree of those that could be compared."""

    agree: int
    compared: int

    def __str__(self) -> str:
        return f"{self.agree} of {self.compared} agree"


def tally(cells: Iterable[Cell]) -> Tally:
    """Count the cells that agree; those without a verdict are left out.

    >>> str(tally([make_cell("p", "1", row="a", column="b", published=1, ours=1)]))
    '1 of 1 agree'
    """
    verdicts = [cell.agrees for cell in cells if cell.agrees is not None]
    return Tally(sum(verdicts), len(verdicts))


def to_json(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return one object per cell, with the fields of `Cell`."""
    return [asdict(cell) for cell in cells]
