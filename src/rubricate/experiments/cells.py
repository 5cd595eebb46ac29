"""Cells of a reproduction: a published figure, ours, and the verdict. One shape for every paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from rubricate.errors import InvalidInput

__all__ = ["Cell", "Tally", "Value", "Verdict", "make_cell", "tally", "to_json"]

Value: TypeAlias = float | int | str | None
"""A figure, a mark such as `>>`, or None where there is none."""

Verdict: TypeAlias = Literal["same", "better", "off", "not counted"]


@dataclass(frozen=True)
class Cell:
    """One figure of a paper's table, and ours.

    `verdict` is "same" (within the tolerance), "better" (beyond it on the good side), "off" (beyond it on the other
    side, or on either where there is no good side) or "not counted": nothing is published, ours could not be computed
    (corpus missing), the figure is printed elsewhere too and counted there, or it cannot fail. A cell that is off has a
    note. `agrees` is True for "same" and "better", and None where there is nothing to compare. `origin` says where the
    settings behind ours come from: `paper`, or `recovered` when any came from scanning against the published figures.
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
    verdict: Verdict = "not counted"

    def __post_init__(self) -> None:
        if self.verdict == "off" and not self.note:
            raise InvalidInput(
                f"cell {self.table}, {self.row}, {self.column} of {self.paper} is off and has no note; "
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
    counted: bool = True,
    note: str = "",
    origin: str = "paper",
) -> Cell:
    """Return a cell with its verdict.

    Parameters
    ----------
    tolerance
        Numbers are the same within it; 0 for None. Anything else is the same when it is equal.
    better
        1 where a larger figure is better, -1 where a smaller one is, 0 where there is no good side.
    counted
        False for a figure that cannot fail, or that is counted elsewhere.

    A figure of ours that is NaN counts as missing.

    >>> make_cell("p", "1", row="SVM", column="miF1", published=0.8599, ours=0.8633, tolerance=0.006).verdict
    'same'
    """
    ours = None if isinstance(ours, float) and math.isnan(ours) else ours
    if published is None or ours is None:
        return Cell(paper, table, row, column, published, ours, tolerance, None, note, origin)
    verdict = _judge(published, ours, tolerance=tolerance, better=better)
    if verdict == "off" and not note:
        note = "differs; no reason is on record"
    given = verdict if counted else "not counted"
    return Cell(paper, table, row, column, published, ours, tolerance, verdict != "off", note, origin, given)


def _judge(published: Value, ours: Value, *, tolerance: float | None, better: int) -> Verdict:
    if isinstance(published, (int, float)) and isinstance(ours, (int, float)):
        apart = float(ours) - float(published)
        if abs(apart) <= (tolerance or 0.0) + 1e-12:
            return "same"
        return "better" if better * apart > 0 else "off"
    return "same" if published == ours else "off"


@dataclass(frozen=True)
class Tally:
    """How many cells are the same, better and off."""

    same: int
    better: int
    off: int

    @property
    def counted(self) -> int:
        """The number of cells with one of the three verdicts."""
        return self.same + self.better + self.off

    def __str__(self) -> str:
        return f"{self.same} same, {self.better} better, {self.off} off of {self.counted}"


def tally(cells: Iterable[Cell]) -> Tally:
    """Count the cells by verdict; those that are not counted are left out.

    >>> str(tally([make_cell("p", "1", row="a", column="b", published=1, ours=1)]))
    '1 same, 0 better, 0 off of 1'
    """
    verdicts = [cell.verdict for cell in cells]
    return Tally(verdicts.count("same"), verdicts.count("better"), verdicts.count("off"))


def to_json(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return one object per cell, with the fields of `Cell`."""
    return [asdict(cell) for cell in cells]
